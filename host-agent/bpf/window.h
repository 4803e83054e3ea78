/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Receive windows: what a peer offers an endpoint's TCP is lowered to what the endpoint's class can
 * carry, so that a sender fills its own queue, not over it, and to what controllers have granted.
 */
#ifndef SLUICE_WINDOW_H
#define SLUICE_WINDOW_H

#include "connection.h"
#include "ecn.h"
#include "kernel.h"
#include "option.h"
#include "timing.h"

#define TCP_WINDOW_OFFSET 14

/*
 * Beyond it windows are left alone: TCP does well with a queue of 10 ms on a path that long, and
 * where round trips vary, a window for the shortest would leave the class unused.
 */
#define MAX_ROUND_TRIP_MICROS 20000
/* What a leaf holds at least (htb.LeafBytes). */
#define CLASS_QUEUE_MICROS 10000
#define LEAST_WINDOW_SEGMENTS 2

/* What a connection's SYNs had. */
enum handshake {
    LOCAL_SEEN = 1,
    LOCAL_SCALES = 2,
    REMOTE_SEEN = 4,
    REMOTE_SCALES = 8,
    EDGE_KNOWN = 16,
    LOCAL_SELECTIVE = 32,
    REMOTE_SELECTIVE = 64,
    SEQUENCE_KNOWN = 128,
};

/* What read_options returns: the scale, what there is, the maximum segment size. */
#define OPTIONS_SCALE_MASK 15
#define OPTIONS_SCALES 16
#define OPTIONS_SELECTIVE 32
#define OPTIONS_MALFORMED 64 /* void, unless there is a scale all the same */
#define OPTIONS_SEGMENT_SHIFT 8

/*
 * The options of a SYN, from one offset of the frame to another. A function of its own, not
 * inlined: the verifier then checks its loop once and not with all that comes behind it; nothing
 * in the loop depends on what was found, so that one turn is like the other. The first scale
 * counts, and holds even if what comes behind it cannot be read.
 */
__noinline int read_options(struct __sk_buff *skb, __u32 at, __u32 end) {
    __u32 found = 0;
    for (int i = 0; i < MAX_OPTION_BYTES; i++) {
        __u8 option[OPTION_SEGMENT_BYTES] = {};
        if (at >= end)
            break;
        if (bpf_skb_load_bytes(skb, at, option, 1))
            return found | OPTIONS_MALFORMED;
        if (option[0] == OPTION_END)
            break;
        if (option[0] == OPTION_NOP) {
            at++;
            continue;
        }
        if (bpf_skb_load_bytes(skb, at, option, 2) || option[1] < 2 || at + option[1] > end)
            return found | OPTIONS_MALFORMED;
        if (option[0] == OPTION_SCALE) {
            if (option[1] != OPTION_SCALE_BYTES ||
                bpf_skb_load_bytes(skb, at, option, OPTION_SCALE_BYTES))
                return found | OPTIONS_MALFORMED;
            __u32 scale = option[2] < MAX_SCALE ? option[2] : MAX_SCALE;
            __u32 is_first = (found & OPTIONS_SCALES) / OPTIONS_SCALES - 1; /* 0, or all bits */
            found |= (OPTIONS_SCALES | scale) & is_first;
        } else if (option[0] == OPTION_SELECTIVE) {
            found |= OPTIONS_SELECTIVE;
        } else if (option[0] == OPTION_SEGMENT && option[1] == OPTION_SEGMENT_BYTES &&
                   !bpf_skb_load_bytes(skb, at, option, OPTION_SEGMENT_BYTES)) {
            found &= (1 << OPTIONS_SEGMENT_SHIFT) - 1;
            found |= (option[2] << 8 | option[3]) << OPTIONS_SEGMENT_SHIFT;
        }
        at += option[1];
    }
    return found;
}

INLINE void learn_segment(struct flow *flow, __u32 bytes) {
    if (bytes && (!flow->segment_bytes || bytes < flow->segment_bytes))
        flow->segment_bytes = bytes;
}

/*
 * Learns from a SYN or SYN-ACK. A SYN begins a connection anew: whatever was known of the two ports
 * before is out of date. Scales hold only if both ends have sent one (RFC 7323, 2.2).
 */
