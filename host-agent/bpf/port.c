// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * The queue of a software switch port.
 *
 *   ingress device --> into_queue --> egress device's HTB(capacity) + pfifo --> network
 *                                     (mark_by_qdisc or mark_by_phantom just before it)
 *   egress device  --> pass_back  --> ingress device            (reverse direction, unshaped)
 *
 * With levels the HTB has a class and a pfifo for each, and mark_by_level chooses among them; the
 * last level may have further ones, the background queues, of some destinations each.
 */
#include "ecn.h"
#include "kernel.h"
#include "place.h"
#include "slope.h"
#include "stamp.h"

char __license[] SEC("license") = "Dual BSD/GPL";

#define BACKLOG_BUCKETS 256
#define KEPT_BYTES 2048             /* of a frame; a longer one is reported, but not kept */
#define KEPT_NANOS NANOS_PER_SECOND /* so long the agent keeps it */

#define MAX_LEVELS 4
#define DSCPS 64
#define MAX_LISTED 8 /* qdiscs in one bucket of a device's table; of ours there are 5 at most */

#define MAX_BACKGROUND_QUEUES 64
#define OWN_QUEUE MAX_BACKGROUND_QUEUES /* the last level's own */
#define MAX_DESTINATIONS 32768          /* half of them of a set, half that have left one */

/* What became of the packets of a level; without levels all are of the first. */
struct level {
    /* Found more than the threshold in the queue, and room; each is counted in one of these. */
    __u64 marked_packets;
    __u64 over_unmarked_packets;
    __u64 dropped_not_ect_packets;
    __u64 dropped_full_packets; /* dropped here and not by the queue, to be reported */
    struct slope slope;         /* where marks go by it */
    __u32 decided_packets;      /* the threshold by a controller's decision; 0: none */
    __u32 read_packets;         /* the backlog by which a batch is marked, and when it was read */
    __u64 read_nanos;
};

/* A queue beside the last level's own. */
struct background {
    struct level counters;
    __u64 capped_until_nanos; /* 0: no cap. A live agent has ended it soon after. */
};

#define CAP_OUTLIVED_NANOS NANOS_PER_SECOND

struct port {
    __u32 ingress_ifindex;
    __u32 egress_ifindex;
    __u32 threshold_packets;
    __u32 buffer_packets;
    __u32 drop_not_ect; /* above the threshold, where it marks: 1 drops what cannot be marked */
    __u32 marks;        /* 0: what is above the threshold is counted and left as it is */
    __u64 bytes_per_second;
    __u64 arrived_packets; /* to be queued */
    __u64 arrived_bytes;
    __u64 arrived_super_packets; /* the queue counts each as one packet */
    __u64 returned_packets;      /* in the reverse direction */
    __u64 returned_bytes;
    __u64 unreported_losses; /* that the agent does not receive: ring full */
    __u32 reports_losses;    /* what finds the queue full is dropped here */
    __u32 first_class;       /* HTB's of the first level, the others' follow */
    struct level levels[MAX_LEVELS];
    __u8 level_of_dscp[DSCPS];
    __u32 last_level;
    __u32 has_background;         /* queues; 0: destinations are not looked up */
    __u32 first_background_class; /* HTB's of background queue 0, the others' follow */
    /* 0: marks above the threshold. Else only while the queue grows, and from this length on. */
    __u32 upper_threshold_packets;
    __u64 decided_until_nanos; /* so long levels' decided thresholds hold; 0: there are none */
    __u64 hold_nanos;    /* so long one reading of a backlog counts for marks; 0: not at all */
    __u64 phantom_nanos; /* when the phantom queue was last drained */
    __u64 phantom_bytes;
    __s32 missing_segments; /* that were dropped and have not come again */
    __u32 reserved;
    /* So long timestamps of flows that lost segments are followed, and places kept for them. */
    __u64 lossy_until_nanos;
    /* How many packets each arriving one found before it; the last bucket is "or more". */
    __u64 backlog_seen[BACKLOG_BUCKETS];
    struct background background[MAX_BACKGROUND_QUEUES];
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct port);
} ports SEC(".maps");

/*
 * Which of the last level's queues a destination's packets wait in. One that has moved goes on to
 * wait in the former while that holds anything, so that its packets stay in order, but not forever.
 */
struct destination {
    __u32 queue; /* a background queue, or OWN_QUEUE */
    __u32 former;
    __u64 until_nanos; /* the longest that it goes on with the former; 0: it has moved */
};

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __uint(max_entries, MAX_DESTINATIONS);
    __type(key, struct address);
    __type(value, struct destination);
} destinations SEC(".maps");

