/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Reads a frame's headers once, for everybody. */
#ifndef SLUICE_PACKET_H
#define SLUICE_PACKET_H

#include <linux/ip.h>
#include <linux/ipv6.h>

#include "extension.h"
#include "kernel.h"

/* Ethernet, the longest IPv4 header, a plain TCP header. */
#define HEADER_ROOM (14 + 60 + 20)

#define IPV4_RESERVED_BIT 0x8000
#define IPV4_MORE_FRAGMENTS 0x2000
#define IPV4_FRAGMENT_OFFSET 0x1fff

enum fragment {
    NOT_FRAGMENTED,
    FIRST_FRAGMENT,
    LATER_FRAGMENT,
};

enum tcp_flag {
    TCP_FIN = 0x01,
    TCP_SYN = 0x02,
    TCP_RST = 0x04,
    TCP_ACK = 0x10,
    TCP_ECE = 0x40,
    TCP_CWR = 0x80,
};

/* An IPv6 address, or an IPv4 one mapped into ::ffff:0:0/96. */
struct address {
    __u32 word[4];
};

struct packet {
    struct address source;
    struct address destination;
    __u64 source_mac; /* its bytes in their order, then two zeros */
    __u32 bytes;      /* on the wire, headers of every segment included */
    __u32 segments;   /* packets on the wire */
    __u16 ethertype;
    __u16 source_port;
    __u16 destination_port;
    __u16 transport_offset; /* in the frame; 0: a later fragment, without such a header */
    __u32 network_bytes;    /* length of the IP datagram by its own header */
    /* Of TCP alone: */
    __u32 sequence;
    __u32 acknowledgement;
    __u16 window;          /* unscaled */
    __u16 transport_bytes; /* length of the header */
    __u8 version;          /* 4, 6, or 0 for anything else */
    __u8 protocol;
    __u8 ecn;
    __u8 tcp_flags;
    bool accurate_ecn; /* the flag AE, before the others: RFC 9768 */
    bool reserved_bit;
    bool multicast;
    __u8 fragment; /* enum fragment */
};

struct transport {
    __be16 source;
    __be16 destination;
    __be32 sequence;
    __be32 acknowledgement;
    __u8 data_offset;
    __u8 flags;
    __be16 window;
};

INLINE bool same_address(const struct address *a, const struct address *b) {
    return a->word[3] == b->word[3] && a->word[2] == b->word[2] && a->word[1] == b->word[1] &&
           a->word[0] == b->word[0];
}

INLINE void map_ipv4(struct address *to, __be32 from) {
    to->word[0] = 0;
    to->word[1] = 0;
    to->word[2] = bpf_htonl(0xffff);
    to->word[3] = from;
}

INLINE void copy_address(struct address *to, const struct in6_addr *from) {
    to->word[0] = from->in6_u.u6_addr32[0];
    to->word[1] = from->in6_u.u6_addr32[1];
    to->word[2] = from->in6_u.u6_addr32[2];
    to->word[3] = from->in6_u.u6_addr32[3];
}

INLINE bool is_mapped(const struct address *address) {
    return address->word[0] == 0 && address->word[1] == 0 && address->word[2] == bpf_htonl(0xffff);
}

/*
 * The beginning of a transport header: where it lies in the frame's first piece, as it nearly
 * always does, without a call, which takes longer than all else here. False: the frame ends before
 * it does.
 */
INLINE bool load_transport(struct __sk_buff *skb, struct transport *header, __u32 offset) {
    const struct transport *here = (void *)(long)skb->data + offset;
    if ((void *)(here + 1) > (void *)(long)skb->data_end)
        return !bpf_skb_load_bytes(skb, offset, header, sizeof(*header));
    *header = *here;
    return true;
}

/* Ports, TCP flags; returns the length of the transport header. */
INLINE __u32 read_transport(struct __sk_buff *skb, struct packet *packet, __u32 offset) {
    struct transport header = {};
    packet->transport_offset = offset;
    if (packet->protocol == IPPROTO_TCP) {
        if (!load_transport(skb, &header, offset))
            return 0;
        packet->tcp_flags = header.flags;
        packet->accurate_ecn = header.data_offset & 1;
        packet->sequence = bpf_ntohl(header.sequence);
        packet->acknowledgement = bpf_ntohl(header.acknowledgement);
        packet->window = bpf_ntohs(header.window);
        packet->transport_bytes = (header.data_offset >> 4) * 4;
    } else if (packet->protocol == IPPROTO_UDP) {
        if (bpf_skb_load_bytes(skb, offset, &header, 4))
            return 0;
    } else {
        return 0;
    }
    packet->source_port = bpf_ntohs(header.source);
    packet->destination_port = bpf_ntohs(header.destination);
    return packet->protocol == IPPROTO_TCP ? packet->transport_bytes : 8;
}