INLINE void follow_handshake(struct __sk_buff *skb, struct flow *flow, const struct packet *packet,
                             bool outward) {
    if (packet->protocol != IPPROTO_TCP || !(packet->tcp_flags & TCP_SYN))
        return;
    if (!(packet->tcp_flags & TCP_ACK)) {
        flow->handshake = 0;
        flow->segment_bytes = 0;
        forget_round_trips(flow);
        flow->offered = false;
        flow->offer_micros = 0;
        flow->arrived_segments = 0;
    }
    if (outward) {
        flow->first_sequence = packet->sequence + 1;
        flow->handshake |= SEQUENCE_KNOWN;
    }
    __u8 seen = outward ? LOCAL_SEEN : REMOTE_SEEN;
    __u8 scales = outward ? LOCAL_SCALES : REMOTE_SCALES;
    __u8 selective = outward ? LOCAL_SELECTIVE : REMOTE_SELECTIVE;
    flow->handshake &= ~(seen | scales | selective);
    if (packet->transport_bytes < TCP_HEADER_BYTES)
        return;
    int options = read_options(skb, packet->transport_offset + TCP_HEADER_BYTES,
                               packet->transport_offset + packet->transport_bytes);
    if ((options & (OPTIONS_MALFORMED | OPTIONS_SCALES)) == OPTIONS_MALFORMED)
        return;
    flow->handshake |= seen;
    if (options & OPTIONS_SELECTIVE)
        flow->handshake |= selective;
    learn_segment(flow, options >> OPTIONS_SEGMENT_SHIFT);
    if (!(options & OPTIONS_SCALES))
        return;
    flow->handshake |= scales;
    if (outward)
        flow->local_scale = options & OPTIONS_SCALE_MASK;
    else
        flow->remote_scale = options & OPTIONS_SCALE_MASK;
}

/* Whether windows are to be lowered at all. */
INLINE bool is_short_way(const struct flow *flow) {
    return flow->least_round_trip_micros && flow->least_round_trip_micros <= MAX_ROUND_TRIP_MICROS;
}

/*
 * How long what a flow may have in transit takes: its usual round trip, which in switches of
 * software varies and is taken from the handshake, and what may stand in queues. But the handshake
 * may have met full queues, so beyond the least round trip there is no more than the class's own
 * queue holds.
 */
INLINE __u32 allowed_micros(const struct flow *flow, const struct group *group) {
    __u32 usual = flow->first_round_trip_micros + group->window_standing_micros;
    __u32 most = flow->least_round_trip_micros + CLASS_QUEUE_MICROS;
    return usual < most ? usual : most;
}

/*
 * What a flow may have in transit, in bytes, with the segment that a receiver holds back the
 * acknowledgement of until the next one comes.
 */
INLINE __u64 allowed_bytes(const struct flow *flow, const struct group *group) {
    __u64 rate = flow->bulk ? group->bulk_window_rate : group->window_rate;
    __u64 bytes = rate * allowed_micros(flow, group) >> WINDOW_RATE_SHIFT;
    bytes += group->window_segment_bytes;
    __u32 least = LEAST_WINDOW_SEGMENTS * group->window_segment_bytes;
    return bytes > least ? bytes : least;
}

/* Window and checksum, behind each other in the header. */
struct window_fields {
    __be16 window;
    __sum16 checksum;
};

INLINE struct window_fields *window_fields_of(struct __sk_buff *skb, const struct packet *packet) {
    __u32 offset = packet->transport_offset & UPPER_OFFSET_MASK;
    struct window_fields *fields = (void *)(long)skb->data + offset + TCP_WINDOW_OFFSET;
    return (void *)(fields + 1) > (void *)(long)skb->data_end ? 0 : fields;
}

/*
 * The sum of the whole packet, where a device has made one, stays what it was: the field's change
 * and its checksum's cancel out.
 */
INLINE void write_window(struct __sk_buff *skb, const struct packet *packet, __u16 window) {
    struct sk_buff *kernel = bpf_cast_to_kern_ctx(skb);
    bool summed_later = BPF_CORE_READ_BITFIELD(kernel, ip_summed) == CHECKSUM_PARTIAL;
    struct window_fields *fields = window_fields_of(skb, packet);
    if (!fields) {
        /* Behind many extension headers. */
        bpf_skb_pull_data(skb, packet->transport_offset + TCP_HEADER_BYTES);
        fields = window_fields_of(skb, packet);
        if (!fields)
            return;
    }
    __be16 new = bpf_htons(window);
    if (!summed_later)
        fields->checksum = replace_word(fields->checksum, fields->window, new);
    fields->window = new;
}

