/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Per transport flow: is it sparse or bulk, and did its two ends agree on ECN. */
#ifndef SLUICE_FLOW_H
#define SLUICE_FLOW_H

#include "state.h"
#include "timing.h"

#define SPARSE_WINDOW_NANOS (100 * NANOS_PER_MILLI)
#define HANDSHAKE_BYTES 200 /* a SYN and an acknowledgement are less; with data they are more */

enum negotiation {
    ECN_NONE = 0,
    ECN_OFFERED = 1, /* by the SYN */
    ECN_AGREED = 2,  /* by the SYN-ACK */
    ECN_OFFERED_ACCURATE = 3,
};

INLINE void outward_flow(struct flow_key *key, const struct packet *packet, __u32 endpoint) {
    key->local = packet->source;
    key->remote = packet->destination;
    key->local_port = packet->source_port;
    key->remote_port = packet->destination_port;
    key->endpoint = endpoint;
    key->protocol = packet->protocol;
    key->reserved = 0;
}

/* What belongs to no pair is one flow per kind, so that it cannot fill the table. */
INLINE void residual_flow(struct flow_key *key, const struct packet *packet, __u32 endpoint) {
    key->local_port = packet->ethertype;
    key->endpoint = endpoint;
    key->protocol = packet->protocol;
}

INLINE void inward_flow(struct flow_key *key, const struct packet *packet, __u32 endpoint) {
    key->local = packet->destination;
    key->remote = packet->source;
    key->local_port = packet->destination_port;
    key->remote_port = packet->source_port;
    key->endpoint = endpoint;
    key->protocol = packet->protocol;
    key->reserved = 0;
}

INLINE struct flow *find_flow(const struct flow_key *key) {
    __u32 endpoint = key->endpoint;
    void *flows = bpf_map_lookup_elem(&flow_tables, &endpoint);
    return flows ? bpf_map_lookup_elem(flows, key) : 0;
}

INLINE struct flow *find_or_add_flow(const struct flow_key *key) {
    __u32 endpoint = key->endpoint;
    void *flows = bpf_map_lookup_elem(&flow_tables, &endpoint);
    if (!flows)
        return 0;
    struct flow *flow = bpf_map_lookup_elem(flows, key);
    if (flow)
        return flow;
    static const struct flow fresh; /* on the stack it would take a fifth of what there is */
    bpf_map_update_elem(flows, key, &fresh, BPF_NOEXIST);
    return bpf_map_lookup_elem(flows, key);
}

/*
 * RFC 3168, 6.1.1: a SYN with ECE and CWR offers, a SYN-ACK with ECE alone agrees. RFC 9768, table
 * 2: with AE too it offers accurate feedback, and any of the three agrees, to that or to less; none
 * refuses, and all of them come from who only repeats what it gets.
 */
INLINE void follow_negotiation(struct flow *flow, const struct packet *packet) {
    __u8 flags = packet->tcp_flags, both = TCP_ECE | TCP_CWR, has = flags & both;
    if (packet->protocol != IPPROTO_TCP || !(flags & TCP_SYN))
        return;
    if (!(flags & TCP_ACK)) {
        __u32 offered = packet->accurate_ecn ? ECN_OFFERED_ACCURATE : ECN_OFFERED;
        flow->ecn = has == both ? offered : ECN_NONE;
        return;
    }
    bool agreed = has == TCP_ECE;
    if (flow->ecn == ECN_OFFERED_ACCURATE)
        agreed = packet->accurate_ecn ? has != both : has != 0;
    if (flow->ecn == ECN_OFFERED || flow->ecn == ECN_OFFERED_ACCURATE)
        flow->ecn = agreed ? ECN_AGREED : ECN_NONE;
}

/* Bytes of the last window: the current one, and the part of the one before that it still covers.
 */
INLINE __u32 recent_bytes(struct flow *flow, __u32 bytes, __u64 now) {
    __u64 age = now - flow->window_started_nanos;
    if (age >= 2 * SPARSE_WINDOW_NANOS) {
        flow->window_started_nanos = now;
        flow->window_bytes = 0;
        flow->previous_bytes = 0;
        age = 0;
    } else if (age >= SPARSE_WINDOW_NANOS) {
        flow->window_started_nanos += SPARSE_WINDOW_NANOS;
        flow->previous_bytes = flow->window_bytes;
        flow->window_bytes = 0;
        age -= SPARSE_WINDOW_NANOS;
    }
    flow->window_bytes += bytes;
    __u64 left = SPARSE_WINDOW_NANOS - age;
    return flow->window_bytes + flow->previous_bytes * left / SPARSE_WINDOW_NANOS;
}

