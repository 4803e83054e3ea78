/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Follows watched connections, and lets SYN-ACKs wait for a controller's decision. */
#ifndef SLUICE_WATCH_H
#define SLUICE_WATCH_H

#include "window.h"

INLINE void set_state(struct shim *state, struct connection *c, const struct flow *flow, __u32 next,
                      __u64 now) {
    if (c->state == next)
        return;
    c->state = next;
    report_connection(state, flow->connection - 1, now);
}

INLINE void begin_connection(struct shim *state, struct connection *c, const struct flow *flow,
                             const struct packet *packet, __u64 now) {
    bool opened = packet->tcp_flags & TCP_SYN, known = flow->handshake & SEQUENCE_KNOWN;
    c->begun = known ? flow->first_sequence : packet->sequence;
    c->acknowledged = c->begun;
    c->uncounted = known && !opened;
    c->sent_edge = packet->sequence;
    c->delivered_bytes = 0;
    c->progress_nanos = 0;
    c->opened_nanos = now;
    c->last_nanos = now; /* before the event: by it the agent knows a connection that has ended */
    c->held_nanos = 0;
    c->round_trip_micros = 0;
    c->least_round_trip_micros = 0;
    c->segment_bytes = flow->segment_bytes;
    c->fin_sent = false;
    c->header_bytes = 0;
    c->right_edge = flow->right_edge;
    c->scaled = scale_known(flow);
    apply_expected_grant(c, now);
    ADD(c->incarnation, 1);
    c->state = 0;
    set_state(state, c, flow, opened ? CONNECTION_OPENED : CONNECTION_ESTABLISHED, now);
}

/*
 * What the endpoint sends. A connection begins with its SYN or SYN-ACK; one whose handshake was not
 * seen with the first data, so that what comes after an end does not begin another. Not inlined,
 * like the other two: the verifier checks each once. Pointers are never null; it does not know.
 */
__noinline int watch_outward(struct flow *flow, const struct flow_key *key,
                             const struct packet *packet, __u64 now) {
    struct shim *state = shim_state();
    if (!state || !flow || !key || !packet)
        return 0;
    if (packet->protocol != IPPROTO_TCP || packet->transport_bytes < TCP_HEADER_BYTES)
        return 0;
    __u8 flags = packet->tcp_flags;
    __u32 length = sequence_length(packet);
    struct connection *c = connection_of(flow, key);
    if (!c) {
        if (!length || (flags & TCP_RST))
            return 0;
        c = take_connection(state, flow, key);
        if (!c)
            return 0;
    }
    bool anew =
        (flags & TCP_SYN) && (c->state == CONNECTION_CLOSED || c->begun != packet->sequence + 1);
    if (!c->state || anew)
        begin_connection(state, c, flow, packet, now);
    c->last_nanos = now;
    if (flags & TCP_RST) {
        set_state(state, c, flow, CONNECTION_CLOSED, now);
        return 0;
    }
    if (!length)
        return 0;
    __u32 end = packet->sequence + length;
    if ((flags & TCP_FIN) && !c->fin_sent) {
        c->fin_sequence = end - 1;
        c->fin_sent = true;
    }
    if (is_after(end, c->sent_edge))
        c->sent_edge = end;
    return 0;
}

/* What a flow is not known to have is left as it was: flows are forgotten sooner than connections.
 */
INLINE void take_round_trips(struct connection *c, const struct flow *flow) {
    if (!flow->round_trip_micros)
        return;
    c->round_trip_micros = flow->round_trip_micros;
    if (!c->least_round_trip_micros || flow->least_round_trip_micros < c->least_round_trip_micros)
        c->least_round_trip_micros = flow->least_round_trip_micros;
}

/*
 * Counts in 64 bits what an acknowledgement adds. Several CPUs may have one each. The time is
 * written first and read last: nobody takes a count for older than it is.
 */
INLINE void count_delivered(struct connection *c, __u32 acknowledgement, __u64 now) {
    /* Of what was never sent: nonsense. */
    if (is_after(acknowledgement, c->sent_edge))
        return;
    if (c->fin_sent && is_after(acknowledgement, c->fin_sequence))
        acknowledgement = c->fin_sequence;
    if (c->uncounted) {
        /* What came before anybody watched can be more than half of all sequence numbers. */
        c->uncounted = false;
        c->progress_nanos = now;
        c->delivered_bytes = acknowledgement - c->begun;
        c->acknowledged = acknowledgement;
        return;
    }
    for (int i = 0; i < ACKNOWLEDGEMENT_TRIES; i++) {
        __u32 before = *(volatile __u32 *)&c->acknowledged;
        if (!is_after(acknowledgement, before))
            return;
        if (__sync_val_compare_and_swap(&c->acknowledged, before, acknowledgement) == before) {
            c->progress_nanos = now;
            ADD(c->delivered_bytes, acknowledgement - before);
            return;
        }
    }
}

