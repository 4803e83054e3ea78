/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Whether a frame from a VM claims an address that is not its own. */
#ifndef SLUICE_SPOOF_H
#define SLUICE_SPOOF_H

#include "state.h"

#define DHCP_SERVER_PORT 67
#define ARP_SENDER_IP_OFFSET (ETH_HLEN + 14)

INLINE bool owns(const struct endpoint *endpoint, const struct address *address) {
    for (int i = 0; i < MAX_ADDRESSES; i++) {
        if (i >= endpoint->address_count)
            break;
        if (same_address(&endpoint->addresses[i], address))
            return true;
    }
    return false;
}

INLINE bool unspecified(const struct packet *packet) {
    const struct address *a = &packet->source;
    bool rest = a->word[0] == 0 && a->word[1] == 0 && a->word[3] == 0;
    return rest && (a->word[2] == 0 || a->word[2] == bpf_htonl(0xffff));
}

INLINE bool link_local(const struct packet *packet) {
    return packet->version == 6 &&
           (packet->source.word[0] & bpf_htonl(0xffc00000)) == bpf_htonl(0xfe800000);
}

/* A VM that asks for its address has none yet: DHCP, and IPv6's neighbour discovery. */
INLINE bool allowed_without_address(const struct packet *packet) {
    if (packet->version == 4)
        return unspecified(packet) && packet->protocol == IPPROTO_UDP &&
               packet->destination_port == DHCP_SERVER_PORT;
    return link_local(packet) || (unspecified(packet) && packet->protocol == IPPROTO_ICMPV6);
}

INLINE bool spoofed_arp(struct __sk_buff *skb, const struct endpoint *endpoint) {
    __be32 sender;
    struct address address;
    if (bpf_skb_load_bytes(skb, ARP_SENDER_IP_OFFSET, &sender, sizeof(sender)))
        return true;
    if (sender == 0)
        return false; /* a probe for an address, RFC 5227 */
    map_ipv4(&address, sender);
    return !owns(endpoint, &address);
}

/* A VLAN tag would hide the addresses from this check, and no endpoint is promised one. */
INLINE bool spoofed(struct __sk_buff *skb, const struct endpoint *endpoint,
                    const struct packet *packet) {
    if (!(endpoint->flags & ANTI_SPOOF))
        return false;
    if (skb->vlan_present || packet->ethertype == ETH_P_8021Q || packet->ethertype == ETH_P_8021AD)
        return true;
    if (packet->ethertype == ETH_P_ARP)
        return spoofed_arp(skb, endpoint);
    if (packet->version == 0)
        return false;
    return !owns(endpoint, &packet->source) && !allowed_without_address(packet);
}

#endif
