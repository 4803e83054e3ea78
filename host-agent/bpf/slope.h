/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * How a queue's length goes, averaged over departures (docs/da-dctcp.md): at each the difference to
 * the length at the one before, weight 1/8. A busy port's departures are evenly spaced, so packets
 * per departure have the sign of packets per second, and of that alone marks depend.
 *
 * No program runs when a packet leaves. What has left is found at the next arrival, from lengths.
 */
#ifndef SLUICE_SLOPE_H
#define SLUICE_SLOPE_H

#include <linux/types.h>

#include "base.h"

#define SLOPE_ONE 65536 /* a packet per departure */
#define SLOPE_SHIFT 3   /* the weight is 1/8 */
#define MAX_FOLLOWED 32 /* departures between two arrivals; more change the average by 1 % */

struct slope {
    __s64 average;
    __u32 length;   /* after the last arrival */
    __u32 arrivals; /* since the last departure */
};

INLINE __s64 with_departure(__s64 average, __u32 arrivals) {
    __s64 difference = ((__s64)arrivals - 1) * SLOPE_ONE;
    return average + ((difference - average) >> SLOPE_SHIFT);
}

/*
 * A packet finds so many before it. What the average would be if one left now, this one having
 * come: a queue that fills at once is rising before anything has left it.
 */
INLINE __s64 slope_at_arrival(struct slope *slope, __u32 backlog_packets) {
    __u32 departures = slope->length > backlog_packets ? slope->length - backlog_packets : 0;
    __u32 arrivals = slope->arrivals;
    __s64 average = slope->average;
    for (__u32 i = 0; i < MAX_FOLLOWED && i < departures; i++) {
        average = with_departure(average, arrivals);
        arrivals = 0;
    }
    slope->average = average;
    slope->arrivals = arrivals + 1;
    slope->length = backlog_packets + 1;
    return with_departure(average, slope->arrivals);
}

#endif
