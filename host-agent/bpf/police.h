/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The limiter of the published systems: token buckets that drop what finds no token (SDN-GCC,
 * Algorithm 3; HyGenICC, Algorithm 1). A bucket keeps one instant, when it will be full again: its
 * lack of tokens is the time until then. So it needs no refilling, no lock, and no care when its
 * rate changes.
 */
#ifndef SLUICE_POLICE_H
#define SLUICE_POLICE_H

#include "base.h"

/* A tick is 1/16 ns: a byte takes 0.02 ns at 400 Gbit/s, and 64 bits of ticks last for 36 years. */
#define TICKS_PER_NANO_SHIFT 4
#define BYTE_TICKS_SHIFT 20
#define BUCKET_TRIES 4

struct bucket {
    __u64 byte_ticks;      /* that one byte takes, in units of 2^-20; 0: no limit */
    __u64 depth_ticks;     /* a full bucket lasts so long at the rate */
    __u64 full_ticks;      /* of CLOCK_MONOTONIC: when it is full again */
    __u64 dropped_packets; /* that found it empty */
};

INLINE __u64 bucket_cost(const struct bucket *bucket, __u32 bytes) {
    return bytes * bucket->byte_ticks >> BYTE_TICKS_SHIFT;
}

/* False, and nothing taken, where the tokens do not suffice. */
INLINE bool take_tokens(struct bucket *bucket, __u32 bytes, __u64 now) {
    if (!bucket->byte_ticks)
        return true;
    __u64 cost = bucket_cost(bucket, bytes);
    __u64 now_ticks = now << TICKS_PER_NANO_SHIFT;
    for (int i = 0; i < BUCKET_TRIES; i++) {
        __u64 full = *(volatile __u64 *)&bucket->full_ticks;
        __u64 next = (full > now_ticks ? full : now_ticks) + cost;
        if (next - now_ticks > bucket->depth_ticks)
            return false;
        if (__sync_val_compare_and_swap(&bucket->full_ticks, full, next) == full)
            return true;
    }
    /* Several CPUs at once: overdrawn by a packet, but nothing is forgotten. */
    ADD(bucket->full_ticks, cost);
    return true;
}

/*
 * What an endpoint sends must find tokens in its own bucket and in that of the congested port. The
 * one that has none; 0: both had.
 */
INLINE struct bucket *lacking(struct bucket *endpoint, struct bucket *group, __u32 bytes,
                              __u64 now) {
    if (!take_tokens(group, bytes, now))
        return group;
    if (!take_tokens(endpoint, bytes, now)) {
        ADD(group->full_ticks, -bucket_cost(group, bytes));
        return endpoint;
    }
    return 0;
}

#endif
