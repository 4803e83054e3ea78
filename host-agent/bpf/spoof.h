/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Port security: whether a frame from a VM claims an address or a MAC that is not its own, or is
 * what only a router, a DHCP server or a switch sends.
 */
#ifndef SLUICE_SPOOF_H
#define SLUICE_SPOOF_H

#include "learn.h"

#define DHCP_SERVER_PORT 67
#define DHCP_CLIENT_PORT 68
#define DHCP6_CLIENT_PORT 546
#define ARP_SENDER_OFFSET (ETH_HLEN + 8)

/* RFC 4861 */
#define ROUTER_ADVERTISEMENT 134
#define NEIGHBOUR_SOLICITATION 135
#define NEIGHBOUR_ADVERTISEMENT 136
#define REDIRECT 137

#define ETHERTYPE_QINQ 0x9100 /* a second VLAN tag, before 802.1ad */
#define ETHERTYPE_BDDP 0x8942 /* LLDP of SDN controllers, which passes other switches */

/* What a frame is dropped for. */
enum violation {
    NO_VIOLATION,
    SPOOFING,
    ROGUE,
};

INLINE bool unspecified(const struct packet *packet) {
    const struct address *a = &packet->source;
    bool rest = a->word[0] == 0 && a->word[1] == 0 && a->word[3] == 0;
    return rest && (a->word[2] == 0 || a->word[2] == bpf_htonl(0xffff));
}

/* An IPv6 one. */
INLINE bool to_group(const struct packet *packet) {
    return *(const __u8 *)packet->destination.word == 0xff;
}

/* Of a message that is known to be ICMPv6; 0: it is not in this frame. */
INLINE __u8 message_type(struct __sk_buff *skb, const struct packet *packet) {
    __u8 type = 0;
    if (packet->transport_offset)
        bpf_skb_load_bytes(skb, packet->transport_offset, &type, sizeof(type));
    return type;
}

/* Link-local addresses are for the link, and for finding others on it. */
INLINE bool stays_on_link(struct __sk_buff *skb, const struct packet *packet) {
    if (to_group(packet) || link_local(&packet->destination))
        return true;
    if (packet->protocol != IPPROTO_ICMPV6)
        return false;
    __u8 type = message_type(skb, packet);
    return type == NEIGHBOUR_SOLICITATION || type == NEIGHBOUR_ADVERTISEMENT;
}

/*
 * A VM that requests its address has none yet: DHCP, and IPv6's neighbour discovery. A link-local
 * address is made of the MAC, or announced.
 */
INLINE bool allowed_without_address(struct __sk_buff *skb, struct endpoint *endpoint, __u32 index,
                                    const struct packet *packet) {
    if (packet->version == 4)
        return unspecified(packet) && packet->protocol == IPPROTO_UDP &&
               packet->destination_port == DHCP_SERVER_PORT &&
               packet->destination.word[3] == bpf_htonl(0xffffffff);
    if (unspecified(packet))
        return packet->protocol == IPPROTO_ICMPV6 && to_group(packet);
    if (!link_local(&packet->source) || !stays_on_link(skb, packet))
        return false;
    return owns_link_local(endpoint, &packet->source) ||
           (packet->protocol == IPPROTO_ICMPV6 &&
            announce_link_local(endpoint, index, &packet->source));
}

struct arp_sender {
    __u8 mac[6];
    __u8 ip[4]; /* bytes: no hole before it */
};

INLINE bool foreign_arp(struct __sk_buff *skb, struct endpoint *endpoint, __u32 index,
                        const struct packet *packet) {
    struct arp_sender sender __attribute__((aligned(8)));
    __be32 ip;
    struct address address;
    if (bpf_skb_load_bytes(skb, ARP_SENDER_OFFSET, &sender, sizeof(sender)))
        return true;
    bool its_own_mac = read_mac(sender.mac) == packet->source_mac;
    if (!its_own_mac && !(endpoint->flags & MAY_USE_OTHER_MACS))
        return true;
    __builtin_memcpy(&ip, sender.ip, sizeof(ip));
    if (ip == 0)
        return false; /* a probe for an address, RFC 5227 */
    map_ipv4(&address, ip);
    if (owns(endpoint, &address))
        return false;
    bool learned =
        its_own_mac && (endpoint->flags & LEARN) && claim(skb, endpoint, index, &address);
    return !learned && !(endpoint->flags & MAY_USE_OTHER_ADDRESSES);
}

