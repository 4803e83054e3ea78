/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Levels: switches serve short flows first where packets tell them by DSCP how much their flow has
 * sent. A flow begins at the first level and goes down as it sends, so that nobody has to know its
 * size. What leaves by other levels than the last is held to a bucket of its group's, so that
 * whoever opens flows without end gains no more than that.
 */
#ifndef SLUICE_LEVEL_H
#define SLUICE_LEVEL_H

#include "ecn.h"
#include "state.h"

#define BEYOND_THRESHOLDS (1ULL << 62)

/*
 * The level that a packet leaves by. What is of no flow, of one that is not followed (flow: 0),
 * leaves by the last. A flow that finds no tokens stays there until it is idle: a packet before
 * its last ones would overtake them in a switch.
 */
INLINE __u32 choose_level(const struct levels *levels, struct endpoint *endpoint, struct flow *flow,
                          struct group *group, const struct packet *packet, __u64 now) {
    __u32 last = levels->count - 1, level = 0;
    if (!flow)
        return last;
    /* Signed: another CPU's packet may be later than this one. */
    if ((__s64)(now - flow->last_nanos) > (__s64)levels->idle_nanos)
        flow->levelled_bytes = 0;
    __u64 before = flow->levelled_bytes;
    flow->levelled_bytes = before + packet->bytes;
    for (int i = 0; i < MAX_LEVELS - 1; i++)
        level += before >= levels->threshold_bytes[i];
    if (level >= last)
        return last;
    if (take_tokens(&group->priority, packet->bytes, now))
        return level;
    flow->levelled_bytes = BEYOND_THRESHOLDS;
    ADD(endpoint->demoted_flows, 1);
    return last;
}

/* Outward: whatever DSCP the VM has set is replaced. */
INLINE void declare_level(struct __sk_buff *skb, const struct levels *levels,
                          struct endpoint *endpoint, struct packet *packet, __u32 level, __u8 ecn) {
    __u32 at = level & (MAX_LEVELS - 1);
    __u8 own = dscp_of(skb, packet), dscp = levels->dscps[at];
    ADD(endpoint->level_bytes[at], packet->bytes);
    if (own)
        ADD(endpoint->own_dscps, packet->segments);
    if (own == dscp)
        write_ecn(skb, packet, ecn);
    else
        write_dscp_and_ecn(skb, packet, dscp, ecn);
}

/* Towards a VM: what DSCP its peer had set is not known, so it gets the default one. */
INLINE void hide_level(struct __sk_buff *skb, const struct levels *levels, struct packet *packet,
                       __u8 ecn) {
    if (levels->hidden_dscps >> dscp_of(skb, packet) & 1)
        write_dscp_and_ecn(skb, packet, 0, ecn);
    else
        write_ecn(skb, packet, ecn);
}

#endif
