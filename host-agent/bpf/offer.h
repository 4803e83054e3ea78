/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Receiver windows: what an endpoint offers to connections that begin, or go on after a pause, is
 * lowered so that all of these together hold the bandwidth-delay product and K, their first windows
 * included. So many senders do not overflow the port before one receiver. Nobody else has a part in
 * it. A connection that has sent for a while is the law's to limit: windows that divide a port by
 * connections would take shares from tenants with few. The simulator has the same
 * (ReceiverWindows).
 */
#ifndef SLUICE_OFFER_H
#define SLUICE_OFFER_H

#include "watch.h"

#define BEGUN_SEGMENTS 255    /* who has sent so many without a pause has begun */
#define QUICK_SEGMENTS 16     /* so many first ones are acknowledged at once; others in twos */
#define FEW_SEGMENTS 5        /* where K has so many for each connection, there are few */
#define RECEIVING_SHIFT 22    /* connections are counted in epochs of 2^22 ns, 4.2 ms */
#define PAUSE_EPOCHS 64       /* 0.27 s; after less a sender goes on with the window it had */
#define NEVER_COUNTED 0x8000u /* behind the epoch: neither this one nor the one before */
#define MOST_GAIN_SHIFT 4
#define USUAL_SHIFT 4 /* a sixteenth of a longer round trip counts */
#define LONGEST_DRAIN_NANOS NANOS_PER_SECOND

INLINE __u16 receiving_epoch(__u64 now) { return now >> RECEIVING_SHIFT; }

/* What the uplink carries in so many times 1024 ns. */
INLINE __u64 carried_bytes(const struct shim *state, __u64 nanos) {
    if (nanos > LONGEST_DRAIN_NANOS)
        nanos = LONGEST_DRAIN_NANOS;
    return state->offer_rate * (nanos >> 10) >> WINDOW_RATE_SHIFT;
}

/* Begins an epoch. Two CPUs may both: the counts are off for one. */
INLINE void turn_receiving(const struct shim *state, struct endpoint *endpoint, __u64 now) {
    __u64 epoch = now >> RECEIVING_SHIFT;
    if (endpoint->receiving_epoch == epoch)
        return;
    bool follows = endpoint->receiving_epoch + 1 == epoch;
    __u32 shift = endpoint->gain_shift;
    __u64 full = carried_bytes(state, 1 << RECEIVING_SHIFT) * 3 / 4;
    if (!follows || !endpoint->receiving || !endpoint->receiving_before)
        shift = 0;
    else if (endpoint->received_bytes - endpoint->epoch_bytes >= full)
        shift -= shift > 0;
    else
        shift += shift < MOST_GAIN_SHIFT;
    endpoint->gain_shift = shift;
    endpoint->receiving_before = follows ? endpoint->receiving : 0;
    endpoint->receiving = 0;
    endpoint->epoch_bytes = endpoint->received_bytes;
    endpoint->receiving_epoch = epoch;
}

INLINE void count_receiving(struct endpoint *endpoint, struct flow *flow, __u16 epoch) {
    if (flow->counted_epoch == epoch)
        return;
    flow->counted_epoch = epoch;
    if (flow->arrived_segments < BEGUN_SEGMENTS)
        ADD(endpoint->receiving, 1);
}

INLINE void end_receiving(struct endpoint *endpoint, struct flow *flow, __u16 epoch) {
    __u16 age = epoch - flow->counted_epoch;
    __u32 *count = age ? &endpoint->receiving_before : &endpoint->receiving;
    if (age <= 1 && *count && flow->arrived_segments < BEGUN_SEGMENTS)
        ADD(*count, -1);
    flow->counted_epoch = epoch - NEVER_COUNTED;
}

/* One that ends with a mark has queues in it: then the usual one is taken. */
INLINE void take_round_trip(struct endpoint *endpoint, struct flow *flow, bool marked) {
    __u32 micros = flow->first_round_trip_micros, usual = endpoint->usual_round_trip_micros;
    if (marked && usual) {
        flow->offer_micros = micros < usual ? micros : usual;
        return;
    }
    flow->offer_micros = micros;
    bool less = !usual || micros < usual;
    endpoint->usual_round_trip_micros = less ? micros : usual + ((micros - usual) >> USUAL_SHIFT);
}

/* What has come, or was allowed to, beyond what the uplink carries in the time. */
INLINE void drain_promised(const struct shim *state, struct endpoint *endpoint, __u64 now) {
    __u64 arrived = endpoint->received_bytes - endpoint->drained_bytes;
    __u64 kept = arrived < endpoint->promised_bytes ? arrived : endpoint->promised_bytes;
    __u64 backlog = endpoint->backlog_bytes + arrived - kept;
    __u64 carried = carried_bytes(state, now - endpoint->drained_nanos);
    backlog = backlog > carried ? backlog - carried : 0;
    endpoint->promised_bytes = backlog ? endpoint->promised_bytes - kept : 0;
    endpoint->backlog_bytes = backlog;
    endpoint->drained_bytes = endpoint->received_bytes;
    endpoint->drained_nanos = now;
}

