// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Congestion controls of this kernel's TCP: sluice_dctcp (RFC 8257) and sluice_dadctcp.
 *
 * A kernel may leave a program out of a call (docs/da-dctcp.md) and then takes whatever its stack
 * holds for what would have been returned. A threshold of 2^31 segments opens a window to nearly as
 * many. So nothing here depends on a returned value, nor on any single call: cong_control, which
 * runs at each acknowledgement, finds by TCP's state that a window is to be reduced, and all that
 * has been acknowledged since it ran last.
 */
#include "dctcp.h"
#include "tcp.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

char __license[] SEC("license") = "Dual BSD/GPL";

#define NANOS_PER_MICRO 1000ULL

#define LEAST_WINDOW 2    /* segments */
#define RESTART_WINDOW 10 /* after an idle time, as at the beginning (RFC 6928) */

extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;

/* What full queues add to a round trip; set before the programs are loaded. */
const volatile __u64 queue_bound_nanos = 0;

enum control { DCTCP, DADCTCP, CONTROLS };

struct congestion {
    __u64 begun_connections;
    __u64 ended_connections;
    __u64 connections_without_ecn; /* not among those that have begun */
    __u64 received_marks;          /* segments */
    __u64 acknowledged_marks;      /* segments */
    __u64 reductions;              /* once for each window with an echo or a loss */
    __u64 loss_reductions;         /* of them */
    __u64 left_out_calls;          /* the kernel wanted a threshold, and ran no program */
    __u8 last_without_ecn[16];     /* its peer; IPv4 mapped */
    __u32 last_without_ecn_port;
    __u32 reserved;
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, CONTROLS);
    __type(key, __u32);
    __type(value, struct congestion);
} congestions SEC(".maps");

/* A connection's, in the room that TCP has for a congestion control. */
struct connection {
    struct marking_estimate estimate;
    struct round_trips round_trips;
    __u32 delivered_before;
    __u32 delivered_ce_before;
    __u32 acknowledged_to;
    __u32 threshold;        /* between slow start and congestion avoidance */
    __u32 threshold_before; /* the last reduction */
    __u32 window;           /* after the last acknowledgement; 0: there was none */
    __u32 window_before;    /* the last reduction, which ends when */
    __u32 reduces_to;       /* this sequence number is acknowledged */
    __u32 owed;
    __u32 received_to;  /* when the last segment came */
    __u8 state_before;  /* TCP's at the last acknowledgement */
    __u8 begins_to_cut; /* a reduction that was announced, and is to be made */
    __u8 was_called;    /* the function for its threshold */
    __u8 is_halved;     /* the window, in this reduction, for a loss */
    __u8 ce_before;     /* DCTCP.CE of RFC 8257 */
    __u8 control;
    __u8 counts; /* among those that have begun */
};

_Static_assert(sizeof(struct connection) <= 13 * sizeof(__u64), "TCP has no room for it");