/*
 * What the agent sends to an endpoint itself: in the last bits of the mark of the socket that it
 * sends with, before which the VLAN is.
 */
enum origin {
    FROM_OTHERS = 0,
    AGENT_HANDSHAKE = 1, /* a SYN-ACK that has waited */
    AGENT_UPDATE = 2,    /* an acknowledgement that says no more than a wider window */
    AGENT_REPEAT = 3,    /* a duplicate acknowledgement: its window must be the last one's */
};

#define AGENT_MARK 0x536c0000
#define AGENT_MARK_MASK 0xffff0000
#define AGENT_ORIGIN_MASK 0x0f
#define AGENT_VLAN_SHIFT 4

/* Both ends' SYNs were seen: it is known what a window field means. */
INLINE bool scale_known(const struct flow *flow) {
    const __u8 both = LOCAL_SEEN | REMOTE_SEEN;
    return (flow->handshake & both) == both;
}

/* Both ends have sent one, and it holds for this packet. */
INLINE bool is_scaled(const struct flow *flow, const struct packet *packet) {
    const __u8 both = LOCAL_SCALES | REMOTE_SCALES;
    return (flow->handshake & both) == both && !(packet->tcp_flags & TCP_SYN);
}

/*
 * Lowers the window of an acknowledgement that comes in for an endpoint to the least of what its
 * class can carry and what is granted. The right edge that the endpoint has received never moves
 * left (RFC 9293, 3.8.6): a window comes down as data are acknowledged. Edges are followed whether
 * or not there is a limit, so that one can begin at any time. False: it is the agent's own and
 * would change nothing.
 */
INLINE bool fit_window(struct __sk_buff *skb, struct endpoint *endpoint,
                       const struct packet *packet, struct flow *flow, const struct group *group,
                       struct connection *c, enum origin origin, __u64 now) {
    if (!(packet->tcp_flags & TCP_ACK))
        return origin == FROM_OTHERS;
    bool known = scale_known(flow), limited = group && group->window_rate;
    if (limited && (!known || !is_short_way(flow))) {
        ADD(endpoint->unclamped_packets, packet->segments);
        limited = false;
    }
    if (!known || (origin == AGENT_REPEAT && !(flow->handshake & EDGE_KNOWN)))
        return origin == FROM_OTHERS || origin == AGENT_HANDSHAKE;
    __u8 scale = is_scaled(flow, packet) ? flow->remote_scale & OPTIONS_SCALE_MASK : 0;
    __u32 acknowledged = packet->acknowledgement;
    __u32 offered = (__u32)packet->window << scale;
    __s32 held = flow->handshake & EDGE_KNOWN ? (__s32)(flow->right_edge - acknowledged) : 0;
    __u64 allowed = limited ? allowed_bytes(flow, group) : NO_GRANT;
    __u64 granted = c ? granted_bytes(c, now) : NO_GRANT;
    /* It has waited in vain: a sender loses nothing by this, and a grant that comes late still
     * finds the edge near. */
    if (c && origin == AGENT_HANDSHAKE && !c->answered && !c->granted)
        granted = FIRST_WINDOW_SEGMENTS * segment_bytes(c);
    if (granted < allowed)
        allowed = granted;
    if (held > 0 && allowed < (__u32)held)
        allowed = held;
    if (origin == AGENT_REPEAT)
        allowed = held > 0 ? held : 0;
    if (offered > allowed) {
        __u16 window = (allowed + (1 << scale) - 1) >> scale;
        if (window != packet->window) {
            write_window(skb, packet, window);
            ADD(endpoint->clamped_packets, packet->segments);
            offered = (__u32)window << scale;
        }
    }
    bool wider = !(flow->handshake & EDGE_KNOWN) || (__s32)offered > held;
    if (wider) {
        flow->right_edge = acknowledged + offered;
        flow->handshake |= EDGE_KNOWN;
        if (c && c->granted && !c->grant_bytes)
            c->zero_nanos = now; /* A segment goes; the next one waits as long. */
    }
    if (c)
        c->right_edge = flow->right_edge;
    return wider || origin != AGENT_UPDATE;
}

#endif
