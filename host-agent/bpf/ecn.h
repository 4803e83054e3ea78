/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Reads and writes DSCP, ECN and the reserved bit, checksums kept right. */
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

/* The traffic class, RFC 2474 and RFC 3168: a DSCP, and behind it ECN. */
#define DSCP_SHIFT 2
#define ECN_BITS 0x03
#define TRAFFIC_CLASS_BITS 0xff
/* In the first 16 bits of a header of IPv4 it comes last, in those of IPv6's so many bits follow.
 */
#define IPV6_CLASS_SHIFT 4

INLINE __u8 dscp_of(const struct __sk_buff *skb, const struct packet *packet) {
    const __u8 *ip = (void *)(long)skb->data + ETH_HLEN;
    if ((void *)(ip + 2) > (void *)(long)skb->data_end)
        return 0;
    return packet->version == 4 ? ip[1] >> 2 : (ip[0] & 15) << 2 | ip[1] >> 6;
}

INLINE void write_class_ipv4(struct __sk_buff *skb, __u8 mask, __u8 bits) {
    void *data = (void *)(long)skb->data;
    void *end = (void *)(long)skb->data_end;
    struct iphdr *ip = data + ETH_HLEN;
    if ((void *)(ip + 1) > end)
        return;
    __be16 *first = (void *)ip;
    __be16 old = *first;
    __be16 new = (old & ~bpf_htons(mask)) | bpf_htons(bits);
    *first = new;
    ip->check = replace_word(ip->check, old, new);
}

/* No header checksum covers it, but a device may have summed the whole frame: the kernel has to be
 * notified.
 */
INLINE void write_class_ipv6(struct __sk_buff *skb, __u8 mask, __u8 bits) {
    __be16 first;
    if (bpf_skb_load_bytes(skb, ETH_HLEN, &first, sizeof(first)))
        return;
    first &= ~bpf_htons(mask << IPV6_CLASS_SHIFT);
    first |= bpf_htons(bits << IPV6_CLASS_SHIFT);
    bpf_skb_store_bytes(skb, ETH_HLEN, &first, sizeof(first), BPF_F_RECOMPUTE_CSUM);
}

/* Writes those bits of the traffic class that the mask has. */
INLINE void write_class(struct __sk_buff *skb, const struct packet *packet, __u8 mask, __u8 bits) {
    if (packet->version == 4)
        write_class_ipv4(skb, mask, bits);
    else if (packet->version == 6)
        write_class_ipv6(skb, mask, bits);
}

INLINE void write_ecn(struct __sk_buff *skb, struct packet *packet, __u8 ecn) {
    if (packet->ecn == ecn)
        return;
    write_class(skb, packet, ECN_BITS, ecn);
    packet->ecn = ecn;
}

INLINE void write_dscp_and_ecn(struct __sk_buff *skb, struct packet *packet, __u8 dscp, __u8 ecn) {
    write_class(skb, packet, TRAFFIC_CLASS_BITS, dscp << DSCP_SHIFT | ecn);
    packet->ecn = ecn;
}

/* Only IPv4 has it. */
INLINE void write_reserved_bit(struct __sk_buff *skb, struct packet *packet, bool bit) {
    void *data = (void *)(long)skb->data;
    void *end = (void *)(long)skb->data_end;
    struct iphdr *ip = data + ETH_HLEN;
    if (packet->version != 4 || packet->reserved_bit == bit || (void *)(ip + 1) > end)
        return;
    __be16 old = ip->frag_off;
    __be16 new = old ^ bpf_htons(IPV4_RESERVED_BIT);
    ip->frag_off = new;
    ip->check = replace_word(ip->check, old, new);
    packet->reserved_bit = bit;
}

#endif
