/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Which addresses an endpoint has, where they are not configured. */
#ifndef SLUICE_LEARN_H
#define SLUICE_LEARN_H

#include "state.h"

INLINE bool owns(const struct endpoint *endpoint, const struct address *address) {
    for (int i = 0; i < MAX_ADDRESSES; i++) {
        if (i >= endpoint->address_count)
            break;
        if (same_address(&endpoint->addresses[i], address))
            return true;
    }
    return false;
}

/* Addresses that one host on a network can have for itself. */
INLINE bool claimable(const struct address *address) {
    const __u8 *byte = (const __u8 *)address->word;
    if (address->word[0] || address->word[1])
        return byte[0] != 0xff && !(byte[0] == 0xfe && (byte[1] & 0xc0) == 0x80);
    return address->word[2] == bpf_htonl(0xffff) && byte[12] != 0 && byte[12] != 127 &&
           byte[12] < 224;
}

/* fe80::/64: the rest of fe80::/10 is not in use (RFC 4291). */
INLINE bool link_local(const struct address *address) {
    return address->word[0] == bpf_htonl(0xfe800000) && !address->word[1];
}

/* Whether an interface identifier has the form of one that is made of a MAC (RFC 4291, App. A). */
INLINE bool has_form_of_mac(const __u8 *identifier) {
    return identifier[3] == 0xff && identifier[4] == 0xfe;
}

INLINE bool made_of_mac(const __u8 *identifier, const __u8 *mac) {
    return has_form_of_mac(identifier) && identifier[0] == (mac[0] ^ 2) &&
           identifier[1] == mac[1] && identifier[2] == mac[2] && identifier[5] == mac[3] &&
           identifier[6] == mac[4] && identifier[7] == mac[5];
}

INLINE bool owns_link_local(const struct endpoint *endpoint, const struct address *address) {
    if (made_of_mac((const __u8 *)&address->word[2], (const __u8 *)&endpoint->mac))
        return true;
    for (int i = 0; i < MAX_LINK_LOCALS; i++)
        if (same_address(&endpoint->link_locals[i], address))
            return true;
    return owns(endpoint, address);
}

/* So long an endpoint has to keep the link-local addresses that it has announced. */
#define LINK_LOCAL_NANOS (60 * NANOS_PER_SECOND)

/*
 * An endpoint that learns may announce a link-local address that is not made of a MAC and that no
 * other endpoint has; the older of the two that it can have gives way, but seldom.
 */
INLINE bool announce_link_local(struct endpoint *endpoint, __u32 index,
                                const struct address *address) {
    struct shim *state = shim_state();
    if (!state || !(endpoint->flags & LEARN) || has_form_of_mac((const __u8 *)&address->word[2]))
        return false;
    __u64 now = bpf_ktime_get_ns();
    struct address *older = &endpoint->link_locals[0], *newer = &endpoint->link_locals[1];
    bool full = newer->word[0] && older->word[0];
    if (full && now - endpoint->link_local_nanos < LINK_LOCAL_NANOS)
        return false;
    if (bpf_map_update_elem(&owners, address, &index, BPF_NOEXIST))
        return false;
    if (full)
        bpf_map_delete_elem(&owners, older);
    *older = *newer;
    *newer = *address;
    endpoint->link_local_nanos = now;
    ADD(state->owners_epoch, 1);
    return true;
}

/* A MAC is whose frame has it first, unless it was given to somebody. */
INLINE bool take_mac(struct endpoint *endpoint, __u32 index, const __u64 *mac) {
    if (!*mac || *(const __u8 *)mac & 1)
        return false; /* a group's */
    __u32 *owner = bpf_map_lookup_elem(&mac_owners, mac);
    if (owner ? *owner != index : bpf_map_update_elem(&mac_owners, mac, &index, BPF_NOEXIST))
        return false;
    endpoint->mac = *mac;
    return true;
}

/* Whether a frame has a MAC that is not its endpoint's. */
INLINE bool foreign_mac(struct endpoint *endpoint, __u32 index, const struct packet *packet) {
    __u64 own = *(volatile __u64 *)&endpoint->mac;
    if (own == packet->source_mac && own)
        return false;
    if (endpoint->flags & MAY_USE_OTHER_MACS)
        return false;
    if (!own && take_mac(endpoint, index, &packet->source_mac))
        return false;
    endpoint->foreign_mac = packet->source_mac;
    ADD(endpoint->foreign_macs, 1);
    return true;
}

INLINE bool refuse_claim(struct endpoint *endpoint, const struct address *address) {
    endpoint->refused = *address;
    ADD(endpoint->refused_claims, 1);
    return false;
}

/*
 * Here and not in the agent, so that the packet that makes an address known passes, and the one
 * behind it. The agent reads the new address at its next turn.
 */
INLINE bool claim(struct __sk_buff *skb, struct endpoint *endpoint, __u32 index,
                  const struct address *address) {
    if (!claimable(address))
        return false;
    struct shim *state = shim_state();
    __u32 *owner = bpf_map_lookup_elem(&owners, address);
    if (!state)
        return false;
    if (owner && *owner == index)
        return true; /* on another CPU, a moment ago */
    if (owner || endpoint->address_count >= MAX_ADDRESSES ||
        bpf_map_update_elem(&owners, address, &index, BPF_NOEXIST))
        return refuse_claim(endpoint, address);
    if (!endpoint->mac)
        bpf_skb_load_bytes(skb, ETH_ALEN, &endpoint->mac, ETH_ALEN);
    __u32 slot = ADD(endpoint->address_count, 1);
    if (slot >= MAX_ADDRESSES) {
        ADD(endpoint->address_count, -1);
        bpf_map_delete_elem(&owners, address);
        return refuse_claim(endpoint, address);
    }
    endpoint->addresses[slot] = *address;
    ADD(state->owners_epoch, 1);
    return true;
}

#endif
