/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Writes the ECN field and the reserved bit, checksums kept right. */
#ifndef SLUICE_ECN_H
#define SLUICE_ECN_H

#include "packet.h"

enum ecn {
    NOT_ECT = 0,
    ECT_1 = 1,
    ECT_0 = 2,
    CE = 3,
};

/* RFC 1624: the header's one's complement sum when one 16-bit word changes. */
INLINE __sum16 replace_word(__sum16 sum, __be16 old, __be16 new) {
    __u32 value = (__u16)~sum + (__u16)~old + new;
    value = (value & 0xffff) + (value >> 16);
    value = (value & 0xffff) + (value >> 16);
    return ~value;
}

INLINE void write_ecn_ipv4(struct __sk_buff *skb, __u8 ecn) {
    void *data = (void *)(long)skb->data;
    void *end = (void *)(long)skb->data_end;
    struct iphdr *ip = data + ETH_HLEN;
    if ((void *)(ip + 1) > end)
        return;
    __be16 *first = (void *)ip;
    __be16 old = *first;
    __be16 new = (old & bpf_htons(0xfffc)) | bpf_htons(ecn);
    *first = new;
    ip->check = replace_word(ip->check, old, new);
}

/* No header checksum covers it, but a device may have summed the whole frame: the kernel has to be
 * notified.
 */
INLINE void write_ecn_ipv6(struct __sk_buff *skb, __u8 ecn) {
    __u8 value;
    if (bpf_skb_load_bytes(skb, ETH_HLEN + 1, &value, 1))
        return;
    value = (value & 0xcf) | (ecn << 4);
    bpf_skb_store_bytes(skb, ETH_HLEN + 1, &value, 1, BPF_F_RECOMPUTE_CSUM);
}

INLINE void write_ecn(struct __sk_buff *skb, struct packet *packet, __u8 ecn) {
    if (packet->ecn == ecn)
        return;
    if (packet->version == 4)
        write_ecn_ipv4(skb, ecn);
    else if (packet->version == 6)
        write_ecn_ipv6(skb, ecn);
    packet->ecn = ecn;
}

INLINE void clear_reserved_bit(struct __sk_buff *skb, struct packet *packet) {
    void *data = (void *)(long)skb->data;
    void *end = (void *)(long)skb->data_end;
    struct iphdr *ip = data + ETH_HLEN;
    if (!packet->reserved_bit || (void *)(ip + 1) > end)
        return;
    __be16 old = ip->frag_off;
    __be16 new = old & ~bpf_htons(IPV4_RESERVED_BIT);
    ip->frag_off = new;
    ip->check = replace_word(ip->check, old, new);
    packet->reserved_bit = false;
}

#endif
