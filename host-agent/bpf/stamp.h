/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Timestamps of flows that have lost segments. What is sent again for a sender is older than what
 * its receiver may have had since, which takes it for an old duplicate then and drops it (PAWS,
 * RFC 7323, 5): it is given the latest timestamp that its flow has sent.
 */
#ifndef SLUICE_STAMP_H
#define SLUICE_STAMP_H

#include <linux/types.h>

#include "option.h"
#include "packet.h"

#define MAX_STAMPED_FLOWS 4096 /* those that have lost nothing for the longest time give way */
#define TCP_CHECKSUM_OFFSET 16

struct stamped_flow {
    struct address source;
    struct address destination;
    __u16 source_port;
    __u16 destination_port;
};

/* The latest timestamp of each, as its sender counts. */
struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, MAX_STAMPED_FLOWS);
    __type(key, struct stamped_flow);
    __type(value, __u32);
} stamps SEC(".maps");

INLINE void stamped_flow_of(struct stamped_flow *flow, const struct packet *packet) {
    flow->source = packet->source;
    flow->destination = packet->destination;
    flow->source_port = packet->source_port;
    flow->destination_port = packet->destination_port;
}

/*
 * Where in the frame the sender's clock is, among options from one offset to another; 0: nowhere.
 * A function of its own, so that the verifier checks its loop once.
 */
__noinline int find_clock(struct __sk_buff *skb, __u32 at, __u32 end) {
    for (int i = 0; i < MAX_OPTION_BYTES; i++) {
        __u8 option[2] = {};
        if (at >= end || bpf_skb_load_bytes(skb, at, option, 1) || option[0] == OPTION_END)
            return 0;
        if (option[0] == OPTION_NOP) {
            at++;
            continue;
        }
        if (bpf_skb_load_bytes(skb, at, option, 2) || option[1] < 2 || at + option[1] > end)
            return 0;
        if (option[0] == OPTION_TIMESTAMP)
            return option[1] == OPTION_TIMESTAMP_BYTES ? at + 2 : 0;
        at += option[1];
    }
    return 0;
}

INLINE __u32 clock_offset(struct __sk_buff *skb, const struct packet *packet) {
    return find_clock(skb, packet->transport_offset + TCP_HEADER_BYTES,
                      packet->transport_offset + packet->transport_bytes);
}

/* A flow has lost a segment: its timestamps are followed from now on. */
INLINE void follow_stamps(struct __sk_buff *skb, const struct packet *packet) {
    __be32 clock;
    __u32 at = clock_offset(skb, packet);
    if (!at || bpf_skb_load_bytes(skb, at, &clock, sizeof(clock)))
        return;
    struct stamped_flow flow = {};
    stamped_flow_of(&flow, packet);
    __u32 stamp = bpf_ntohl(clock);
    bpf_map_update_elem(&stamps, &flow, &stamp, BPF_NOEXIST); /* else it is followed already */
}

/* Gives a segment its flow's latest timestamp, unless its own is later. */
INLINE void renew_stamp(struct __sk_buff *skb, const struct packet *packet) {
    struct stamped_flow flow = {};
    stamped_flow_of(&flow, packet);
    __u32 *latest = bpf_map_lookup_elem(&stamps, &flow);
    if (!latest)
        return;
    __be32 clock;
    __u32 at = clock_offset(skb, packet);
    if (!at || bpf_skb_load_bytes(skb, at, &clock, sizeof(clock)))
        return;
    __u32 stamp = bpf_ntohl(clock);
    if ((__s32)(stamp - *latest) >= 0) {
        *latest = stamp;
        return;
    }
    __be32 renewed = bpf_htonl(*latest);
    __be32 from = clock, to = renewed;
    if ((at - packet->transport_offset) & 1) { /* the checksum's words begin at even offsets */
        from = from << 8 | from >> 24;
        to = to << 8 | to >> 24;
    }
    if (!bpf_l4_csum_replace(skb, packet->transport_offset + TCP_CHECKSUM_OFFSET, from, to,
                             sizeof(to)))
        bpf_skb_store_bytes(skb, at, &renewed, sizeof(renewed), 0);
}

#endif
