/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* How long the round trips of a TCP flow take: one segment at a time is timed, SYNs included. */
#ifndef SLUICE_TIMING_H
#define SLUICE_TIMING_H

#include "state.h"

#define NANOS_PER_MICRO 1000
#define TCP_HEADER_BYTES 20

INLINE bool is_after(__u32 a, __u32 b) { return (__s32)(a - b) > 0; }

/* By the datagram's own length: devices pad short frames. */
INLINE __u32 payload_bytes(const struct packet *packet) {
    __u32 end = ETH_HLEN + packet->network_bytes;
    __u32 begin = packet->transport_offset + packet->transport_bytes;
    return end > begin ? end - begin : 0;
}

/* How many sequence numbers a segment takes. */
INLINE __u32 sequence_length(const struct packet *packet) {
    return payload_bytes(packet) + !!(packet->tcp_flags & TCP_SYN) +
           !!(packet->tcp_flags & TCP_FIN);
}

/* A connection begins anew, with its SYN. */
INLINE void forget_round_trips(struct flow *flow) {
    flow->timed_nanos = 0;
    flow->round_trip_micros = 0;
    flow->first_round_trip_micros = 0;
    flow->least_round_trip_micros = 0;
    flow->sent = false;
}

/*
 * What the endpoint sends; true: it is sent again. Of that nobody knows which one an
 * acknowledgement is for.
 */
INLINE bool time_segment(struct flow *flow, const struct packet *packet, __u64 now) {
    if (packet->protocol != IPPROTO_TCP || packet->transport_bytes < TCP_HEADER_BYTES)
        return false;
    __u32 length = sequence_length(packet);
    if (!length)
        return false;
    __u32 edge = packet->sequence + length;
    bool again = flow->sent && is_after(flow->sent_edge, packet->sequence);
    if (again) {
        flow->timed_nanos = 0;
    } else if (!flow->timed_nanos) {
        flow->timed_edge = edge;
        flow->timed_nanos = now;
    }
    if (!flow->sent || is_after(edge, flow->sent_edge))
        flow->sent_edge = edge;
    flow->sent = true;
    return again;
}

/* An acknowledgement from the peer. */
INLINE void measure_round_trip(struct flow *flow, const struct packet *packet, __u64 now) {
    if (!(packet->tcp_flags & TCP_ACK) || !flow->timed_nanos ||
        is_after(flow->timed_edge, packet->acknowledgement))
        return;
    __u32 micros = (now - flow->timed_nanos) / NANOS_PER_MICRO + 1;
    flow->timed_nanos = 0;
    flow->round_trip_micros = micros;
    if (!flow->first_round_trip_micros)
        flow->first_round_trip_micros = micros;
    if (!flow->least_round_trip_micros || micros < flow->least_round_trip_micros)
        flow->least_round_trip_micros = micros;
}

#endif
