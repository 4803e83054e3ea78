/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Which addresses an endpoint has, where nobody has written them down. */
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

INLINE bool same_mac(const __u8 *a, const __u8 *b) {
    for (int i = 0; i < ETH_ALEN; i++)
        if (a[i] != b[i])
            return false;
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
    __u8 none[ETH_ALEN] = {};
    if (same_mac(endpoint->mac, none))
        bpf_skb_load_bytes(skb, ETH_ALEN, endpoint->mac, ETH_ALEN);
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