INLINE bool may_announce(struct __sk_buff *skb, struct endpoint *endpoint, __u32 index,
                         const struct address *target) {
    if (link_local(target))
        return owns_link_local(endpoint, target) || announce_link_local(endpoint, index, target);
    return owns(endpoint, target) ||
           ((endpoint->flags & LEARN) && claim(skb, endpoint, index, target));
}

/*
 * Neighbour discovery names the address in its body: an advertisement names its owner, a
 * solicitation without a source (RFC 4862) queries whether anybody has it, so that its VM may use
 * it next. That query may be about any address, but for IPv4's: they are written like IPv6's here,
 * and nothing names them this way.
 */
INLINE enum violation violation_of_neighbour(struct __sk_buff *skb, struct endpoint *endpoint,
                                             __u32 index, const struct packet *packet) {
    struct {
        __u8 type;
        __u8 code;
        __u16 checksum;
        __u32 flags;
        struct address target;
    } body;
    if (!packet->transport_offset)
        return NO_VIOLATION; /* a later fragment */
    if (bpf_skb_load_bytes(skb, packet->transport_offset, &body.type, 1))
        return SPOOFING; /* its type is to come in another fragment: RFC 6980 forbids that */
    if (body.type == ROUTER_ADVERTISEMENT || body.type == REDIRECT)
        return endpoint->flags & MAY_ADVERTISE_ROUTES ? NO_VIOLATION : ROGUE;
    if (body.type != NEIGHBOUR_SOLICITATION && body.type != NEIGHBOUR_ADVERTISEMENT)
        return NO_VIOLATION;
    bool advertised = body.type == NEIGHBOUR_ADVERTISEMENT;
    if (bpf_skb_load_bytes(skb, packet->transport_offset, &body, sizeof(body)))
        return advertised ? SPOOFING : NO_VIOLATION; /* cut off */
    if (is_mapped(&body.target))
        return SPOOFING;
    if (!advertised && !unspecified(packet))
        return NO_VIOLATION;
    bool its_own = may_announce(skb, endpoint, index, &body.target);
    if (its_own || !advertised || (endpoint->flags & MAY_USE_OTHER_ADDRESSES))
        return NO_VIOLATION;
    return SPOOFING;
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
 * anything else. Another tag or label before the addresses would hide them, also a tag of a
 * provider's (802.1ad).
 */
INLINE bool hides_addresses(__u16 ethertype) {
    return ethertype == ETH_P_8021Q || ethertype == ETH_P_8021AD || ethertype == ETHERTYPE_QINQ ||
           ethertype == ETH_P_MPLS_UC || ethertype == ETH_P_MPLS_MC ||
           ethertype == ETH_P_PPP_DISC || ethertype == ETH_P_PPP_SES;
}

INLINE bool forbidden_tag(const struct __sk_buff *skb, const struct endpoint *endpoint) {
    return in_vlan(skb) && (!(endpoint->flags & PASS_VLANS) || in_foreign_vlan(skb));
}

/* 01-80-C2-00-00-0x (802.1Q, 8.6.3): LLDP, spanning trees, LACP, 802.1X, which end at a switch. */
INLINE bool to_switches(struct __sk_buff *skb) {
    __u8 mac[ETH_ALEN];
    if (bpf_skb_load_bytes(skb, 0, mac, sizeof(mac)))
        return true;
    return mac[0] == 0x01 && mac[1] == 0x80 && mac[2] == 0xc2 && !mac[3] && !mac[4] &&
           mac[5] < 0x10;
}

INLINE bool is_discovery(struct __sk_buff *skb, const struct packet *packet) {
    return packet->ethertype == ETH_P_LLDP || packet->ethertype == ETHERTYPE_BDDP ||
           (packet->multicast && to_switches(skb));
}

/* Of a frame without IP. */
INLINE enum violation violation_of_frame(struct __sk_buff *skb, struct endpoint *endpoint,
                                         __u32 index, const struct packet *packet) {
    if (hides_addresses(packet->ethertype))
        return SPOOFING;
    if (packet->ethertype == ETH_P_ARP)
        return foreign_arp(skb, endpoint, index, packet) ? SPOOFING : NO_VIOLATION;
    if (!(endpoint->flags & MAY_SEND_DISCOVERY) && is_discovery(skb, packet))
        return ROGUE;
    return NO_VIOLATION;
}

/* What clients listen for comes from servers alone. */
INLINE bool serves_dhcp(const struct packet *packet) {
    __u16 client = packet->version == 4 ? DHCP_CLIENT_PORT : DHCP6_CLIENT_PORT;
    return packet->protocol == IPPROTO_UDP && packet->destination_port == client;
}

INLINE enum violation violation_of(struct __sk_buff *skb, struct endpoint *endpoint, __u32 index,
                                   const struct packet *packet) {
    if (foreign_mac(endpoint, index, packet) || forbidden_tag(skb, endpoint))
        return SPOOFING;
    if (packet->version == 0)
        return violation_of_frame(skb, endpoint, index, packet);
    if (packet->version == 6 && packet->protocol == IPPROTO_ICMPV6) {
        enum violation violation = violation_of_neighbour(skb, endpoint, index, packet);
        if (violation)
            return violation;
    }
    if (serves_dhcp(packet) && !(endpoint->flags & MAY_SERVE_DHCP))
        return ROGUE;
    if (owns(endpoint, &packet->source) || (endpoint->flags & MAY_USE_OTHER_ADDRESSES))
        return NO_VIOLATION;
    if (allowed_without_address(skb, endpoint, index, packet))
        return NO_VIOLATION;
    if (learns_from(endpoint, packet) && claim(skb, endpoint, index, &packet->source))
        return NO_VIOLATION;
    return SPOOFING;
}

/*
 * What an endpoint's frame is to be dropped for; what it makes known is learned. Not inlined: the
 * verifier checks it once. Pointers are never null; it does not know.
 */
__noinline int judge_frame(struct __sk_buff *skb, struct endpoint *endpoint, __u32 index,
                           const struct packet *packet) {
    if (!endpoint || !packet || !(endpoint->flags & (ANTI_SPOOF | LEARN)))
        return NO_VIOLATION;
    int violation = violation_of(skb, endpoint, index, packet);
    return endpoint->flags & ANTI_SPOOF ? violation : NO_VIOLATION;
}

/* What nearly every packet is: from the endpoint's own addresses, and about nobody's. */
INLINE bool is_plain(const struct __sk_buff *skb, const struct endpoint *endpoint,
                     const struct packet *packet) {
    return packet->version && packet->protocol != IPPROTO_ICMPV6 && !forbidden_tag(skb, endpoint) &&
           endpoint->mac == packet->source_mac && !serves_dhcp(packet) &&
           owns(endpoint, &packet->source);
}

INLINE int judge(struct __sk_buff *skb, struct endpoint *endpoint, __u32 index,
                 const struct packet *packet) {
    if (is_plain(skb, endpoint, packet))
        return NO_VIOLATION;
    return judge_frame(skb, endpoint, index, packet);
}

/*
 * Whether a unicast packet that reaches an endpoint is for it. A bridge that does not know a MAC
 * yet sends a packet out of all ports: it must count once.
 */
INLINE bool meant_for(const struct endpoint *endpoint, const struct packet *packet) {
    return !(endpoint->flags & ANTI_SPOOF) || owns(endpoint, &packet->destination);
}

#endif