/*
 * All headers of a super-packet, those behind a tunnel's included, which know where the segments
 * are. What has left its tunnel keeps the offsets: they are those of its own headers now. Not
 * inlined: few packets need it.
 */
__noinline int headers_of_super_packet(struct __sk_buff *skb, __u32 outer_bytes) {
    const struct sk_buff *kernel = bpf_cast_to_kern_ctx(skb);
    __u32 begin = kernel->data - kernel->head;
    __u32 network = kernel->inner_network_header, transport = kernel->inner_transport_header;
    __u8 first = 0, protocol = 0, data_offset = 0;
    if (network < begin + ETH_HLEN || transport <= network)
        return outer_bytes;
    network -= begin;
    transport -= begin;
    bool known = !bpf_skb_load_bytes(skb, network, &first, sizeof(first)) &&
                 !bpf_skb_load_bytes(skb, network + (first >> 4 == 4 ? 9 : 6), &protocol,
                                     sizeof(protocol)) &&
                 !bpf_skb_load_bytes(skb, transport + offsetof(struct transport, data_offset),
                                     &data_offset, sizeof(data_offset));
    if (!known)
        return outer_bytes;
    __u32 bytes = transport + (protocol == IPPROTO_UDP ? 8 : (data_offset >> 4) * 4);
    return bytes > outer_bytes ? bytes : outer_bytes;
}

/*
 * A super-packet leaves the machine as several; each carries the headers again, and marks, limits
 * and shares are about what is on the wire. Of what a guest hands over with virtio headers the
 * kernel has not counted the segments yet: their number follows from their size.
 */
INLINE void count_wire(struct __sk_buff *skb, struct packet *packet, __u32 header_bytes) {
    __u32 segment_bytes = skb->gso_size, segments = 1;
    packet->bytes = skb->len;
    if (segment_bytes) {
        if (packet->protocol != IPPROTO_TCP)
            header_bytes = headers_of_super_packet(skb, header_bytes);
        segments = skb->gso_segs;
        if (!segments && skb->len > header_bytes)
            segments = (skb->len - header_bytes + segment_bytes - 1) / segment_bytes;
        if (segments > 1)
            packet->bytes += (segments - 1) * header_bytes;
        else
            segments = 1;
    }
    packet->segments = segments;
}

/* Past IPv6's own header; returns the length of all headers behind it, or -1. */
INLINE int read_upper(struct __sk_buff *skb, struct packet *packet, __u8 next) {
    const __u32 begin = ETH_HLEN + sizeof(struct ipv6hdr);
    packet->protocol = next;
    if (!is_extension(next))
        return read_transport(skb, packet, begin);
    __u32 upper = find_upper(skb, next, begin);
    if (!upper)
        return -1;
    packet->protocol = upper;
    if (next == IPPROTO_FRAGMENT) /* elsewhere in the chain it is hardly ever */
        packet->fragment = upper & UPPER_ABSENT ? LATER_FRAGMENT : FIRST_FRAGMENT;
    __u32 offset = upper >> UPPER_OFFSET_SHIFT & UPPER_OFFSET_MASK;
    if (upper & UPPER_ABSENT)
        return offset - begin;
    return offset - begin + read_transport(skb, packet, offset);
}

/* A super-packet that is longer than its header can say has 0 there (BIG TCP); its parts do not. */
INLINE __u32 datagram_length(const struct __sk_buff *skb, __u32 declared) {
    return declared || !skb->gso_size ? declared : skb->len - ETH_HLEN;
}

#define VLAN_ID 0x0fff /* behind a priority, and whether it may be dropped first */

/* A tag that names none has a priority alone (802.1Q, 9.6): its frame is like an untagged one. */
INLINE bool in_vlan(const struct __sk_buff *skb) {
    return skb->vlan_present &&
           (skb->vlan_proto != bpf_htons(ETH_P_8021Q) || skb->vlan_tci & VLAN_ID);
}

/* The VLAN of a frame whose tag the kernel has taken out of it; 0: none. */
INLINE __u16 vlan_id(const struct __sk_buff *skb) {
    return in_vlan(skb) ? skb->vlan_tci & VLAN_ID : 0;
}

/* The VLAN of one in which an endpoint may be; 0: none. */
INLINE __u16 customer_vlan(const struct __sk_buff *skb) {
    return skb->vlan_proto == bpf_htons(ETH_P_8021Q) ? vlan_id(skb) : 0;
}

/* Whether a tag is of another kind than endpoints' are (802.1ad). */
INLINE bool in_foreign_vlan(const struct __sk_buff *skb) {
    return in_vlan(skb) && skb->vlan_proto != bpf_htons(ETH_P_8021Q);
}

