/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Receive windows: what a peer offers an endpoint's TCP is lowered to what the endpoint's class can
 * carry, so that a sender fills its own queue, not over it.
 */
#ifndef SLUICE_WINDOW_H
#define SLUICE_WINDOW_H

#include "flow.h"

#define TCP_HEADER_BYTES 20
#define TCP_WINDOW_OFFSET 14
#define TCP_CHECKSUM_OFFSET 16
/* RFC 9293, 3.1 */
#define OPTION_END 0
#define OPTION_NOP 1
/* RFC 7323, 2 */
#define OPTION_SCALE 3
#define OPTION_SCALE_BYTES 3
#define MAX_SCALE 14
#define MAX_OPTION_BYTES 40

#define NANOS_PER_MICRO 1000
/*
 * Beyond it windows are left alone: TCP does well with a queue of 10 ms on a way that long, and
 * where round trips vary, a window for the shortest would leave the class unused.
 */
#define MAX_ROUND_TRIP_NANOS (20 * NANOS_PER_MILLI)
/* What may stand in the class's queue, which holds 10 ms. */
#define STANDING_MICROS 5000

/* What a connection's SYNs have told. */
enum handshake {
    LOCAL_SEEN = 1,
    LOCAL_SCALES = 2,
    REMOTE_SEEN = 4,
    REMOTE_SCALES = 8,
    EDGE_KNOWN = 16,
};

/* What read_scale returns beside a scale. */
#define SCALE_ABSENT -1
#define SCALE_MALFORMED -2

/*
 * The window scale among the TCP options from one offset of the frame to another. A function of its
 * own, not inlined: the verifier then looks at its loop once and not with all that comes behind it.
 */
__noinline int read_scale(struct __sk_buff *skb, __u32 at, __u32 end) {
    for (int i = 0; i < MAX_OPTION_BYTES; i++) {
        __u8 option[OPTION_SCALE_BYTES] = {};
        if (at >= end)
            break;
        if (bpf_skb_load_bytes(skb, at, option, 1))
            return SCALE_MALFORMED;
        if (option[0] == OPTION_END)
            break;
        if (option[0] == OPTION_NOP) {
            at++;
            continue;
        }
        if (bpf_skb_load_bytes(skb, at, option, 2) || option[1] < 2 || at + option[1] > end)
            return SCALE_MALFORMED;
        if (option[0] == OPTION_SCALE) {
            if (option[1] != OPTION_SCALE_BYTES ||
                bpf_skb_load_bytes(skb, at, option, OPTION_SCALE_BYTES))
                return SCALE_MALFORMED;
            return option[2] < MAX_SCALE ? option[2] : MAX_SCALE;
        }
        at += option[1];
    }
    return SCALE_ABSENT;
}

/*
 * Learns from a SYN or SYN-ACK. A SYN begins a connection anew: whatever was known of the two ports
 * before is out of date. Scales hold only if both ends have sent one (RFC 7323, 2.2).
 */
INLINE void follow_handshake(struct __sk_buff *skb, struct flow *flow, const struct packet *packet,
                             bool outward, __u64 now) {
    if (packet->protocol != IPPROTO_TCP || !(packet->tcp_flags & TCP_SYN))
        return;
    if (!(packet->tcp_flags & TCP_ACK)) {
        flow->handshake = 0;
        flow->round_trip_micros = 0;
        flow->handshake_nanos = 0;
    }
    if (outward)
        flow->handshake_nanos = now;
    __u8 seen = outward ? LOCAL_SEEN : REMOTE_SEEN;
    __u8 scales = outward ? LOCAL_SCALES : REMOTE_SCALES;
    flow->handshake &= ~(seen | scales);
    if (packet->transport_bytes < TCP_HEADER_BYTES)
        return;
    int scale = read_scale(skb, packet->transport_offset + TCP_HEADER_BYTES,
                           packet->transport_offset + packet->transport_bytes);
    if (scale == SCALE_MALFORMED)
        return;
    flow->handshake |= seen;
    if (scale == SCALE_ABSENT)
        return;
    flow->handshake |= scales;
    if (!outward)
        flow->remote_scale = scale;
}

