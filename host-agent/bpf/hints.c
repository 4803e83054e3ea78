// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Hints for the TCP of cgroups: what connections use by their destination, while a lease lasts.
 *
 * A connection takes its window and its congestion control when it begins. RTO_min and the pacing
 * rate it takes then, and follows afterwards, once in a round trip: hints that end, be it because
 * the agent was killed, give back what the connection had.
 */
#include <linux/types.h>

#include "base.h"
#include <bpf/bpf_core_read.h>

char __license[] SEC("license") = "Dual BSD/GPL";

#define RELOCATED __attribute__((preserve_access_index))

#define AF_INET 2
#define SOL_SOCKET 1
#define SOL_TCP 6
#define SO_MAX_PACING_RATE 47
#define TCP_CONGESTION 13
#define CONTROL_BYTES 16
#define MOST_HINTS 8192
#define UNLIMITED 0xffffffffU

/* The period of the kernel's timer, in which it keeps RTO_min; set before the program is loaded. */
const volatile __u32 tick_micros = 4000;

struct inet_connection_sock {
    __u32 icsk_rto_min;
} RELOCATED;

struct tcp_sock {
    struct inet_connection_sock inet_conn;
} RELOCATED;

/* IPv4 mapped. */
struct destination {
    __u32 bits;
    __u8 address[16];
};

/* 0, or an empty name: the connection's own. */
struct hint {
    __u32 initial_window;
    __u32 rto_min_micros;
    __u32 pacing_bytes_per_second;
    __u32 needs_ecn; /* the congestion control does */
    char control[CONTROL_BYTES];
};

struct lease {
    __u64 ends_nanos; /* of CLOCK_MONOTONIC */
    __u64 set;        /* changes with the hints, and is never 0 */
};

/* What a connection follows, and had before. */
struct connection {
    __u64 set;
    __u32 rto_min_before; /* ticks; 0: it has its own */
    __u32 pacing_before;
    __u32 is_paced;
    __u32 reserved;
};

struct {
    __uint(type, BPF_MAP_TYPE_LPM_TRIE);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __uint(max_entries, MOST_HINTS);
    __type(key, struct destination);
    __type(value, struct hint);
} hints SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct lease);
} leases SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_SK_STORAGE);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, int);
    __type(value, struct connection);
} connections SEC(".maps");

/* Which set holds now; 0: none. */
INLINE __u64 set_in_force(void) {
    __u32 zero = 0;
    struct lease *lease = bpf_map_lookup_elem(&leases, &zero);
    if (!lease || bpf_ktime_get_ns() >= lease->ends_nanos)
        return 0;
    return lease->set;
}

INLINE struct hint *hint_for(struct bpf_sock_ops *ops) {
    struct destination to = {.bits = 128};
    __u32 *words = (void *)to.address;
    /* Before the branch: else the compiler makes one read of both, which the verifier refuses. */
    __u32 ip4 = *(volatile __u32 *)&ops->remote_ip4;
    if (ops->family == AF_INET) {
        to.address[10] = to.address[11] = 0xff;
        words[3] = ip4;
    } else {
        words[0] = ops->remote_ip6[0];
        words[1] = ops->remote_ip6[1];
        words[2] = ops->remote_ip6[2];
        words[3] = ops->remote_ip6[3];
    }
    return bpf_map_lookup_elem(&hints, &to);
}

INLINE void set_rto_min(struct bpf_sock_ops *ops, __u32 micros) {
    bpf_setsockopt(ops, SOL_TCP, TCP_BPF_RTO_MIN, &micros, sizeof(micros));
}

/* RTO_min as a hint has it (0: none), or as the connection had it. */
INLINE void follow_rto_min(struct bpf_sock_ops *ops, struct connection *c, __u32 micros) {
    if (micros) {
        struct bpf_sock *sk = ops->sk;
        struct tcp_sock *tcp = sk ? bpf_skc_to_tcp_sock(sk) : NULL;
        if (!tcp)
            return;
        if (!c->rto_min_before)
            c->rto_min_before = tcp->inet_conn.icsk_rto_min;
        set_rto_min(ops, micros);
    } else if (c->rto_min_before) {
        set_rto_min(ops, c->rto_min_before * tick_micros);
        c->rto_min_before = 0;
    }
}

