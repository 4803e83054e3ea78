/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Levels: switches serve short flows first where packets carry by DSCP how much their flow has
 * sent. A flow begins at the first level and goes down as it sends, so that its size need not be
 * known beforehand. What leaves by other levels than the last is held to a bucket of its group's,
 * so that opening flows without end gains no more than that.
 */
#ifndef SLUICE_LEVEL_H
#define SLUICE_LEVEL_H

#include "ecn.h"
#include "size.h"

/*
 * The level that a packet leaves by. What is of no flow, of one that is not followed (flow: 0),
 * leaves by the last. Until it is idle a flow never goes up, not where it finds tokens again nor
 * where thresholds have risen: a packet before its last ones would overtake them in a switch.
 */
INLINE __u32 choose_level(struct shim *state, struct endpoint *endpoint, struct flow *flow,
                          const struct flow_key *key, struct group *group,
                          const struct packet *packet, __u64 now) {
    const struct levels *levels = &state->levels;
    __u32 last = levels->count - 1, passed = 0;
    if (!flow)
        return last;
    __u64 levelled = flow->levelled;
    /* Signed: another CPU's packet may be later than this one. */
    if ((__s64)(now - flow->last_nanos) > (__s64)levels->idle_nanos) {
        if (levels->sizes_epoch)
            end_silent(key, levelled, levels->sizes_epoch);
        levelled = 0;
    }
    __u64 before = levelled & LEVELLED_BYTES;
    for (int i = 0; i < MAX_LEVELS - 1; i++)
        passed += before >= levels->threshold_bytes[i];
    __u32 level = levelled >> LEVEL_SHIFT;
    if (passed > level)
        level = passed;
    if (level >= last) {
        level = last;
    } else if (!take_tokens(&group->priority, packet->bytes, now)) {
        level = last;
        ADD(endpoint->demoted_flows, 1);
    }
    flow->levelled = (levelled & (ANNOUNCED_MASK | ENDED)) | (__u64)level << LEVEL_SHIFT |
                     (before + packet->bytes);
    if (levels->sizes_epoch && (packet->tcp_flags & (TCP_FIN | TCP_RST) ||
                                (passed >= last && !is_announced(levelled, levels->sizes_epoch))))
        follow_size(flow, key, packet, passed >= last, now);
    return level;
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