/* A TCP segment that found the queue full. */
struct loss_event {
    __u64 nanos;
    __u32 bytes;    /* of the frame */
    __u32 captured; /* that are here */
    __u8 frame[KEPT_BYTES];
};

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 1 << 21);
} losses SEC(".maps");

INLINE struct port *port_state(void) {
    __u32 zero = 0;
    return bpf_map_lookup_elem(&ports, &zero);
}

/*
 * A clone, not a redirect: the clone belongs to no socket, so that the sender's socket buffer does
 * not cap the queue and a drop in the queue is not reported to the sender.
 */
SEC("tcx/ingress")
int into_queue(struct __sk_buff *skb) {
    struct port *state = port_state();
    if (!state)
        return NEXT;
    ADD(state->arrived_packets, 1);
    ADD(state->arrived_bytes, skb->len);
    if (skb->gso_size)
        ADD(state->arrived_super_packets, 1);
    bpf_clone_redirect(skb, state->egress_ifindex, 0);
    return DROP;
}

SEC("tcx/ingress")
int pass_back(struct __sk_buff *skb) {
    struct port *state = port_state();
    if (!state)
        return NEXT;
    ADD(state->returned_packets, 1);
    ADD(state->returned_bytes, skb->len);
    bpf_clone_redirect(skb, state->ingress_ifindex, 0);
    return DROP;
}

INLINE void report_loss(struct __sk_buff *skb, struct port *state) {
    struct packet packet = {};
    if (!read_packet(skb, &packet) || packet.protocol != IPPROTO_TCP || !packet.transport_bytes)
        return;
    follow_stamps(skb, &packet);
    __u64 now = bpf_ktime_get_ns();
    if (now >= state->lossy_until_nanos)
        state->missing_segments = 0; /* their senders have given up */
    state->lossy_until_nanos = now + KEPT_NANOS;
    miss_segment(&packet, &state->missing_segments);
    struct loss_event *event = bpf_ringbuf_reserve(&losses, sizeof(*event), 0);
    if (!event) {
        ADD(state->unreported_losses, 1);
        return;
    }
    __u32 bytes = skb->len < KEPT_BYTES ? skb->len : KEPT_BYTES;
    event->nanos = bpf_ktime_get_ns();
    event->bytes = skb->len;
    event->captured = bytes;
    asm volatile("" : "+r"(bytes)); /* keep the test below, by which the verifier sees the bound */
    if (bytes < ETH_HLEN || bytes > KEPT_BYTES || bpf_skb_load_bytes(skb, 0, event->frame, bytes))
        bpf_ringbuf_discard(event, 0);
    else
        bpf_ringbuf_submit(event, 0);
}

/* From how many packets on a level's queue marks; where its slope counts, always from upper on. */
struct thresholds {
    __u32 packets;
    __u32 upper;
};

INLINE struct thresholds thresholds_of(const struct port *state, const struct level *level) {
    struct thresholds t = {state->threshold_packets, state->upper_threshold_packets};
    __u64 until = state->decided_until_nanos;
    __u32 decided = level->decided_packets;
    if (until && decided && t.packets && bpf_ktime_get_ns() < until) {
        if (t.upper)
            t.upper = (__u64)t.upper * decided / t.packets;
        t.packets = decided;
    }
    return t;
}

/* How many packets may be in a queue for this one to find room; it is made fit to come again. */
INLINE __u32 room_after_losses(struct __sk_buff *skb, struct port *state, __u32 backlog_packets) {
    __u32 buffer = state->buffer_packets;
    struct packet packet = {};
    if (read_packet(skb, &packet) && packet.protocol == IPPROTO_TCP && packet.transport_bytes) {
        renew_stamp(skb, &packet);
        if (comes_again(&packet, &state->missing_segments, backlog_packets < buffer))
            return buffer;
    }
    return buffer - places_kept(state->missing_segments, buffer);
}

/*
 * What marks go by. A switch that polls its ports in turn passes packets on in batches, each port's
 * together and always in the same order, and what comes last would always find the others' before
 * it. So one reading serves a whole batch.
 */
INLINE __u32 held_backlog(const struct port *state, struct level *level, __u32 backlog_packets) {
    if (!state->hold_nanos)
        return backlog_packets;
    __u64 now = bpf_ktime_get_ns();
    if (now - level->read_nanos >= state->hold_nanos) {
        level->read_nanos = now;
        level->read_packets = backlog_packets;
    }
    return level->read_packets;
}

