/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Whether a frame from a VM claims an address that is not its own. */
#ifndef SLUICE_SPOOF_H
#define SLUICE_SPOOF_H

#include "learn.h"

#define DHCP_SERVER_PORT 67
#define ARP_SENDER_OFFSET (ETH_HLEN + 8)

/* RFC 4861 */
#define NEIGHBOUR_SOLICITATION 135
#define NEIGHBOUR_ADVERTISEMENT 136

INLINE bool unspecified(const struct packet *packet) {
    const struct address *a = &packet->source;
    bool rest = a->word[0] == 0 && a->word[1] == 0 && a->word[3] == 0;
    return rest && (a->word[2] == 0 || a->word[2] == bpf_htonl(0xffff));
}

INLINE bool link_local(const struct address *address) {
    return (address->word[0] & bpf_htonl(0xffc00000)) == bpf_htonl(0xfe800000);
}

/* A VM that requests its address has none yet: DHCP, and IPv6's neighbour discovery. */
INLINE bool allowed_without_address(const struct packet *packet) {
    if (packet->version == 4)
        return unspecified(packet) && packet->protocol == IPPROTO_UDP &&
               packet->destination_port == DHCP_SERVER_PORT;
    return link_local(&packet->source) ||
           (unspecified(packet) && packet->protocol == IPPROTO_ICMPV6);
}

struct arp_sender {
    __u8 mac[6];
    __u8 ip[4]; /* bytes: no hole before it */
};

INLINE bool foreign_arp(struct __sk_buff *skb, struct endpoint *endpoint, __u32 index) {
    struct arp_sender sender;
    __u8 mac[6];
    __be32 ip;
    struct address address;
    if (bpf_skb_load_bytes(skb, ARP_SENDER_OFFSET, &sender, sizeof(sender)) ||
        bpf_skb_load_bytes(skb, ETH_ALEN, mac, sizeof(mac)))
        return true;
    __builtin_memcpy(&ip, sender.ip, sizeof(ip));
    if (ip == 0)
        return false; /* a probe for an address, RFC 5227 */
    map_ipv4(&address, ip);
    if (owns(endpoint, &address))
        return false;
    return !(endpoint->flags & LEARN) || !same_mac(mac, sender.mac) ||
           !claim(skb, endpoint, index, &address);
}

/*
 * Neighbour discovery names the address in its body: an advertisement names its owner, a
 * solicitation without a source (RFC 4862) queries whether anybody has it, so that its VM may use
 * it next. That query may be about any address, but for IPv4's: they are written like IPv6's here,
 * and nothing names them this way.
 */
INLINE bool foreign_neighbour(struct __sk_buff *skb, struct endpoint *endpoint, __u32 index,
                              const struct packet *packet) {
    struct {
        __u8 type;
        __u8 code;
        __u16 checksum;
        __u32 flags;
        struct address target;
    } body;
    if (!packet->transport_offset)
        return false; /* a later fragment */
    if (bpf_skb_load_bytes(skb, packet->transport_offset, &body, sizeof(body)))
        /* One whose address is cut off, or comes in another fragment, is none (RFC 6980). */
        return bpf_skb_load_bytes(skb, packet->transport_offset, &body.type, 1) ||
               body.type == NEIGHBOUR_ADVERTISEMENT;
    if (body.type != NEIGHBOUR_SOLICITATION && body.type != NEIGHBOUR_ADVERTISEMENT)
        return false;
    if (is_mapped(&body.target))
        return true;
    if (body.type == NEIGHBOUR_SOLICITATION) {
        if ((endpoint->flags & LEARN) && unspecified(packet) && !owns(endpoint, &body.target))
            claim(skb, endpoint, index, &body.target);
        return false;
    }
    if (link_local(&body.target) || owns(endpoint, &body.target))
        return false;
    return !(endpoint->flags & LEARN) || !claim(skb, endpoint, index, &body.target);
}

/*
 * An endpoint that learns takes its first address from whatever it sends first: it may have been
 * sending long before the agent came, and not query its neighbours for a long time. Every other
 * address it has to announce.
 */
INLINE bool learns_from(const struct endpoint *endpoint, const struct packet *packet) {
    return (endpoint->flags & LEARN) &&
           (endpoint->address_count == 0 ||
            (packet->version == 6 && packet->protocol == IPPROTO_ICMPV6));
}

/*
 * The kernel takes a frame's first VLAN tag out of it, so what is behind it can be checked like
 * anything else. A second one, or one of a provider's (802.1ad), would hide the addresses.
 */
INLINE bool forbidden_tag(const struct __sk_buff *skb, const struct endpoint *endpoint,
                          const struct packet *packet) {
    if (packet->ethertype == ETH_P_8021Q || packet->ethertype == ETH_P_8021AD)
        return true;
    return skb->vlan_present &&
           (!(endpoint->flags & PASS_VLANS) || skb->vlan_proto != bpf_htons(ETH_P_8021Q));
}

INLINE bool foreign(struct __sk_buff *skb, struct endpoint *endpoint, __u32 index,
                    const struct packet *packet) {
    if (forbidden_tag(skb, endpoint, packet))
        return true;
    if (packet->ethertype == ETH_P_ARP)
        return foreign_arp(skb, endpoint, index);
    if (packet->version == 0)
        return false;
    if (packet->version == 6 && packet->protocol == IPPROTO_ICMPV6 &&
        foreign_neighbour(skb, endpoint, index, packet))
        return true;
    return !owns(endpoint, &packet->source) && !allowed_without_address(packet) &&
           !(learns_from(endpoint, packet) && claim(skb, endpoint, index, &packet->source));
}

INLINE bool spoofed(struct __sk_buff *skb, struct endpoint *endpoint, __u32 index,
                    const struct packet *packet) {
    if (!(endpoint->flags & (ANTI_SPOOF | LEARN)))
        return false;
    return foreign(skb, endpoint, index, packet) && (endpoint->flags & ANTI_SPOOF);
}

/*
 * Whether a unicast packet that reaches an endpoint is for it. A bridge that does not know a MAC
 * yet sends a packet out of all ports: it must count once.
 */
INLINE bool meant_for(const struct endpoint *endpoint, const struct packet *packet) {
    return !(endpoint->flags & ANTI_SPOOF) || owns(endpoint, &packet->destination);
}

#endif
