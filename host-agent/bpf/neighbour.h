/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What endpoints of one host send each other. It passes no queue, so a ceiling is held by a token
 * bucket in which bulk traffic must leave a reserve: sparse flows and segments that are sent again
 * take from it, so that they get through where bulk is dropped. A dropped burst is repaired at the
 * sender's next acknowledgement or probe then; without the reserve what repairs it would be dropped
 * too, and TCP wait for its retransmission timeout (200 ms) each time.
 *
 * Residual traffic is held by such a bucket as well, wherever it goes: ARP, neighbour discovery and
 * DHCP are sparse, and get through beside whatever else a VM sends to groups or without IP.
 */
#ifndef SLUICE_NEIGHBOUR_H
#define SLUICE_NEIGHBOUR_H

#include "learn.h"
#include "pair.h"

/* How long after a drop credit is kept for a sender that waits for its timeout. */
#define CREDIT_NANOS (500 * NANOS_PER_MILLI)

/* The endpoint that has the pair's destination; 0: none does. */
INLINE __u32 owner_of_destination(const struct shim *state, struct pair *pair) {
    __u32 epoch = *(volatile __u32 *)&state->owners_epoch;
    if (pair->owners_epoch != epoch) {
        __u32 *owner = bpf_map_lookup_elem(&owners, &pair->key.destination);
        pair->neighbour = owner ? *owner : 0;
        pair->owners_epoch = epoch;
    }
    return pair->neighbour;
}

/*
 * Whether a packet goes to another endpoint of this host, and not to a router that may bring it
 * back: by both of its destination addresses.
 */
INLINE bool reaches_neighbour(struct __sk_buff *skb, const struct shim *state, struct pair *pair,
                              __u32 sender) {
    __u32 index = owner_of_destination(state, pair);
    if (!index || index == sender)
        return false;
    const struct endpoint *neighbour = bpf_map_lookup_elem(&endpoints, &index);
    const struct ethhdr *ethernet = (void *)(long)skb->data;
    if (!neighbour || (void *)(ethernet + 1) > (void *)(long)skb->data_end)
        return false;
    return neighbour->mac == read_mac(ethernet->h_dest);
}

/*
 * Takes tokens from a bucket with a reserve; false: it is to be dropped. favoured: it may take from
 * the reserve. Without recent drops credit is a burst at most; after a drop a
 * longer pause than that counts too.
 */
INLINE bool admitted_with_reserve(struct group *group, __u32 bytes, bool favoured, __u64 now) {
    struct bucket *bucket = &group->bucket;
    if (!bucket->byte_ticks)
        return true;
    __u64 cost = bucket_cost(bucket, bytes);
    __u64 now_ticks = now << TICKS_PER_NANO_SHIFT;
    __u64 least = now_ticks;
    if (now - group->last_drop_nanos > CREDIT_NANOS)
        least += group->credit_ticks;
    __u64 most = now_ticks + bucket->depth_ticks - (favoured ? 0 : group->reserve_ticks);
    for (int i = 0; i < BUCKET_TRIES; i++) {
        __u64 full = *(volatile __u64 *)&bucket->full_ticks;
        __u64 next = (full > least ? full : least) + cost;
        if (next > most) {
            group->last_drop_nanos = now;
            return false;
        }
        if (__sync_val_compare_and_swap(&bucket->full_ticks, full, next) == full)
            return true;
    }
    /* Several CPUs at once: overdrawn by a packet, but nothing is forgotten. */
    ADD(bucket->full_ticks, cost);
    return true;
}

#endif