/* marked: how many packets got their mark here. */
INLINE int mark(struct __sk_buff *skb, const struct port *state, struct level *level,
                __u32 *marked) {
    struct packet packet = {};
    if (!read_packet(skb, &packet) || !packet.version)
        return NEXT;
    if (packet.ecn == NOT_ECT) {
        if (!state->drop_not_ect)
            return NEXT;
        ADD(level->dropped_not_ect_packets, packet.segments);
        return DROP;
    }
    if (packet.ecn != CE) {
        write_ecn(skb, &packet, CE);
        *marked = packet.segments;
    }
    return NEXT;
}

/*
 * The backlog is that of the queue which the packet is to wait in. A capped queue is full because
 * it is capped, and not because of what came: that is no loss to be answered.
 */
INLINE int judge(struct __sk_buff *skb, struct port *state, struct level *level,
                 __u32 backlog_packets, bool capped) {
    __u32 bucket = backlog_packets < BACKLOG_BUCKETS ? backlog_packets : BACKLOG_BUCKETS - 1;
    asm volatile("" : "+r"(bucket)); /* keep the mask below, by which the verifier sees the bound */
    ADD(state->backlog_seen[bucket & (BACKLOG_BUCKETS - 1)], 1);
    __u32 room = state->buffer_packets;
    if (state->lossy_until_nanos && bpf_ktime_get_ns() < state->lossy_until_nanos)
        room = room_after_losses(skb, state, backlog_packets);
    if (state->reports_losses && backlog_packets >= room) {
        /* The queue would drop it now, unreported. */
        ADD(level->dropped_full_packets, wire_packets(skb));
        if (!capped)
            report_loss(skb, state);
        return DROP;
    }
    __s64 slope = 0;
    struct thresholds threshold = thresholds_of(state, level);
    __u32 upper = threshold.upper;
    if (upper && backlog_packets < state->buffer_packets)
        slope = slope_at_arrival(&level->slope, backlog_packets);
    /* What meets a full buffer is dropped after this, and neither a mark of this port's nor
     * counted. */
    bool fits = backlog_packets < state->buffer_packets;
    backlog_packets = held_backlog(state, level, backlog_packets);
    if (!threshold.packets || backlog_packets <= threshold.packets)
        return NEXT;
    bool marks = state->marks && (!upper || backlog_packets >= upper || slope > 0);
    __u32 marked = 0;
    int verdict = marks ? mark(skb, state, level, &marked) : NEXT;
    if (fits && marked)
        ADD(level->marked_packets, marked);
    else if (fits)
        ADD(level->over_unmarked_packets, wire_packets(skb));
    return verdict;
}

/* The queue itself says how long it is, this packet not counted. */
SEC("tcx/egress")
int mark_by_qdisc(struct __sk_buff *skb) {
    struct port *state = port_state();
    if (!state)
        return NEXT;
    struct sk_buff *kernel_skb = bpf_cast_to_kern_ctx(skb);
    return judge(skb, state, &state->levels[0], kernel_skb->dev->qdisc->q.qlen, false);
}

/* What is not IP has no DSCP, and is of the last level. */
INLINE __u32 level_of(struct __sk_buff *skb, const struct port *state) {
    struct {
        __be16 ethertype;
        __u8 ip[2];
    } head;
    if (bpf_skb_load_bytes(skb, offsetof(struct ethhdr, h_proto), &head, sizeof(head)))
        return state->last_level;
    if (head.ethertype == bpf_htons(ETH_P_IP))
        return state->level_of_dscp[head.ip[1] >> DSCP_SHIFT];
    if (head.ethertype == bpf_htons(ETH_P_IPV6))
        return state->level_of_dscp[(head.ip[0] & 15) << 2 | head.ip[1] >> 6];
    return state->last_level;
}

/* How many packets wait in a leaf of the device's HTB; 0 if it is not there. */
INLINE __u32 leaf_backlog(const struct sk_buff *skb, __u32 handle) {
    struct net_device *device = skb->dev;
    __u32 bucket = handle * GOLDEN_RATIO_32 >> (32 - QDISC_HASH_BITS);
    const struct hlist_head *head =
        bpf_rdonly_cast((void *)&device->qdisc_hash[0] + bucket * sizeof(struct hlist_head),
                        bpf_core_type_id_kernel(struct hlist_head));
    struct hlist_node *node = head->first;
    for (int i = 0; i < MAX_LISTED && node; i++) {
        const struct Qdisc *qdisc =
            bpf_rdonly_cast((void *)node - bpf_core_field_offset(struct Qdisc, hash),
                            bpf_core_type_id_kernel(struct Qdisc));
        if (qdisc->handle == handle)
            return qdisc->q.qlen;
        node = qdisc->hash.next;
    }
    return 0;
}

