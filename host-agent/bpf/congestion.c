// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Congestion controls of this kernel's TCP: sluice_dctcp (RFC 8257) and sluice_dadctcp.
 *
 * A window is reduced in ssthresh alone, which TCP calls once for each window with an echo, or a
 * loss; TCP itself then lowers snd_cwnd in step with what is acknowledged.
 */
#include "dctcp.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

char __license[] SEC("license") = "Dual BSD/GPL";

#define RELOCATED __attribute__((preserve_access_index))

#define AF_INET 2
#define SOL_TCP 6
#define TCP_CONGESTION 13
#define NANOS_PER_MICRO 1000ULL

#define LEAST_WINDOW 2 /* segments */

/* include/net/tcp.h and inet_connection_sock.h: macros, of which BTF has nothing. */
#define TCP_CONG_NON_RESTRICTED 0x1
#define TCP_CONG_NEEDS_ECN 0x2
#define ECN_OK 0x1
#define ECN_DEMAND_CWR 0x4

enum tcp_ca_event {
    CA_EVENT_ECN_NO_CE = 4, /* what this kernel numbers them is found by BTF */
    CA_EVENT_ECN_IS_CE = 5,
};

enum tcp_ca_state {
    TCP_CA_CWR = 2,
    TCP_CA_Recovery = 3,
};

enum inet_csk_ack_state_t {
    ICSK_ACK_TIMER = 2,
    ICSK_ACK_NOW = 16,
};

struct in6_addr {
    __u8 bytes[16];
};

struct sock_common {
    unsigned short skc_family;
    __be32 skc_daddr;
    __be16 skc_dport;
    struct in6_addr skc_v6_daddr;
} RELOCATED;

struct sock {
    struct sock_common __sk_common;
} RELOCATED;

struct inet_connection_sock {
    __u8 icsk_ca_state : 5;
    struct {
        __u8 pending;
    } icsk_ack;
    __u64 icsk_ca_priv[13];
} RELOCATED;

struct tcp_sock {
    __u32 rcv_nxt;
    __u32 snd_nxt;
    __u32 snd_una;
    __u32 snd_cwnd;
    __u32 snd_ssthresh;
    __u32 delivered;
    __u32 delivered_ce;
    __u8 ecn_flags;
} RELOCATED;

struct ack_sample {
    __s32 rtt_us;
} RELOCATED;

struct tcp_congestion_ops {
    __u32 (*ssthresh)(struct sock *);
    void (*cong_avoid)(struct sock *, __u32, __u32);
    void (*set_state)(struct sock *, __u8);
    void (*cwnd_event)(struct sock *, enum tcp_ca_event);
    void (*in_ack_event)(struct sock *, __u32);
    void (*pkts_acked)(struct sock *, const struct ack_sample *);
    __u32 (*undo_cwnd)(struct sock *);
    char name[16];
    __u32 flags;
    void (*init)(struct sock *);
    void (*release)(struct sock *);
};

extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

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
    __u32 window_before; /* of the last reduction */
    __u32 owed;
    __u32 received_to; /* when the last segment came */
    __u8 ce_before;    /* DCTCP.CE of RFC 8257 */
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

/*
 * Without ECN at the other end no mark comes back, and the segments would be marked all the same:
 * such a connection is cubic's, or where there is none stays here, which is reno without marks.
 */
INLINE void begin(struct sock *sk, __u32 control) {
    struct congestion *counters = congestion_of(control);
    struct tcp_sock *tcp = (void *)sk;
    if (!counters)
        return;
    if (!(tcp->ecn_flags & ECN_OK)) {
        char conventional[] = "cubic";
        note_without_ecn(sk, counters);
        if (!bpf_setsockopt(sk, SOL_TCP, TCP_CONGESTION, conventional, sizeof(conventional)))
            return;
    }
    struct connection *c = connection_of(sk);
    begin_estimate(&c->estimate, tcp->snd_una);
    c->round_trips.least_nanos = 0;
    c->round_trips.latest_nanos = 0;
    c->round_trips.gradient = 0;
    c->delivered_before = tcp->delivered;
    c->delivered_ce_before = tcp->delivered_ce;
    c->window_before = tcp->snd_cwnd;
    c->owed = 0;
    c->received_to = tcp->rcv_nxt;
    c->ce_before = 0;
    c->control = control;
    c->counts = 1;
    ADD(counters->begun_connections, 1);
}

SEC("struct_ops")
void BPF_PROG(dctcp_init, struct sock *sk) { begin(sk, DCTCP); }

SEC("struct_ops")
void BPF_PROG(dadctcp_init, struct sock *sk) { begin(sk, DADCTCP); }

SEC("struct_ops")
void BPF_PROG(end_connection, struct sock *sk) {
    struct connection *c = connection_of(sk);
    struct congestion *counters = congestion_of(c->control);
    if (counters && c->counts)
        ADD(counters->ended_connections, 1);
    c->counts = 0;
}

