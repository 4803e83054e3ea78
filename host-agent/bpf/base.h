/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What every program needs: types, helpers, return codes. */
#ifndef SLUICE_BASE_H
#define SLUICE_BASE_H

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <stdbool.h>

/* tcx: go on with the next program of the chain, so that others' programs still run. */
#define NEXT (-1)
#define DROP 2

#define NANOS_PER_SECOND 1000000000ULL
#define NANOS_PER_MILLI 1000000ULL

#define INLINE static __always_inline

#define ADD(counter, amount) __sync_fetch_and_add(&(counter), (amount))

#endif
