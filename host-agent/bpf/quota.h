/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Shared tables, divided among endpoints: none can fill one for the others. So many entries are
 * each endpoint's own, and the rest of the table is a reserve, of which each may have its part. The
 * agent sets the parts by how many want some, evicts the oldest entries of those that have more or
 * are refused some, and gives entries back.
 */
#ifndef SLUICE_QUOTA_H
#define SLUICE_QUOTA_H

#include "base.h"

enum table {
    TABLE_SENT_PAIRS = 0,     /* pairs, entered by what an endpoint sends */
    TABLE_RECEIVED_PAIRS = 1, /* pairs, entered by what it receives */
    TABLE_CONNECTIONS = 2,
    TABLES = 3,
};

/* Of one table. */
struct reserve {
    __u32 own;  /* entries of each endpoint's own */
    __u32 size; /* of the reserve, beyond all of these */
    __u32 used; /* of it */
    __u32 reserved;
};

/* An endpoint's entries in one table. */
struct quota {
    __u32 used;
    __u32 most; /* with the reserve */
    __u64 refused;
};

/* False: the endpoint has all it may have. */
INLINE bool take_entry(struct reserve *reserve, struct quota *quota) {
    __u32 used = *(volatile __u32 *)&quota->used;
    if (used >= reserve->own) {
        if (used >= quota->most || *(volatile __u32 *)&reserve->used >= reserve->size) {
            ADD(quota->refused, 1);
            return false;
        }
        ADD(reserve->used, 1);
    }
    ADD(quota->used, 1);
    return true;
}

/* It was not needed. The agent corrects the reserve where two CPUs met. */
INLINE void return_entry(struct reserve *reserve, struct quota *quota) {
    ADD(quota->used, -1);
    if (*(volatile __u32 *)&quota->used >= reserve->own)
        ADD(reserve->used, -1);
}

#endif
