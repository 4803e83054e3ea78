/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The windows of DCTCP (RFC 8257) and DA-DCTCP (docs/da-dctcp.md), apart from any connection:
 * api/vectors/da-dctcp/window.json binds them to the simulator's. Shares are fractions of ONE.
 */
#ifndef SLUICE_DCTCP_H
#define SLUICE_DCTCP_H

#include <linux/types.h>

#include "base.h"

#define FRACTION_BITS 24
#define ONE (1U << FRACTION_BITS)

#define GAIN_SHIFT 4                          /* g = 1/16 */
#define AVERAGE_DIVISOR 8                     /* of G */
#define GRADIENT_DEAD_ZONE (ONE / 100)        /* up to it G counts as 0 */
#define GREATEST_FACTOR (2 * ONE)             /* f at the most, */
#define DCTCP_FACTOR ONE                      /* where one thing says congestion besides marks, */
#define LEAST_FACTOR (ONE / 2)                /* and where nothing does */
#define FULL_NUMERATOR 4                      /* U from which a path counts as full: 4/5 */
#define FULL_DENOMINATOR 5                    /* */
#define LONGEST_ROUND_TRIP_NANOS (1ULL << 30) /* longer ones count as this, lest G overflow */

/* How much is acknowledged, and how much of it was marked: bytes or segments, but always the same.
 */
struct marking_estimate {
    __u32 alpha;
    __u32 window_end; /* the sequence number behind the window that is being counted */
    __u64 acknowledged;
    __u64 marked;
};

struct round_trips {
    __u64 least_nanos;
    __u64 latest_nanos; /* 0: none was measured */
    __s64 gradient;     /* G, averaged */
};

INLINE void begin_estimate(struct marking_estimate *estimate, __u32 first_sequence) {
    estimate->alpha = ONE;
    estimate->window_end = first_sequence;
    estimate->acknowledged = 0;
    estimate->marked = 0;
}

/* RFC 8257, section 3.3, steps 1 to 8. */
INLINE void count_acknowledged(struct marking_estimate *estimate, __u32 amount, __u32 marked,
                               __u32 acknowledged_to, __u32 next_sequence) {
    estimate->acknowledged += amount;
    estimate->marked += marked;
    if ((__s32)(acknowledged_to - estimate->window_end) <= 0)
        return;
    estimate->window_end = next_sequence;
    if (!estimate->acknowledged)
        return;
    __u64 share = (estimate->marked << FRACTION_BITS) / estimate->acknowledged;
    if (share > ONE)
        share = ONE;
    estimate->alpha += (share >> GAIN_SHIFT) - (estimate->alpha >> GAIN_SHIFT);
    estimate->acknowledged = 0;
    estimate->marked = 0;
}

/* BPF divides no negative numbers. */
INLINE __s64 divide(__s64 amount, __u64 by) {
    return amount < 0 ? -(__s64)((__u64)-amount / by) : (__s64)((__u64)amount / by);
}

INLINE void add_round_trip(struct round_trips *trips, __u64 nanos) {
    if (!nanos)
        return;
    if (nanos > LONGEST_ROUND_TRIP_NANOS)
        nanos = LONGEST_ROUND_TRIP_NANOS;
    if (!trips->latest_nanos || nanos < trips->least_nanos)
        trips->least_nanos = nanos;
    if (trips->latest_nanos) {
        __s64 grown = (__s64)(nanos - trips->latest_nanos) * (__s64)ONE;
        __s64 step = divide(grown, trips->least_nanos);
        trips->gradient += divide(step - trips->gradient, AVERAGE_DIVISOR);
    }
    trips->latest_nanos = nanos;
}

/* f: how hard marks count. */
INLINE __u32 factor_of(const struct round_trips *trips, __u64 queue_bound_nanos) {
    if (!trips->latest_nanos)
        return DCTCP_FACTOR;
    bool full = trips->latest_nanos * FULL_DENOMINATOR >=
                (trips->least_nanos + queue_bound_nanos) * FULL_NUMERATOR;
    bool rising = trips->gradient > (__s64)GRADIENT_DEAD_ZONE;
    if (full && rising)
        return trips->gradient < (__s64)ONE ? ONE + (__u32)trips->gradient : GREATEST_FACTOR;
    return full || rising ? DCTCP_FACTOR : LEAST_FACTOR;
}

/*
 * The window times (1 - f alpha / 2). What is less than a unit is owed to the next reduction: with
 * windows of a few segments it would otherwise never be given up.
 */
INLINE __u32 reduced(__u32 window, __u32 alpha, __u32 factor, __u32 least, __u32 *owed) {
    __u64 penalty = (__u64)alpha * factor >> (FRACTION_BITS + 1);
    __u64 amount = window * penalty + *owed;
    *owed = amount & (ONE - 1);
    amount >>= FRACTION_BITS;
    return window > amount + least ? window - amount : least;
}

#endif