INLINE struct connection *connection_of(struct sock *sk) {
    return (void *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

INLINE struct congestion *congestion_of(__u32 control) {
    return bpf_map_lookup_elem(&congestions, &control);
}

INLINE void note_without_ecn(struct sock *sk, struct congestion *counters) {
    ADD(counters->connections_without_ecn, 1);
    if (sk->__sk_common.skc_family == AF_INET) {
        __be32 address = sk->__sk_common.skc_daddr;
        __builtin_memset(counters->last_without_ecn, 0, 10);
        __builtin_memset(counters->last_without_ecn + 10, 0xff, 2);
        __builtin_memcpy(counters->last_without_ecn + 12, &address, 4);
    } else {
        for (int i = 0; i < 16; i++)
            counters->last_without_ecn[i] = sk->__sk_common.skc_v6_daddr.bytes[i];
    }
    counters->last_without_ecn_port = bpf_ntohs(sk->__sk_common.skc_dport);
}

INLINE void begin(struct sock *sk, __u32 control) {
    struct congestion *counters = congestion_of(control);
    struct tcp_sock *tcp = (void *)sk;
    struct connection *c = connection_of(sk);
    if (!counters)
        return;
    __builtin_memset(c, 0, sizeof(*c));
    begin_estimate(&c->estimate, tcp->snd_una);
    c->delivered_before = tcp->delivered;
    c->delivered_ce_before = tcp->delivered_ce;
    c->acknowledged_to = tcp->snd_una;
    c->threshold = tcp->snd_ssthresh;
    c->threshold_before = c->threshold;
    c->reduces_to = tcp->high_seq;
    c->received_to = tcp->rcv_nxt;
    c->control = control;
    c->counts = 1;
    ADD(counters->begun_connections, 1);
}

/*
 * False: it is not ours. Without ECN at the other end no mark comes back, and the segments would be
 * marked all the same: such a connection is cubic's, or where there is none stays here, which is
 * reno without marks. While it opens that is unknown; a choice made by then, as for a cgroup, has
 * init run that early.
 */
INLINE bool is_ours(struct sock *sk, __u32 control) {
    struct connection *c = connection_of(sk);
    struct congestion *counters = congestion_of(control);
    if (c->counts)
        return true;
    c->control = control;
    if (!counters || sk->__sk_common.skc_state == TCP_SYN_SENT)
        return false;
    if (!(((struct tcp_sock *)sk)->ecn_flags & ECN_OK)) {
        char conventional[] = "cubic";
        note_without_ecn(sk, counters);
        if (!bpf_setsockopt(sk, SOL_TCP, TCP_CONGESTION, conventional, sizeof(conventional)))
            return false;
    }
    begin(sk, control);
    return true;
}

SEC("struct_ops")
void BPF_PROG(dctcp_init, struct sock *sk) { is_ours(sk, DCTCP); }

SEC("struct_ops")
void BPF_PROG(dadctcp_init, struct sock *sk) { is_ours(sk, DADCTCP); }

SEC("struct_ops")
void BPF_PROG(end_connection, struct sock *sk) {
    struct connection *c = connection_of(sk);
    struct congestion *counters = congestion_of(c->control);
    if (counters && c->counts)
        ADD(counters->ended_connections, 1);
    c->counts = 0;
}

/* What they return is not relied on. */
SEC("struct_ops")
__u32 BPF_PROG(threshold, struct sock *sk) {
    struct connection *c = connection_of(sk);
    c->was_called = 1;
    return c->threshold;
}

SEC("struct_ops")
__u32 BPF_PROG(undo_window, struct sock *sk) {
    struct tcp_sock *tcp = (void *)sk;
    __u32 before = connection_of(sk)->window_before;
    return before > tcp->snd_cwnd ? before : tcp->snd_cwnd;
}

/* A reduction may be over at the acknowledgement that began it, as after a tail loss probe. */
SEC("struct_ops")
void BPF_PROG(change_state, struct sock *sk, __u8 state) {
    struct inet_connection_sock *icsk = (void *)sk;
    if (state >= TCP_CA_CWR && icsk->icsk_ca_state < TCP_CA_CWR)
        connection_of(sk)->begins_to_cut = 1;
}

INLINE void count_acknowledgement(struct tcp_sock *tcp, struct connection *c,
                                  struct congestion *counters, __u32 acknowledged) {
    __u32 marked = tcp->delivered_ce - c->delivered_ce_before;
    struct marking_estimate estimate = c->estimate;
    count_acknowledged(&estimate, acknowledged, marked, tcp->snd_una, tcp->snd_nxt);
    c->estimate = estimate;
    c->delivered_before = tcp->delivered;
    c->delivered_ce_before = tcp->delivered_ce;
    if (marked)
        ADD(counters->acknowledged_marks, marked);
}

/* Once for each window with an echo or a loss. */
INLINE void begin_reduction(struct tcp_sock *tcp, struct connection *c, struct congestion *counters,
                            __u32 most) {
    __u32 owed = c->owed;
    __u32 factor =
        c->control == DADCTCP ? factor_of(&c->round_trips, queue_bound_nanos) : DCTCP_FACTOR;
    c->threshold_before = c->threshold;
    c->window_before = tcp->prior_cwnd < most ? tcp->prior_cwnd : most;
    c->threshold = reduced(c->window_before, c->estimate.alpha, factor, LEAST_WINDOW, &owed);
    c->owed = owed;
    c->reduces_to = tcp->high_seq;
    ADD(counters->reductions, 1);
    if (!c->was_called)
        ADD(counters->left_out_calls, 1);
    c->begins_to_cut = 0;
    c->was_called = 0;
    c->is_halved = 0;
}

/* RFC 8257, section 3.5: losses as ever, also in a window that was reduced for an echo. */
INLINE void halve(struct connection *c, struct congestion *counters) {
    __u32 half = c->window_before / 2;
    if (c->threshold > half)
        c->threshold = half > LEAST_WINDOW ? half : LEAST_WINDOW;
    c->is_halved = 1;
    ADD(counters->loss_reductions, 1);
}

/*
 * Packets in flight are let down to the threshold. While losses are repaired, what is sent is one
 * more than what has arrived at the most, since a loss may have freed much of a window at once; the
 * first is sent again in any case.
 */
INLINE void lower_window(struct tcp_sock *tcp, struct connection *c, __u8 state,
                         __u32 acknowledged) {
    __u32 window = c->threshold;
    if (state == TCP_CA_Recovery) {
        __u32 out = in_flight(tcp);
        __u32 most = out + acknowledged + 1;
        if (c->state_before < TCP_CA_Recovery && window < out + 1)
            window = out + 1;
        if (window > most)
            window = most;
    }
    tcp->snd_cwnd = window;
}

/* TCP does this itself where it reduces windows itself: so much at most goes out in one piece. */
INLINE void set_pacing_rate(struct sock *sk) {
    struct tcp_sock *tcp = (void *)sk;
    __u64 window = tcp->snd_cwnd > tcp->packets_out ? tcp->snd_cwnd : tcp->packets_out;
    bool doubles = tcp->snd_cwnd < tcp->snd_ssthresh / 2;
    if (!tcp->srtt_us)
        return;
    __u64 rate = window * tcp->mss_cache * (doubles ? 16000000ULL : 9600000ULL) / tcp->srtt_us;
    sk->sk_pacing_rate = rate < sk->sk_max_pacing_rate ? rate : sk->sk_max_pacing_rate;
}

/* What TCP has restored by undo_window is no more than this, unless that was left out. */
INLINE __u32 most_window(const struct tcp_sock *tcp, const struct connection *c) {
    if (!c->window)
        return tcp->snd_cwnd;
    return c->window > c->window_before ? c->window : c->window_before;
}

INLINE void follow(struct sock *sk, __u32 control) {
    struct tcp_sock *tcp = (void *)sk;
    struct connection *c = connection_of(sk);
    struct congestion *counters = congestion_of(control);
    /* An ACK that opens the connection comes before init. */
    if (!counters || sk->__sk_common.skc_state == TCP_SYN_RECV || !is_ours(sk, control))
        return;
    __u8 state = ((struct inet_connection_sock *)sk)->icsk_ca_state, before = c->state_before;
    __u32 acknowledged = tcp->delivered - c->delivered_before;
    bool advances = tcp->snd_una != c->acknowledged_to;
    __u32 most = most_window(tcp, c);

    if (tcp->snd_cwnd > most)
        tcp->snd_cwnd = most;
    count_acknowledgement(tcp, c, counters, acknowledged);
    if (c->begins_to_cut || (state >= TCP_CA_CWR && before < TCP_CA_CWR) ||
        (state == TCP_CA_CWR && tcp->high_seq != c->reduces_to)) {
        begin_reduction(tcp, c, counters, most);
        before = before < TCP_CA_CWR ? TCP_CA_CWR : before;
    }
    if (state >= TCP_CA_Recovery && !c->is_halved)
        halve(c, counters);
    if (state < TCP_CA_CWR && before >= TCP_CA_Recovery && !tcp->undo_marker) {
        c->threshold = c->threshold_before; /* nothing was lost: it was late */
        tcp->snd_cwnd = c->window_before;
    } else if (state == TCP_CA_CWR || state == TCP_CA_Recovery ||
               (state < TCP_CA_CWR && (before == TCP_CA_CWR || before == TCP_CA_Recovery))) {
        lower_window(tcp, c, state, acknowledged);
    }
    tcp->snd_ssthresh = c->threshold;
    if (advances && (state < TCP_CA_CWR || state == TCP_CA_Loss))
        tcp_reno_cong_avoid(sk, tcp->snd_una, acknowledged);
    set_pacing_rate(sk);
    c->window = tcp->snd_cwnd;
    c->state_before = state;
    c->acknowledged_to = tcp->snd_una;
}

SEC("struct_ops")
void BPF_PROG(dctcp_follow, struct sock *sk) { follow(sk, DCTCP); }

SEC("struct_ops")
void BPF_PROG(dadctcp_follow, struct sock *sk) { follow(sk, DADCTCP); }

INLINE void echo(struct tcp_sock *tcp, bool ce) {
    tcp->ecn_flags = ce ? tcp->ecn_flags | ECN_DEMAND_CWR : tcp->ecn_flags & ~ECN_DEMAND_CWR;
}

/*
 * RFC 8257, section 3.2: an acknowledgement covers segments that were all marked, or all not. So
 * when that changes, one that is being delayed leaves first, with the former state; and the next is
 * not delayed.
 */
/* A window from before an idle time says nothing of the path any more. */
INLINE void restart(struct sock *sk) {
    struct tcp_sock *tcp = (void *)sk;
    __s32 idle = (__u32)bpf_jiffies64() - tcp->lsndtime;
    if (idle > (__s32)((struct inet_connection_sock *)sk)->icsk_rto &&
        tcp->snd_cwnd > RESTART_WINDOW)
        tcp->snd_cwnd = RESTART_WINDOW;
}

SEC("struct_ops")
void BPF_PROG(receive, struct sock *sk, enum tcp_ca_event event) {
    if (event == bpf_core_enum_value(enum tcp_ca_event, CA_EVENT_TX_START))
        return restart(sk);
    bool ce = event == bpf_core_enum_value(enum tcp_ca_event, CA_EVENT_ECN_IS_CE);
    if (!ce && event != bpf_core_enum_value(enum tcp_ca_event, CA_EVENT_ECN_NO_CE))
        return;
    struct inet_connection_sock *icsk = (void *)sk;
    struct tcp_sock *tcp = (void *)sk;
    struct connection *c = connection_of(sk);
    if (!is_ours(sk, c->control))
        return;
    if (ce != c->ce_before) {
        if (icsk->icsk_ack.pending & ICSK_ACK_TIMER) {
            echo(tcp, c->ce_before);
            bpf_tcp_send_ack(tcp, c->received_to);
        }
        icsk->icsk_ack.pending |= ICSK_ACK_NOW;
        c->ce_before = ce;
    }
    c->received_to = tcp->rcv_nxt;
    echo(tcp, ce);
    struct congestion *counters = congestion_of(c->control);
    if (ce && counters)
        ADD(counters->received_marks, 1);
}

SEC("struct_ops")
void BPF_PROG(time_round_trip, struct sock *sk, const struct ack_sample *sample) {
    struct connection *c = connection_of(sk);
    if (sample->rtt_us <= 0)
        return;
    struct round_trips trips = c->round_trips;
    add_round_trip(&trips, (__u32)sample->rtt_us * NANOS_PER_MICRO);
    c->round_trips = trips;
}

/* Any process may choose them: they are no more aggressive than what every process has. */
SEC(".struct_ops.link")
struct tcp_congestion_ops sluice_dctcp = {
    .init = (void *)dctcp_init,
    .release = (void *)end_connection,
    .ssthresh = (void *)threshold,
    .set_state = (void *)change_state,
    .cwnd_event = (void *)receive,
    .cong_control = (void *)dctcp_follow,
    .undo_cwnd = (void *)undo_window,
    .flags = TCP_CONG_NEEDS_ECN | TCP_CONG_NON_RESTRICTED,
    .name = "sluice_dctcp",
};

SEC(".struct_ops.link")
struct tcp_congestion_ops sluice_dadctcp = {
    .init = (void *)dadctcp_init,
    .release = (void *)end_connection,
    .ssthresh = (void *)threshold,
    .set_state = (void *)change_state,
    .cwnd_event = (void *)receive,
    .pkts_acked = (void *)time_round_trip,
    .cong_control = (void *)dadctcp_follow,
    .undo_cwnd = (void *)undo_window,
    .flags = TCP_CONG_NEEDS_ECN | TCP_CONG_NON_RESTRICTED,
    .name = "sluice_dadctcp",
};