#define CLASS_MAJOR 0xffff0000 /* of a class: its qdisc */
/*
 * Where a bridge removes tags, an endpoint's side does not have the VLAN any more in which a packet
 * has come over the uplink: it is in skb->priority till there, as a class of a qdisc that there is
 * none of. Its last four bits are 0: whoever goes by these takes it for best effort, as before.
 */
#define ARRIVED_MAJOR 0x534c0000
#define ARRIVED_VLAN_SHIFT 4

INLINE void note_vlan(struct __sk_buff *skb) {
    if (in_vlan(skb))
        skb->priority = ARRIVED_MAJOR | vlan_id(skb) << ARRIVED_VLAN_SHIFT;
    else if ((skb->priority & CLASS_MAJOR) == ARRIVED_MAJOR)
        skb->priority = 0; /* the VLAN around a tunnel */
}

INLINE __u16 noted_vlan(const struct __sk_buff *skb) {
    __u32 priority = skb->priority;
    return (priority & CLASS_MAJOR) == ARRIVED_MAJOR ? priority >> ARRIVED_VLAN_SHIFT & VLAN_ID : 0;
}

/* In two loads: clang would take the bytes one by one. */
INLINE __u64 read_mac(const __u8 *bytes) {
    return (__u64) * (__u16 *)(bytes + 4) << 32 | *(__u32 *)bytes;
}

/* False: the frame is too short for what it claims to be, or cannot be. */
INLINE bool read_packet(struct __sk_buff *skb, struct packet *packet) {
    void *data = (void *)(long)skb->data;
    void *end = (void *)(long)skb->data_end;
    /* A short frame that lies in one piece, as acknowledgements do, needs no call. */
    if (data + HEADER_ROOM > end && end - data < skb->len) {
        bpf_skb_pull_data(skb, skb->len < HEADER_ROOM ? skb->len : HEADER_ROOM);
        data = (void *)(long)skb->data;
        end = (void *)(long)skb->data_end;
    }
    struct ethhdr *ethernet = data;
    if ((void *)(ethernet + 1) > end)
        return false;
    packet->ethertype = bpf_ntohs(ethernet->h_proto);
    packet->multicast = ethernet->h_dest[0] & 1;
    packet->source_mac = read_mac(ethernet->h_source);

    __u32 header_bytes = ETH_HLEN;
    if (packet->ethertype == ETH_P_IP) {
        struct iphdr *ip = (void *)(ethernet + 1);
        if ((void *)(ip + 1) > end || ip->version != 4 || ip->ihl < 5)
            return false;
        __u16 fragment = bpf_ntohs(ip->frag_off);
        packet->version = 4;
        packet->protocol = ip->protocol;
        packet->ecn = ip->tos & 3;
        packet->reserved_bit = fragment & IPV4_RESERVED_BIT;
        packet->network_bytes = datagram_length(skb, bpf_ntohs(ip->tot_len));
        map_ipv4(&packet->source, ip->saddr);
        map_ipv4(&packet->destination, ip->daddr);
        header_bytes += ip->ihl * 4;
        if (!(fragment & IPV4_FRAGMENT_OFFSET))
            header_bytes += read_transport(skb, packet, header_bytes);
        if (fragment & (IPV4_FRAGMENT_OFFSET | IPV4_MORE_FRAGMENTS))
            packet->fragment = fragment & IPV4_FRAGMENT_OFFSET ? LATER_FRAGMENT : FIRST_FRAGMENT;
    } else if (packet->ethertype == ETH_P_IPV6) {
        struct ipv6hdr *ip = (void *)(ethernet + 1);
        if ((void *)(ip + 1) > end || ip->version != 6)
            return false;
        packet->version = 6;
        packet->ecn = (ip->flow_lbl[0] >> 4) & 3;
        __u16 payload = bpf_ntohs(ip->payload_len);
        packet->network_bytes = datagram_length(skb, payload ? payload + sizeof(*ip) : 0);
        copy_address(&packet->source, &ip->saddr);
        copy_address(&packet->destination, &ip->daddr);
        /* They must not occur here, and would be taken for IPv4's. */
        if (is_mapped(&packet->source) || is_mapped(&packet->destination))
            return false;
        int behind = read_upper(skb, packet, ip->nexthdr);
        if (behind < 0)
            return false;
        header_bytes += sizeof(*ip) + behind;
    }
    count_wire(skb, packet, header_bytes);
    return true;
}

/* How many packets it is on the wire, of one whose headers nobody has read. */
INLINE __u32 wire_packets(struct __sk_buff *skb) {
    struct packet packet = {};
    return skb->gso_size && read_packet(skb, &packet) ? packet.segments : 1;
}

#endif