/* A packet from the network. */
INLINE void follow_arrival(const struct shim *state, struct endpoint *endpoint, struct flow *flow,
                           const struct packet *packet, __u64 now) {
    turn_receiving(state, endpoint, now);
    __u16 epoch = receiving_epoch(now);
    bool marked = packet->ecn == CE;
    if (marked) {
        flow->marked_epoch = epoch;
        drain_promised(state, endpoint, now);
        if (endpoint->backlog_bytes < state->offer_threshold_bytes)
            endpoint->backlog_bytes = state->offer_threshold_bytes; /* so much stands somewhere */
    }
    if (!flow->offer_micros && flow->first_round_trip_micros)
        take_round_trip(endpoint, flow, marked);
    bool begins = packet->tcp_flags & TCP_SYN;
    __u32 bytes = begins ? 0 : payload_bytes(packet), segments = flow->arrived_segments;
    if (bytes) {
        if (segments > QUICK_SEGMENTS && (__u16)(epoch - flow->counted_epoch) > PAUSE_EPOCHS)
            segments = QUICK_SEGMENTS;
        segments += packet->segments;
        flow->arrived_segments = segments < BEGUN_SEGMENTS ? segments : BEGUN_SEGMENTS;
    }
    if (begins || (bytes && 2 * bytes >= flow->segment_bytes))
        count_receiving(endpoint, flow, epoch);
    if (packet->tcp_flags & (TCP_FIN | TCP_RST))
        end_receiving(endpoint, flow, epoch);
}

/* What may come of connections that begin sums to K, and to what the uplink carries in the time. */
INLINE __u32 first_window(const struct shim *state, struct endpoint *endpoint, __u32 segment,
                          __u64 now) {
    drain_promised(state, endpoint, now);
    __u64 backlog = endpoint->backlog_bytes, threshold = state->offer_threshold_bytes;
    __u64 window = threshold > backlog ? threshold - backlog : 0;
    if (window > FIRST_WINDOW_SEGMENTS * segment)
        window = FIRST_WINDOW_SEGMENTS * segment;
    if (window < segment)
        window = segment;
    endpoint->backlog_bytes += window;
    endpoint->promised_bytes += window;
    return window;
}

INLINE __u64 offered_bytes(const struct shim *state, struct endpoint *endpoint,
                           const struct flow *flow, __u64 now) {
    __u32 segment = flow->segment_bytes ? flow->segment_bytes : USUAL_SEGMENT_BYTES;
    __u32 segments = flow->arrived_segments, micros = flow->offer_micros;
    if (!segments)
        return flow->offered ? 0 : first_window(state, endpoint, segment, now);
    if (segments == BEGUN_SEGMENTS || !micros || micros > MAX_ROUND_TRIP_MICROS)
        return NO_GRANT;
    __u32 before = endpoint->receiving_before, n = endpoint->receiving;
    n = n > before ? n : before;
    n = n ? n : 1;
    __u64 threshold = state->offer_threshold_bytes;
    __u64 together = threshold + (state->offer_rate * micros >> WINDOW_RATE_SHIFT);
    if ((__u16)(receiving_epoch(now) - flow->marked_epoch) > 1)
        together <<= endpoint->gain_shift & 7;
    /* What it could have by now in slow start: no more will be out there if others begin. */
    if (together >= n * FIRST_WINDOW_SEGMENTS * segment && threshold >= n * FEW_SEGMENTS * segment)
        return (FIRST_WINDOW_SEGMENTS + segments) * segment;
    __u32 least = segments < QUICK_SEGMENTS ? segment : LEAST_WINDOW_SEGMENTS * segment;
    __u64 each = together / n;
    return each > least ? each : least;
}

/*
 * An acknowledgement leaves the endpoint. The right edge that the peer has been offered never moves
 * left (RFC 9293, 3.8.6); it is followed whether or not there are limits, so that they can begin at
 * any time. While controllers have connections watched their grants are all there is.
 */
INLINE void lower_offer(struct __sk_buff *skb, const struct shim *state, struct endpoint *endpoint,
                        struct flow *flow, const struct packet *packet, bool enforced, __u64 now) {
    if (!(packet->tcp_flags & TCP_ACK) || !scale_known(flow))
        return;
    __u8 scale = is_scaled(flow, packet) ? flow->local_scale & OPTIONS_SCALE_MASK : 0;
    __u32 offered = (__u32)packet->window << scale;
    __s32 held = flow->offered ? (__s32)(flow->offered_edge - packet->acknowledgement) : 0;
    __u64 allowed = NO_GRANT;
    if (enforced && state->offer_rate && !state->watching) {
        turn_receiving(state, endpoint, now);
        allowed = offered_bytes(state, endpoint, flow, now);
    }
    if (held > 0 && allowed < (__u32)held)
        allowed = held;
    if (offered > allowed) {
        __u16 window = (allowed + (1 << scale) - 1) >> scale;
        if (window != packet->window) {
            write_window(skb, packet, window);
            ADD(endpoint->lowered_offers, packet->segments);
            offered = (__u32)window << scale;
        }
    }
    if (!flow->offered || (__s32)offered > held)
        flow->offered_edge = packet->acknowledgement + offered;
    flow->offered = true;
}

#endif
