/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The fragments of a datagram are of use together alone: where each of six is dropped or queued by
 * itself, a load of twice the limit leaves hardly a datagram whole. So the first one decides for
 * all, by the length of the datagram, and where there is room the others have it already. What is
 * not in memory any more, or is longer than its first announced, is treated like a packet of its
 * own.
 */
#ifndef SLUICE_FRAGMENT_H
#define SLUICE_FRAGMENT_H

#include "state.h"

/* Per endpoint, whose fragments are on their way at a time. */
#define DATAGRAMS 64
#define DATAGRAM_HASH_SHIFT 26
/* They come behind each other; an identification is used again after 65,536 datagrams. */
#define DATAGRAM_NANOS (100 * NANOS_PER_MILLI)
/* 65,535 bytes in fragments of 1500, with their headers. */
#define MAX_DATAGRAM_BYTES 69000

#define IPV4_ID_OFFSET (ETH_HLEN + 4)
#define IPV6_ID_OFFSET (ETH_HLEN + 40 + 4)
#define UDP_LENGTH_OFFSET 4

struct datagram {
    struct address source;
    struct address destination;
    __u32 id;
    __u32 class; /* that its first fragment took; 0: it was dropped */
    __u64 nanos;
    __u32 left_bytes; /* on the wire, that the others may have */
    __u8 protocol;
    __u8 reserved[3];
};

/* An array, where an endpoint can only overwrite its own; two datagrams that collide are
 * distinguished.
 */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, MAX_ENDPOINTS *DATAGRAMS);
    __type(key, __u32);
    __type(value, struct datagram);
} datagrams SEC(".maps");

/* What later_class returns where the datagram is not known. */
#define NOT_KNOWN (-1)

INLINE __u32 read_id(struct __sk_buff *skb, const struct packet *packet) {
    __be16 short_id = 0;
    __be32 id = 0;
    if (packet->version == 6) {
        bpf_skb_load_bytes(skb, IPV6_ID_OFFSET, &id, sizeof(id));
        return id;
    }
    bpf_skb_load_bytes(skb, IPV4_ID_OFFSET, &short_id, sizeof(short_id));
    return short_id;
}

INLINE struct datagram *datagram_at(const struct packet *packet, __u32 id, __u32 endpoint) {
    __u32 hash = (id ^ packet->destination.word[3]) * 0x9e3779b1;
    __u32 slot = endpoint * DATAGRAMS + (hash >> DATAGRAM_HASH_SHIFT);
    slot &= MAX_ENDPOINTS * DATAGRAMS - 1;
    return bpf_map_lookup_elem(&datagrams, &slot);
}

/*
 * What all fragments of a first one's datagram are on the wire: UDP has its length. Not
 * inlined, like the other two: the verifier checks each once.
 */
__noinline int datagram_bytes(struct __sk_buff *skb, const struct packet *packet) {
    if (!packet)
        return 0;
    __u32 headers = packet->transport_offset, end = ETH_HLEN + packet->network_bytes;
    __be16 length = 0;
    if (packet->protocol != IPPROTO_UDP || !headers || end <= headers ||
        bpf_skb_load_bytes(skb, headers + UDP_LENGTH_OFFSET, &length, sizeof(length)))
        return packet->bytes;
    __u32 bytes = bpf_ntohs(length), each = end - headers;
    bytes += (bytes + each - 1) / each * headers;
    if (bytes > MAX_DATAGRAM_BYTES)
        bytes = MAX_DATAGRAM_BYTES;
    return bytes > packet->bytes ? bytes : packet->bytes;
}

/*
 * Keeps what a first fragment's datagram of so many bytes is to become of: its class, or 0. Two
 * CPUs may write one slot: half of either suits no fragment.
 */
__noinline int remember_datagram(struct __sk_buff *skb, const struct packet *packet, __u32 endpoint,
                                 __u32 class, __u32 bytes) {
    if (!packet)
        return 0;
    __u32 id = read_id(skb, packet);
    struct datagram *datagram = datagram_at(packet, id, endpoint);
    if (!datagram)
        return 0;
    datagram->id = id;
    datagram->protocol = packet->protocol;
    datagram->source = packet->source;
    datagram->destination = packet->destination;
    datagram->class = class;
    datagram->left_bytes = bytes - packet->bytes;
    datagram->nanos = bpf_ktime_get_ns();
    return 0;
}

/*
 * The class that the first fragment of a later one's datagram took; 0: it was dropped. Unknown as
 * well is what exceeds the datagram's length.
 */
__noinline long later_class(struct __sk_buff *skb, const struct packet *packet, __u32 endpoint,
                            __u64 now) {
    if (!packet)
        return NOT_KNOWN;
    __u32 id = read_id(skb, packet);
    struct datagram *datagram = datagram_at(packet, id, endpoint);
    if (!datagram || datagram->id != id || datagram->protocol != packet->protocol ||
        now - datagram->nanos > DATAGRAM_NANOS ||
        !same_address(&datagram->source, &packet->source) ||
        !same_address(&datagram->destination, &packet->destination))
        return NOT_KNOWN;
    if (!datagram->class)
        return 0;
    if (*(volatile __u32 *)&datagram->left_bytes < packet->bytes)
        return NOT_KNOWN;
    ADD(datagram->left_bytes, -packet->bytes);
    return datagram->class;
}

/* A group whose last fragmented datagram is longer ago has no state of its queue. */
#define FRAGMENTED_NANOS NANOS_PER_SECOND

/*
 * Whether what is offered fits into its group's bulk leaf, as far as that is known here: what
 * was let in, less what has left since at the group's limit. The agent puts it right by the leaf's
 * real length, which is more when other classes hold it up. Only a datagram is refused; of what
 * comes whole the leaf drops what it has no room for.
 */
INLINE bool fits_leaf(struct group *group, const struct packet *packet, __u32 bytes, __u64 now) {
    if (packet->fragment == FIRST_FRAGMENT)
        group->fragmented_nanos = now;
    else if (now - group->fragmented_nanos > FRAGMENTED_NANOS)
        return true;
    return take_tokens(&group->queue, bytes, now) || packet->fragment != FIRST_FRAGMENT;
}

#endif
