/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * How much flows send, for controllers that fit thresholds to it. The agent receives each flow
 * that becomes large, once, and polls it from then on. All others are counted here when they
 * end: by a FIN or a RST, or when they begin anew.
 */
#ifndef SLUICE_SIZE_H
#define SLUICE_SIZE_H

#include "state.h"

/* What flow.levelled has, from the lowest bit on. */
#define LEVELLED_BYTES ((1ULL << 56) - 1)
#define ANNOUNCED_SHIFT 56 /* the epoch in which it was announced to the agent */
#define ANNOUNCED_MASK (15ULL << ANNOUNCED_SHIFT)
#define ENDED (1ULL << 60)
#define LEVEL_SHIFT 62

INLINE __u32 ended_bin(__u64 bytes) {
    if (bytes < 1 << SIZE_BITS)
        return bytes;
    __u32 exponent = 0;
    __u64 left = bytes;
    for (int bits = 32; bits; bits /= 2) {
        if (left >> bits) {
            left >>= bits;
            exponent += bits;
        }
    }
    __u32 within = bytes >> (exponent - SIZE_BITS) & ((1 << SIZE_BITS) - 1);
    return ((exponent - SIZE_BITS + 1) << SIZE_BITS) + within;
}

INLINE void count_ended(__u64 bytes) {
    __u32 zero = 0, bin = ended_bin(bytes);
    struct flow_sizes *ended = bpf_map_lookup_elem(&ended_flows, &zero);
    if (!ended)
        return;
    if (bin >= SIZES)
        bin = SIZES - 1;
    ended->counts[bin]++; /* this CPU's */
}

INLINE bool is_announced(__u64 levelled, __u64 epoch) {
    return (levelled & ANNOUNCED_MASK) == epoch << ANNOUNCED_SHIFT;
}

INLINE bool has_size(const struct flow_key *key) {
    return key->protocol == IPPROTO_TCP || key->protocol == IPPROTO_UDP;
}

/*
 * A flow that was idle begins anew. Those that the agent polls it counts itself. Not inlined,
 * like the other one: few packets need it. Pointers are never null; the verifier does not know.
 */
__noinline int end_silent(const struct flow_key *key, __u64 levelled, __u64 epoch) {
    if (key && has_size(key) && levelled & LEVELLED_BYTES && !(levelled & ENDED) &&
        !is_announced(levelled, epoch))
        count_ended(levelled & LEVELLED_BYTES);
    return 0;
}

/*
 * Each endpoint may have so many in a second: the ring is for all, and for agents' messages. What
 * finds no room is announced with a later packet.
 */
INLINE void report_large(struct shim *state, struct flow *flow, const struct flow_key *key,
                         __u64 now) {
    __u32 index = key->endpoint;
    struct endpoint *endpoint = bpf_map_lookup_elem(&endpoints, &index);
    if (!endpoint || !take_tokens(&endpoint->announcements, 1, now))
        return;
    struct large_flow_event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
    if (!event) {
        ADD(state->lost_events, 1);
        return;
    }
    event->head.nanos = now;
    event->head.kind = EVENT_LARGE_FLOW;
    event->head.bytes = sizeof(event->flow);
    event->flow = *key;
    /* First: the agent polls at once. */
    flow->levelled = (flow->levelled & ~ANNOUNCED_MASK) | state->levels.sizes_epoch
                                                              << ANNOUNCED_SHIFT;
    bpf_ringbuf_submit(event, wakeup(state, false));
}

/* Its end, in either direction; a connection that takes its place before it was silent goes on as
 * the same flow.
 */
INLINE void end_flow(struct flow *flow, __u64 epoch) {
    __u64 levelled = flow->levelled;
    if (levelled & ENDED || !(levelled & LEVELLED_BYTES))
        return;
    if (!is_announced(levelled, epoch))
        count_ended(levelled & LEVELLED_BYTES);
    flow->levelled = levelled | ENDED;
}

/* After a packet was counted; large: the flow has passed all thresholds. */
__noinline int follow_size(struct flow *flow, const struct flow_key *key,
                           const struct packet *packet, bool large, __u64 now) {
    struct shim *state = shim_state();
    if (!state || !flow || !key || !packet || !has_size(key))
        return 0;
    __u64 epoch = state->levels.sizes_epoch;
    if (large && !(flow->levelled & ENDED) && !is_announced(flow->levelled, epoch))
        report_large(state, flow, key, now);
    if (packet->tcp_flags & (TCP_FIN | TCP_RST))
        end_flow(flow, epoch);
    return 0;
}

#endif