INLINE void follow_pacing(struct bpf_sock_ops *ops, struct connection *c, __u32 rate) {
    if (rate) {
        __u32 before = UNLIMITED;
        if (!c->is_paced) {
            bpf_getsockopt(ops, SOL_SOCKET, SO_MAX_PACING_RATE, &before, sizeof(before));
            c->pacing_before = before;
            c->is_paced = 1;
        }
        bpf_setsockopt(ops, SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof(rate));
    } else if (c->is_paced) {
        rate = c->pacing_before;
        bpf_setsockopt(ops, SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof(rate));
        c->is_paced = 0;
    }
}

INLINE void follow(struct bpf_sock_ops *ops, struct connection *c, const struct hint *hint) {
    follow_rto_min(ops, c, hint ? hint->rto_min_micros : 0);
    follow_pacing(ops, c, hint ? hint->pacing_bytes_per_second : 0);
}

INLINE void choose_control(struct bpf_sock_ops *ops, const struct hint *hint) {
    char control[CONTROL_BYTES];
    if (!hint || !hint->control[0])
        return;
    __builtin_memcpy(control, hint->control, sizeof(control));
    bpf_setsockopt(ops, SOL_TCP, TCP_CONGESTION, control, sizeof(control));
}

INLINE struct connection *connection_of(struct bpf_sock_ops *ops) {
    struct bpf_sock *sk = ops->sk;
    if (!sk || !ops->is_fullsock)
        return NULL;
    return bpf_sk_storage_get(&connections, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
}

/* Before the SYN leaves: it negotiates ECN, and the first timeout comes from its round trip. */
INLINE void connect(struct bpf_sock_ops *ops) {
    __u64 set = set_in_force();
    struct connection *c = set ? connection_of(ops) : NULL;
    if (!c)
        return;
    const struct hint *hint = hint_for(ops);
    choose_control(ops, hint);
    follow(ops, c, hint);
    c->set = set;
}

INLINE void begin(struct bpf_sock_ops *ops, bool is_accepted) {
    struct connection *c = connection_of(ops);
    if (!c)
        return;
    bpf_sock_ops_cb_flags_set(ops, ops->bpf_sock_ops_cb_flags | BPF_SOCK_OPS_RTT_CB_FLAG);
    __u64 set = set_in_force();
    const struct hint *hint = set ? hint_for(ops) : NULL;
    if (is_accepted)
        choose_control(ops, hint);
    if (hint && hint->initial_window) {
        __u32 window = hint->initial_window;
        bpf_setsockopt(ops, SOL_TCP, TCP_BPF_IW, &window, sizeof(window));
    }
    if (c->set != set) {
        follow(ops, c, hint);
        c->set = set;
    }
}

INLINE void go_on(struct bpf_sock_ops *ops) {
    struct connection *c = connection_of(ops);
    __u64 set = set_in_force();
    if (!c || c->set == set)
        return;
    follow(ops, c, set ? hint_for(ops) : NULL);
    c->set = set;
}

SEC("sockops")
int hint_connections(struct bpf_sock_ops *ops) {
    switch (ops->op) {
    case BPF_SOCK_OPS_NEEDS_ECN: {
        const struct hint *hint = set_in_force() ? hint_for(ops) : NULL;
        if (hint && hint->needs_ecn)
            ops->reply = 1;
        break;
    }
    case BPF_SOCK_OPS_TCP_CONNECT_CB:
        connect(ops);
        break;
    case BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB:
        begin(ops, false);
        break;
    case BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB:
        begin(ops, true);
        break;
    case BPF_SOCK_OPS_RTT_CB:
        go_on(ops);
        break;
    }
    return 1;
}
