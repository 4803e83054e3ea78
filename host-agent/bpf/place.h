/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Places in a queue for what it has dropped. What is sent again is older than all that comes with
 * it, and a sender that loses it once more waits for its timer: so while segments are missing what
 * comes for the first time leaves them room.
 */
#ifndef SLUICE_PLACE_H
#define SLUICE_PLACE_H

#include "stamp.h"

#define MAX_MISSING 4096 /* those dropped first give way */
#define KEPT_PART 4      /* one in so many places is kept at most */

struct missing_segment {
    struct stamped_flow flow;
    __u32 sequence;
};

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, MAX_MISSING);
    __type(key, struct missing_segment);
    __type(value, __u8);
} missing SEC(".maps");

INLINE void missing_segment_of(struct missing_segment *segment, const struct packet *packet) {
    stamped_flow_of(&segment->flow, packet);
    segment->sequence = packet->sequence;
}

/* What takes up sequence numbers; a pure acknowledgement is not sent again. */
INLINE bool is_sent_again(const struct packet *packet) {
    __u32 headers = packet->transport_offset - ETH_HLEN + packet->transport_bytes;
    return packet->network_bytes > headers || packet->tcp_flags & (TCP_SYN | TCP_FIN);
}

/* A segment is dropped; count: of those that are missing. */
INLINE void miss_segment(const struct packet *packet, __s32 *count) {
    if (!is_sent_again(packet))
        return;
    struct missing_segment segment = {};
    missing_segment_of(&segment, packet);
    __u8 once = 1;
    if (!bpf_map_update_elem(&missing, &segment, &once, BPF_NOEXIST))
        ADD(*count, 1);
}

/* Whether a segment comes again that was dropped; enters: it will be missing no more. */
INLINE bool comes_again(const struct packet *packet, __s32 *count, bool enters) {
    struct missing_segment segment = {};
    missing_segment_of(&segment, packet);
    if (!bpf_map_lookup_elem(&missing, &segment))
        return false;
    if (enters && !bpf_map_delete_elem(&missing, &segment))
        ADD(*count, -1);
    return true;
}

/* How many of a buffer's places are kept for so many. */
INLINE __u32 places_kept(__s32 count, __u32 buffer) {
    __u32 most = buffer / KEPT_PART;
    return count <= 0 ? 0 : count < most ? count : most;
}

#endif