/*
 * Keeps the headers of the peer's newest acknowledgement: what the agent sends in the peer's name
 * has the same content. Where two CPUs have one each, one of them is as good as the other.
 */
INLINE void keep_acknowledgement(struct __sk_buff *skb, struct connection *c,
                                 const struct packet *packet) {
    __u32 bytes = packet->transport_offset + packet->transport_bytes;
    __u32 next = packet->sequence + sequence_length(packet);
    if (c->header_bytes && (is_after(c->peer_acknowledgement, packet->acknowledgement) ||
                            is_after(c->peer_sequence, next)))
        return;
    asm volatile("" : "+r"(bytes)); /* keep the test below, by which the verifier sees the bound */
    if (bytes < ETH_HLEN || bytes > HEADER_BYTES)
        return;
    __u32 lock = *(volatile __u32 *)&c->lock;
    if ((lock & 1) || __sync_val_compare_and_swap(&c->lock, lock, lock + 1) != lock)
        return;
    c->header_bytes = bpf_skb_load_bytes(skb, 0, c->header, bytes) ? 0 : bytes;
    c->peer_acknowledgement = packet->acknowledgement;
    c->peer_sequence = next;
    asm volatile("" ::: "memory");
    *(volatile __u32 *)&c->lock = lock + 2; /* nobody else writes it meanwhile */
}

__noinline int watch_inward(struct __sk_buff *skb, struct flow *flow, struct connection *c,
                            const struct packet *packet, __u64 now) {
    struct shim *state = shim_state();
    if (!state || !flow || !c || !packet)
        return 0;
    __u8 flags = packet->tcp_flags;
    c->last_nanos = now;
    if (flags & TCP_RST) {
        set_state(state, c, flow, CONNECTION_CLOSED, now);
        return 0;
    }
    if (!(flags & TCP_ACK) || packet->transport_bytes < TCP_HEADER_BYTES)
        return 0;
    c->scaled = scale_known(flow) && !in_foreign_vlan(skb);
    c->vlan_id = customer_vlan(skb);
    c->segment_bytes = flow->segment_bytes;
    c->selective = (flow->handshake & LOCAL_SELECTIVE) && (flow->handshake & REMOTE_SELECTIVE);
    take_round_trips(c, flow);
    count_delivered(c, packet->acknowledgement, now);
    keep_acknowledgement(skb, c, packet);
    if (c->state == CONNECTION_OPENED)
        set_state(state, c, flow, CONNECTION_ESTABLISHED, now);
    if (c->fin_sent && is_after(packet->acknowledgement, c->fin_sequence))
        set_state(state, c, flow, CONNECTION_CLOSED, now);
    return 0;
}

/* A held SYN-ACK comes again within that, or not at all. */
#define HELD_NANOS (20 * NANOS_PER_MILLI)

INLINE bool answers_handshake(const struct packet *packet) {
    const __u8 both = TCP_SYN | TCP_ACK;
    return (packet->tcp_flags & both) == both;
}

/*
 * Gives a SYN-ACK to the agent, which sends it again when a controller has decided about its
 * connection, or after a while. Once for each connection: a SYN-ACK that the peer repeats passes.
 * False: it shall pass now.
 */
__noinline int hold_handshake(struct __sk_buff *skb, struct flow *flow, struct connection *c,
                              const struct packet *packet, __u64 now) {
    struct shim *state = shim_state();
    if (!state || !flow || !c || !packet)
        return false;
    if (now >= state->hold_until_nanos || c->answered || c->state != CONNECTION_OPENED ||
        in_foreign_vlan(skb))
        return false;
    if (c->held_nanos)
        return now - c->held_nanos < HELD_NANOS; /* the agent has its like */
    __u32 bytes = skb->len;
    if (bytes < ETH_HLEN || bytes > HELD_BYTES)
        return false;
    struct handshake_event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
    if (!event) {
        ADD(state->lost_events, 1);
        return false;
    }
    asm volatile("" : "+r"(bytes));
    if (bytes < ETH_HLEN || bytes > HELD_BYTES || bpf_skb_load_bytes(skb, 0, event->frame, bytes)) {
        bpf_ringbuf_discard(event, 0);
        return false;
    }
    event->head.nanos = now;
    event->head.kind = EVENT_HANDSHAKE;
    event->head.bytes = bytes;
    event->slot = flow->connection - 1;
    event->incarnation = c->incarnation;
    event->ifindex = skb->ifindex;
    event->vlan_id = customer_vlan(skb);
    event->reserved = 0;
    c->held_nanos = now;
    ADD(state->held_handshakes, 1);
    bpf_ringbuf_submit(event, wakeup(state, true));
    return true;
}

#endif