INLINE __u32 reduce(struct sock *sk, __u32 factor) {
    struct connection *c = connection_of(sk);
    struct congestion *counters = congestion_of(c->control);
    __u32 owed = c->owed;
    __u32 window = ((struct tcp_sock *)sk)->snd_cwnd;
    __u32 threshold = reduced(window, c->estimate.alpha, factor, LEAST_WINDOW, &owed);
    c->owed = owed;
    c->window_before = window;
    if (counters)
        ADD(counters->reductions, 1);
    return threshold;
}

SEC("struct_ops")
__u32 BPF_PROG(dctcp_ssthresh, struct sock *sk) { return reduce(sk, DCTCP_FACTOR); }

SEC("struct_ops")
__u32 BPF_PROG(dadctcp_ssthresh, struct sock *sk) {
    return reduce(sk, factor_of(&connection_of(sk)->round_trips, queue_bound_nanos));
}

/*
 * RFC 8257, section 3.5: losses as ever. TCP has asked for a threshold before it changes the state,
 * or earlier in this window because of an echo, and does not ask twice.
 */
SEC("struct_ops")
void BPF_PROG(change_state, struct sock *sk, __u8 state) {
    struct inet_connection_sock *icsk = (void *)sk;
    struct connection *c = connection_of(sk);
    struct congestion *counters = congestion_of(c->control);
    if (state < TCP_CA_Recovery || icsk->icsk_ca_state >= TCP_CA_Recovery)
        return;
    __u32 half = c->window_before / 2;
    struct tcp_sock *tcp = (void *)sk;
    if (tcp->snd_ssthresh > half)
        tcp->snd_ssthresh = half > LEAST_WINDOW ? half : LEAST_WINDOW;
    if (counters)
        ADD(counters->loss_reductions, 1);
}

INLINE void echo(struct tcp_sock *tcp, bool ce) {
    tcp->ecn_flags = ce ? tcp->ecn_flags | ECN_DEMAND_CWR : tcp->ecn_flags & ~ECN_DEMAND_CWR;
}

/*
 * RFC 8257, section 3.2: an acknowledgement covers segments that were all marked, or all not. So
 * when that changes, one that is being delayed leaves first, with the former state; and the next is
 * not delayed.
 */
SEC("struct_ops")
void BPF_PROG(receive, struct sock *sk, enum tcp_ca_event event) {
    bool ce = event == bpf_core_enum_value(enum tcp_ca_event, CA_EVENT_ECN_IS_CE);
    if (!ce && event != bpf_core_enum_value(enum tcp_ca_event, CA_EVENT_ECN_NO_CE))
        return;
    struct inet_connection_sock *icsk = (void *)sk;
    struct tcp_sock *tcp = (void *)sk;
    struct connection *c = connection_of(sk);
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
void BPF_PROG(acknowledged, struct sock *sk, __u32 flags) {
    struct tcp_sock *tcp = (void *)sk;
    struct connection *c = connection_of(sk);
    __u32 marked = tcp->delivered_ce - c->delivered_ce_before;
    struct marking_estimate estimate = c->estimate;
    count_acknowledged(&estimate, tcp->delivered - c->delivered_before, marked, tcp->snd_una,
                       tcp->snd_nxt);
    c->estimate = estimate;
    c->delivered_before = tcp->delivered;
    c->delivered_ce_before = tcp->delivered_ce;
    if (!marked)
        return;
    struct congestion *counters = congestion_of(c->control);
    if (counters)
        ADD(counters->acknowledged_marks, marked);
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

SEC("struct_ops")
void BPF_PROG(grow, struct sock *sk, __u32 ack, __u32 acked) {
    tcp_reno_cong_avoid(sk, ack, acked);
}

SEC("struct_ops")
__u32 BPF_PROG(undo_window, struct sock *sk) { return tcp_reno_undo_cwnd(sk); }

/* Any process may choose them: they are no more aggressive than what every process has. */
SEC(".struct_ops.link")
struct tcp_congestion_ops sluice_dctcp = {
    .init = (void *)dctcp_init,
    .release = (void *)end_connection,
    .ssthresh = (void *)dctcp_ssthresh,
    .set_state = (void *)change_state,
    .cwnd_event = (void *)receive,
    .in_ack_event = (void *)acknowledged,
    .cong_avoid = (void *)grow,
    .undo_cwnd = (void *)undo_window,
    .flags = TCP_CONG_NEEDS_ECN | TCP_CONG_NON_RESTRICTED,
    .name = "sluice_dctcp",
};

SEC(".struct_ops.link")
struct tcp_congestion_ops sluice_dadctcp = {
    .init = (void *)dadctcp_init,
    .release = (void *)end_connection,
    .ssthresh = (void *)dadctcp_ssthresh,
    .set_state = (void *)change_state,
    .cwnd_event = (void *)receive,
    .in_ack_event = (void *)acknowledged,
    .pkts_acked = (void *)time_round_trip,
    .cong_avoid = (void *)grow,
    .undo_cwnd = (void *)undo_window,
    .flags = TCP_CONG_NEEDS_ECN | TCP_CONG_NON_RESTRICTED,
    .name = "sluice_dadctcp",
};
