/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* IPv6's extension headers (RFC 8200): a VM must not hide behind them what it may not send. */
#ifndef SLUICE_EXTENSION_H
#define SLUICE_EXTENSION_H

#include "base.h"

/* Senders use one or two. */
#define MAX_EXTENSIONS 8
#define FRAGMENT_OFFSET_MASK 0xfff8

/* What find_upper returns: protocol, offset in the frame, whether the header is in this frame. */
#define UPPER_OFFSET_SHIFT 8
#define UPPER_OFFSET_MASK 0x7fff /* 8 extension headers of 2 KB at most end far before */
#define UPPER_ABSENT (1U << 30)

struct extension {
    __u8 next;
    __u8 length;
    __be16 fragment_offset; /* of a fragment header alone */
};

INLINE bool is_extension(__u32 protocol) {
    return protocol == IPPROTO_HOPOPTS || protocol == IPPROTO_DSTOPTS ||
           protocol == IPPROTO_ROUTING || protocol == IPPROTO_FRAGMENT || protocol == IPPROTO_AH;
}

INLINE __u32 extension_bytes(__u32 protocol, const struct extension *header) {
    if (protocol == IPPROTO_FRAGMENT)
        return 8;
    return protocol == IPPROTO_AH ? 4 * (header->length + 2) : 8 * (header->length + 1);
}

/*
 * The header behind the extension headers from an offset of the frame on; 0: the frame ends before
 * it (RFC 7112 forbids that), or there are too many. Not inlined: the verifier then checks its
 * loop once and not with all that comes behind it.
 */
__noinline int find_upper(struct __sk_buff *skb, __u32 protocol, __u32 at) {
    for (int i = 0; i <= MAX_EXTENSIONS; i++) {
        struct extension header;
        if (at > skb->len)
            return 0;
        if (!is_extension(protocol))
            return at << UPPER_OFFSET_SHIFT | (protocol & 0xff);
        if (bpf_skb_load_bytes(skb, at, &header, sizeof(header)))
            return 0;
        at += extension_bytes(protocol, &header);
        bool later = protocol == IPPROTO_FRAGMENT &&
                     (header.fragment_offset & bpf_htons(FRAGMENT_OFFSET_MASK));
        protocol = header.next;
        if (later)
            return UPPER_ABSENT | at << UPPER_OFFSET_SHIFT | protocol;
    }
    return 0;
}

#endif
