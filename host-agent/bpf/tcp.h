/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Those fields of the kernel's TCP that congestion controls use; where they lie is found by BTF.
 */
#ifndef SLUICE_TCP_H
#define SLUICE_TCP_H

#include <linux/types.h>

#include "base.h"

#define RELOCATED __attribute__((preserve_access_index))

#define AF_INET 2
#define SOL_TCP 6
#define TCP_CONGESTION 13
#define TCP_SYN_SENT 2
#define TCP_SYN_RECV 3

/* include/net/tcp.h and inet_connection_sock.h: macros, of which BTF has nothing. */
#define TCP_CONG_NON_RESTRICTED 0x1
#define TCP_CONG_NEEDS_ECN 0x2
#define ECN_OK 0x1
#define ECN_DEMAND_CWR 0x4

enum tcp_ca_event {
    CA_EVENT_TX_START = 0, /* what this kernel numbers them is found by BTF */
    CA_EVENT_ECN_NO_CE = 4,
    CA_EVENT_ECN_IS_CE = 5,
};

enum tcp_ca_state {
    TCP_CA_CWR = 2,
    TCP_CA_Recovery = 3,
    TCP_CA_Loss = 4,
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
    volatile unsigned char skc_state;
    __be32 skc_daddr;
    __be16 skc_dport;
    struct in6_addr skc_v6_daddr;
} RELOCATED;

struct sock {
    struct sock_common __sk_common;
    unsigned long sk_pacing_rate;
    unsigned long sk_max_pacing_rate;
} RELOCATED;

struct inet_connection_sock {
    __u8 icsk_ca_state : 5;
    __u32 icsk_rto;
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
    __u32 prior_cwnd;  /* when TCP began to reduce, */
    __u32 high_seq;    /* and what it had sent by then */
    __u32 undo_marker; /* 0: no loss, or one that was none */
    __u32 packets_out;
    __u32 sacked_out;
    __u32 lost_out;
    __u32 retrans_out;
    __u32 srtt_us; /* times 8 */
    __u32 mss_cache;
    __u32 lsndtime;
    __u32 delivered;
    __u32 delivered_ce;
    __u8 ecn_flags;
} RELOCATED;

struct ack_sample {
    __s32 rtt_us;
} RELOCATED;

struct rate_sample;

struct tcp_congestion_ops {
    __u32 (*ssthresh)(struct sock *);
    void (*set_state)(struct sock *, __u8);
    void (*cwnd_event)(struct sock *, enum tcp_ca_event);
    void (*pkts_acked)(struct sock *, const struct ack_sample *);
    void (*cong_control)(struct sock *, __u32, int, const struct rate_sample *);
    __u32 (*undo_cwnd)(struct sock *);
    char name[16];
    __u32 flags;
    void (*init)(struct sock *);
    void (*release)(struct sock *);
};

INLINE __u32 in_flight(const struct tcp_sock *tcp) {
    return tcp->packets_out - (tcp->sacked_out + tcp->lost_out) + tcp->retrans_out;
}

#endif
