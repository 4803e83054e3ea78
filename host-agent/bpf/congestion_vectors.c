// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Runs the functions of dctcp.h for tests, one event at a time; no agent loads it. */
#include "dctcp.h"

char __license[] SEC("license") = "Dual BSD/GPL";

enum event_kind { OPENING, ACKNOWLEDGEMENT, REDUCTION };

/* An event, and the connection, which is carried from one to the next. */
struct vector_step {
    struct marking_estimate estimate;
    struct round_trips round_trips;
    __u64 queue_bound_nanos;
    __u64 round_trip_nanos;
    __u32 kind;
    __u32 amount;
    __u32 marked;
    __u32 acknowledged_to;
    __u32 next_sequence;
    __u32 window;
    __u32 least_window;
    __u32 owed;
    __u32 factor;
    __u32 reserved;
};

SEC("syscall")
int run_step(struct vector_step *step) {
    struct marking_estimate estimate = step->estimate;
    struct round_trips trips = step->round_trips;
    __u32 owed = step->owed;
    switch (step->kind) {
    case OPENING:
        begin_estimate(&estimate, step->acknowledged_to);
        add_round_trip(&trips, step->round_trip_nanos);
        break;
    case ACKNOWLEDGEMENT:
        add_round_trip(&trips, step->round_trip_nanos);
        count_acknowledged(&estimate, step->amount, step->marked, step->acknowledged_to,
                           step->next_sequence);
        break;
    case REDUCTION:
        step->window =
            reduced(step->window, estimate.alpha, factor_of(&trips, step->queue_bound_nanos),
                    step->least_window, &owed);
        break;
    }
    step->factor = factor_of(&trips, step->queue_bound_nanos);
    step->estimate = estimate;
    step->round_trips = trips;
    step->owed = owed;
    return 0;
}