/* From a SYN to its SYN-ACK, or from a SYN-ACK to its ACK: before the flow can fill any queue. 0
 * for what is too long, or was not seen. */
INLINE void measure_round_trip(struct flow *flow, __u64 now) {
    if (flow->round_trip_micros || !flow->handshake_nanos)
        return;
    __u64 nanos = now - flow->handshake_nanos;
    if (nanos <= MAX_ROUND_TRIP_NANOS)
        flow->round_trip_micros = nanos / NANOS_PER_MICRO + 1;
    flow->handshake_nanos = 0;
}

/* What a flow may have on its way, its own queue included, in bytes. */
INLINE __u64 allowed_bytes(const struct flow *flow, const struct group *group) {
    __u64 rate = flow->bulk ? group->bulk_window_rate : group->window_rate;
    __u64 bytes = rate * (flow->round_trip_micros + STANDING_MICROS) >> WINDOW_RATE_SHIFT;
    return bytes > group->window_floor_bytes ? bytes : group->window_floor_bytes;
}

INLINE void write_window(struct __sk_buff *skb, const struct packet *packet, __u16 window) {
    __be16 old = bpf_htons(packet->window), new = bpf_htons(window);
    /* The checksum of the whole packet, where a device has made one, stays what it was: the
     * field's change and its checksum's cancel out. */
    if (bpf_l4_csum_replace(skb, packet->transport_offset + TCP_CHECKSUM_OFFSET, old, new,
                            sizeof(new)))
        return;
    bpf_skb_store_bytes(skb, packet->transport_offset + TCP_WINDOW_OFFSET, &new, sizeof(new), 0);
}

/*
 * Lowers the window of a packet that comes in for an endpoint, if it is limited. The right edge
 * that the endpoint was told never moves left (RFC 9293, 3.8.6): a window comes down as data are
 * acknowledged. Edges are followed whether or not there is a limit, so that one can begin at any
 * time.
 */
INLINE void clamp_window(struct __sk_buff *skb, struct endpoint *endpoint,
                         const struct packet *packet, struct flow *flow, const struct group *group,
                         __u64 now) {
    if (!(packet->tcp_flags & TCP_ACK))
        return;
    measure_round_trip(flow, now);
    bool limited = group && group->window_rate;
    __u8 both = LOCAL_SEEN | REMOTE_SEEN, scaled = LOCAL_SCALES | REMOTE_SCALES;
    if ((flow->handshake & both) != both || !flow->round_trip_micros) {
        if (limited)
            ADD(endpoint->unclamped_packets, packet->segments);
        return;
    }
    __u8 scale = (flow->handshake & scaled) == scaled && !(packet->tcp_flags & TCP_SYN)
                     ? flow->remote_scale & 15
                     : 0;
    __u32 acknowledged = packet->acknowledgement;
    __u32 offered = (__u32)packet->window << scale;
    __s32 told = flow->handshake & EDGE_KNOWN ? (__s32)(flow->right_edge - acknowledged) : 0;
    if (limited) {
        __u64 allowed = allowed_bytes(flow, group);
        if (told > 0 && allowed < (__u32)told)
            allowed = told;
        if (offered > allowed) {
            __u16 window = (allowed + (1 << scale) - 1) >> scale;
            if (window != packet->window) {
                write_window(skb, packet, window);
                ADD(endpoint->clamped_packets, packet->segments);
                offered = (__u32)window << scale;
            }
        }
    }
    if (!(flow->handshake & EDGE_KNOWN) || (__s32)offered > told) {
        flow->right_edge = acknowledged + offered;
        flow->handshake |= EDGE_KNOWN;
    }
}

#endif
