/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * A phantom queue: what would stand in a queue that is drained at some rate, although nothing
 * waits. As a bucket it keeps one instant, when it will be empty: its backlog is the time until
 * then. So it needs no lock, and CPUs share it as they would share a wire.
 */
#ifndef SLUICE_PHANTOM_H
#define SLUICE_PHANTOM_H

#include "packet.h"
#include "police.h"

#define PHANTOM_TRIES 4

struct phantom {
    __u64 byte_ticks;      /* that one byte takes to drain, in units of 2^-20; 0: no queue */
    __u64 threshold_ticks; /* K: more than that is a mark */
    __u64 empty_ticks;     /* of CLOCK_MONOTONIC: when it is empty */
    __u64 arrived_packets;
    __u64 arrived_bytes;
    __u64 over_threshold_packets; /* found more than the threshold */
};

INLINE __u64 phantom_cost(const struct phantom *queue, __u32 bytes) {
    return bytes * queue->byte_ticks >> BYTE_TICKS_SHIFT;
}

/*
 * Nobody drops what is too much, so a backlog above the threshold is held to twice that, or to the
 * threshold and two packets like this one: it shall not take longer to drain than its marks take to
 * act. A packet that found less is counted whole, however large.
 */
INLINE __u64 phantom_after(__u64 backlog, __u64 cost, __u64 threshold) {
    if (backlog <= threshold)
        return backlog + cost;
    __u64 cap = threshold + (threshold > 2 * cost ? threshold : 2 * cost);
    if (backlog > cap)
        return backlog;
    return backlog + cost < cap ? backlog + cost : cap;
}

/* Adds a packet; whether it found more than the threshold before it. */
INLINE bool fill_phantom(struct phantom *queue, const struct packet *packet, __u64 now) {
    if (!queue->byte_ticks)
        return false;
    ADD(queue->arrived_packets, packet->segments);
    ADD(queue->arrived_bytes, packet->bytes);
    __u64 cost = phantom_cost(queue, packet->bytes);
    __u64 threshold = queue->threshold_ticks;
    __u64 now_ticks = now << TICKS_PER_NANO_SHIFT;
    bool over = false;
    bool added = false;
    for (int i = 0; i < PHANTOM_TRIES && !added; i++) {
        __u64 empty = *(volatile __u64 *)&queue->empty_ticks;
        __u64 backlog = empty > now_ticks ? empty - now_ticks : 0;
        __u64 next = now_ticks + phantom_after(backlog, cost, threshold);
        over = backlog > threshold;
        added = __sync_val_compare_and_swap(&queue->empty_ticks, empty, next) == empty;
    }
    if (!added) /* Several CPUs at once: not capped for once, but nothing is forgotten. */
        ADD(queue->empty_ticks, cost);
    if (over)
        ADD(queue->over_threshold_packets, packet->segments);
    return over;
}

/* Whether a packet that was added just before, elsewhere, found more than the threshold. */
INLINE bool found_over(const struct phantom *queue, const struct packet *packet, __u64 now) {
    if (!queue->byte_ticks)
        return false;
    __u64 empty = *(volatile __u64 *)&queue->empty_ticks;
    __u64 others = (now << TICKS_PER_NANO_SHIFT) + phantom_cost(queue, packet->bytes);
    return empty > others && empty - others > queue->threshold_ticks;
}

#endif
