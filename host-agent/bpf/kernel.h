/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The few kernel fields that the programs read, found by BTF at load time (CO-RE). */
#ifndef SLUICE_KERNEL_H
#define SLUICE_KERNEL_H

#include "base.h"
#include <bpf/bpf_core_read.h>

#define RELOCATED __attribute__((preserve_access_index))

struct qdisc_skb_head {
    __u32 qlen;
} RELOCATED;

struct gnet_stats_queue {
    __u32 backlog;
} RELOCATED;

struct Qdisc {
    struct qdisc_skb_head q;
    struct gnet_stats_queue qstats;
} RELOCATED;

struct net_device {
    struct Qdisc *qdisc;
} RELOCATED;

/* A device is still to make the checksum: its field holds what the pseudo header adds, no more. */
#define CHECKSUM_PARTIAL 3

struct sk_buff {
    struct net_device *dev;
    __u8 ip_summed : 2;
} RELOCATED;

extern void *bpf_cast_to_kern_ctx(void *context) __ksym;

#endif