/*
 * All sparse flows of a group together get a quarter of its limit. What exceeds it is bulk, rather
 * than waiting in the sparse leaf, so that a VM with only slow flows still gets its whole limit.
 * Two CPUs may race for tokens and grant a packet too many: harmless, the group's limit holds.
 * Tokens are lent to flows that have begun in the sparse leaf; others begin there once that is paid
 * back.
 */
INLINE bool take_sparse_tokens(struct group *group, __u32 bytes, bool begun, __u64 now) {
    __u64 elapsed = now - group->sparse_refilled_nanos;
    __s64 tokens = group->sparse_tokens_bytes, depth = group->sparse_depth_bytes;
    if (elapsed > NANOS_PER_SECOND)
        elapsed = NANOS_PER_SECOND;
    __u64 fresh = elapsed * group->sparse_bytes_per_second / NANOS_PER_SECOND;
    if (fresh) {
        tokens += fresh;
        if (tokens > depth)
            tokens = depth;
        group->sparse_refilled_nanos = now;
    }
    __s64 lent = begun ? group->sparse_lent_bytes : 0;
    bool enough = tokens + lent >= bytes;
    group->sparse_tokens_bytes = enough ? tokens - bytes : tokens;
    return enough;
}

/* 134 ms: about the window in which a flow is distinguished from sparse ones. */
#define BULK_EPOCH_SHIFT 27

/* Counts a group's bulk flows. Two CPUs may race at an epoch's turn: the count is off for one. */
INLINE void count_bulk(struct flow *flow, struct group *group, __u64 now) {
    __u32 epoch = now >> BULK_EPOCH_SHIFT;
    if (flow->bulk_epoch == epoch)
        return;
    flow->bulk_epoch = epoch;
    if (group->bulk_epoch != epoch) {
        group->bulk_flows_before = group->bulk_epoch + 1 == epoch ? group->bulk_flows : 0;
        group->bulk_flows = 0;
        group->bulk_epoch = epoch;
    }
    ADD(group->bulk_flows, 1);
}

/* What the flow has sent has left its leaf: no packet by another one overtakes it. */
INLINE bool has_paused(const struct flow *flow, const struct group *group, __u64 now) {
    /* Signed: another CPU's packet may be later than this one. */
    return (__s64)(now - flow->last_nanos) > (__s64)group->leaf_nanos;
}

/*
 * A flow that turns bulk stays in the sparse leaf until it pauses, or it would overtake by the bulk
 * leaf what it has sent. Where it does not pause it stays for as long as packets may stand in a
 * leaf, and on lent tokens.
 */
INLINE bool stays_sparse(struct flow *flow, struct group *group, __u32 bytes, __u64 now) {
    if (!flow->turned_nanos)
        flow->turned_nanos = now;
    return group->sparse_lent_bytes &&
           (__s64)(now - flow->turned_nanos) < (__s64)group->leaf_nanos &&
           take_sparse_tokens(group, bytes, true, now);
}

/*
 * Acknowledgements without data make no flow bulk, however many: behind bulk they would hold back
 * what comes the other way. Of tokens they cost what they are.
 */
INLINE __u32 bulk_bytes(const struct packet *packet) {
    bool acknowledges = packet->protocol == IPPROTO_TCP && packet->transport_bytes &&
                        !(packet->tcp_flags & TCP_SYN) && !payload_bytes(packet);
    return acknowledges ? 0 : packet->bytes;
}

INLINE bool is_sparse(struct flow *flow, struct group *group, const struct packet *packet,
                      __u64 now) {
    __u32 bytes = packet->bytes, counted = bulk_bytes(packet);
    __u32 recent = recent_bytes(flow, counted, now);
    bool few = recent <= group->sparse_flow_bytes;
    bool paused = has_paused(flow, group, now);
    /* Nothing overtakes what has been answered: a connection begins with its data. */
    bool begun = !paused && (packet->protocol != IPPROTO_TCP || recent - counted > HANDSHAKE_BYTES);
    flow->last_nanos = now;
    if (flow->bulk && !(paused && few))
        return false;
    if (few || !begun)
        flow->turned_nanos = 0;
    bool sparse = few ? take_sparse_tokens(group, bytes, begun, now)
                      : begun && stays_sparse(flow, group, bytes, now);
    flow->bulk = !sparse;
    return sparse;
}

#endif
