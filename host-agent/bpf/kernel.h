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

struct hlist_node {
    struct hlist_node *next;
} RELOCATED;

struct hlist_head {
    struct hlist_node *first;
} RELOCATED;

struct Qdisc {
    struct hlist_node hash;
    __u32 handle;
    struct qdisc_skb_head q;
    struct gnet_stats_queue qstats;
} RELOCATED;

/* Of a device's table of qdiscs by handle: include/linux/netdevice.h, and the generic hash_32. */
#define QDISC_HASH_BITS 4
#define GOLDEN_RATIO_32 0x61C88647U

struct net_device {
    struct Qdisc *qdisc;
    struct hlist_head qdisc_hash[1 << QDISC_HASH_BITS];
} RELOCATED;

/* A device is still to make the checksum: its field holds what the pseudo header adds, no more. */
#define CHECKSUM_PARTIAL 3

struct sk_buff {
    struct net_device *dev;
    __u8 ip_summed : 2;
    __u16 inner_network_header; /* offsets from head; 0: it never was in a tunnel */
    __u16 inner_transport_header;
    unsigned char *head;
    unsigned char *data;
} RELOCATED;

extern void *bpf_cast_to_kern_ctx(void *context) __ksym;
extern void *bpf_rdonly_cast(const void *object, __u32 type) __ksym;

#endif