/* A leaf's qdisc is numbered after its class. */
INLINE __u32 class_backlog(const struct sk_buff *skb, __u32 class) {
    return leaf_backlog(skb, class << 16);
}

/* Read in place, as with read_packet. False: it has none. */
INLINE bool load_destination(struct __sk_buff *skb, struct address *to) {
    void *data = (void *)(long)skb->data, *end = (void *)(long)skb->data_end;
    if (data + HEADER_ROOM > end && end - data < skb->len) {
        bpf_skb_pull_data(skb, skb->len < HEADER_ROOM ? skb->len : HEADER_ROOM);
        data = (void *)(long)skb->data;
        end = (void *)(long)skb->data_end;
    }
    const struct ethhdr *ethernet = data;
    const struct iphdr *ipv4 = data + ETH_HLEN;
    const struct ipv6hdr *ipv6 = data + ETH_HLEN;
    if ((void *)(ipv4 + 1) > end)
        return false;
    if (ethernet->h_proto == bpf_htons(ETH_P_IP)) {
        map_ipv4(to, ipv4->daddr);
        return true;
    }
    if (ethernet->h_proto != bpf_htons(ETH_P_IPV6) || (void *)(ipv6 + 1) > end)
        return false;
    copy_address(to, &ipv6->daddr);
    return !is_mapped(to); /* they must not occur here, and would be taken for IPv4's */
}

INLINE __u32 class_of_queue(const struct port *state, __u32 queue) {
    return queue < MAX_BACKGROUND_QUEUES ? state->first_background_class + queue
                                         : state->first_class + state->last_level;
}

/* Which of the last level's queues a packet is to wait in. */
INLINE __u32 queue_of(struct __sk_buff *skb, const struct port *state) {
    struct address address;
    if (!load_destination(skb, &address))
        return OWN_QUEUE;
    struct destination *destination = bpf_map_lookup_elem(&destinations, &address);
    if (!destination)
        return OWN_QUEUE;
    if (destination->until_nanos) {
        __u32 former = destination->former;
        if (bpf_ktime_get_ns() < destination->until_nanos &&
            class_backlog(bpf_cast_to_kern_ctx(skb), class_of_queue(state, former)))
            return former;
        destination->until_nanos = 0;
    }
    return destination->queue;
}

/*
 * A level's queue is served when those before it are empty, and marks by its own length. So do
 * background queues, which take turns with the last level's own.
 */
SEC("tcx/egress")
int mark_by_level(struct __sk_buff *skb) {
    struct port *state = port_state();
    if (!state)
        return NEXT;
    __u32 level = level_of(skb, state) & (MAX_LEVELS - 1);
    __u32 class = state->first_class + level;
    struct level *counters = &state->levels[level];
    bool capped = false;
    if (state->has_background && level == state->last_level) {
        __u32 queue = queue_of(skb, state);
        if (queue < MAX_BACKGROUND_QUEUES) {
            __u64 until = state->background[queue].capped_until_nanos;
            /* Later nobody is left to end the cap, and it is to hold back nothing any more. */
            if (!until || bpf_ktime_get_ns() < until + CAP_OUTLIVED_NANOS) {
                class = state->first_background_class + queue;
                counters = &state->background[queue].counters;
                capped = until;
            }
        }
    }
    skb->priority = class;
    __u32 backlog_packets = class_backlog(bpf_cast_to_kern_ctx(skb), class);
    return judge(skb, state, counters, backlog_packets, capped);
}

/*
 * Where the kernel does not let programs read the queue: a counter that drains at the port's
 * capacity. It gets no drops and timers, so it is capped at twice the threshold lest it run away.
 */
SEC("tcx/egress")
int mark_by_phantom(struct __sk_buff *skb) {
    struct port *state = port_state();
    if (!state)
        return NEXT;
    __u64 now = bpf_ktime_get_ns();
    __u64 elapsed = now - state->phantom_nanos;
    if (elapsed > NANOS_PER_SECOND)
        elapsed = NANOS_PER_SECOND;
    __u64 drained = elapsed * state->bytes_per_second / NANOS_PER_SECOND;
    __u64 bytes = state->phantom_bytes > drained ? state->phantom_bytes - drained : 0;
    __u64 cap = 2ULL * state->threshold_packets * ETH_FRAME_LEN;
    int verdict = judge(skb, state, &state->levels[0], bytes / ETH_FRAME_LEN, false);
    if (verdict != DROP)
        bytes += skb->len;
    state->phantom_bytes = bytes < cap ? bytes : cap;
    state->phantom_nanos = now;
    return verdict;
}
