/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Counters per (source, destination). */
#ifndef SLUICE_PAIR_H
#define SLUICE_PAIR_H

#include "learn.h"
#include "reflect.h"

#define QUIET_NANOS (200 * NANOS_PER_MILLI)

/* A packet counts as marked once: by the network first. */
enum mark {
    UNMARKED,
    MARKED_BY_NETWORK,
    MARKED_BY_PHANTOM,
};

INLINE struct pair *pair_at(__u32 slot) { return bpf_map_lookup_elem(&pairs, &slot); }

/* Whose quota a new pair is to be of. */
struct holder {
    struct endpoint *endpoint;
    __u32 index;
    enum table table;
};

INLINE struct pair *add_pair(struct shim *state, const struct holder *holder,
                             const struct pair_key *key) {
    struct reserve *reserve = &state->reserves[holder->table];
    struct quota *quota = &holder->endpoint->quotas[holder->table];
    __u32 slot;
    if (!take_entry(reserve, quota))
        return 0;
    if (bpf_map_pop_elem(&free_slots, &slot)) {
        return_entry(reserve, quota);
        return 0;
    }
    if (bpf_map_update_elem(&pair_slots, key, &slot, BPF_NOEXIST)) {
        /* Another CPU was first: its slot is the pair's. */
        bpf_map_push_elem(&free_slots, &slot, BPF_ANY);
        return_entry(reserve, quota);
        __u32 *theirs = bpf_map_lookup_elem(&pair_slots, key);
        return theirs ? pair_at(*theirs) : 0;
    }
    struct pair *pair = pair_at(slot);
    if (!pair)
        return 0;
    pair->key = *key;
    pair->holder = holder->index;
    pair->table = holder->table;
    pair->agents_epoch = 0;
    pair->used = true;
    return pair;
}

/*
 * Whether an agent stands before the other end, which counts marks and clears what is declared
 * here. Nobody else may get what the VM has not sent: Linux takes a SYN that arrives as ECT for
 * mangled, and refuses ECN. Looked up once an epoch, and not inlined.
 */
__noinline int find_agent(struct pair *pair, bool outward, __u32 epoch) {
    if (!pair)
        return false;
    struct address peer = outward ? pair->key.destination : pair->key.source;
    pair->peer_has_agent =
        bpf_map_lookup_elem(&agents, &peer) || bpf_map_lookup_elem(&owners, &peer);
    pair->agents_epoch = epoch;
    return pair->peer_has_agent;
}

INLINE bool peer_has_agent(const struct shim *state, struct pair *pair, bool outward) {
    if (state->declares_to_all)
        return true;
    __u32 epoch = *(volatile __u32 *)&state->agents_epoch;
    return pair->agents_epoch == epoch ? pair->peer_has_agent : find_agent(pair, outward, epoch);
}

/*
 * Whether one host is responsible for a packet's receiver: groups, and addresses that several
 * hosts may have at a time, are of none, and so is IP in a frame to a group.
 */
INLINE bool is_accountable(const struct packet *packet) {
    return packet->version && !packet->multicast && claimable(&packet->source) &&
           claimable(&packet->destination);
}

/* A slot may have been freed and taken by another pair since its flow kept it. */
INLINE struct pair *known_pair(const struct packet *packet, __u16 slot_from_1) {
    if (!slot_from_1)
        return 0;
    struct pair *pair = pair_at(slot_from_1 - 1);
    bool same = pair && pair->used && same_address(&pair->key.source, &packet->source) &&
                same_address(&pair->key.destination, &packet->destination);
    return same ? pair : 0;
}

INLINE struct pair *find_or_add_pair(struct shim *state, const struct holder *holder,
                                     const struct packet *packet, __u16 *known) {
    struct pair_key key = {.source = packet->source, .destination = packet->destination};
    __u32 *slot = bpf_map_lookup_elem(&pair_slots, &key);
    struct pair *pair = slot ? pair_at(*slot) : add_pair(state, holder, &key);
    if (!pair)
        ADD(state->unknown_pairs, 1);
    else if (slot && known)
        *known = *slot + 1;
    return pair;
}

/*
 * The packet's pair, a new one if need be; 0: its holder has as many as it may have. A flow keeps
 * its pairs' slots (known; 0: no flow), which spares each of its packets a lookup in the hash.
 */
INLINE struct pair *pair_of(struct shim *state, const struct holder *holder,
                            const struct packet *packet, __u16 *known) {
    struct pair *pair = known ? known_pair(packet, *known) : 0;
    return pair ? pair : find_or_add_pair(state, holder, packet, known);
}

INLINE __u32 group_of(__u32 endpoint, const struct packet *packet) {
    struct destination_key key = {.endpoint = endpoint, .address = packet->destination};
    __u32 *group = bpf_map_lookup_elem(&destinations, &key);
    return group ? *group : 0;
}

/* Outward. The pair keeps its group; the agent rewrites it when destinations move. */
INLINE struct pair *count_sent(struct shim *state, struct endpoint *endpoint,
                               const struct packet *packet, struct flow *flow, __u32 index,
                               __u64 now) {
    struct holder holder = {.endpoint = endpoint, .index = index, .table = TABLE_SENT_PAIRS};
    struct pair *pair = pair_of(state, &holder, packet, flow ? &flow->outward_pair : 0);
    if (!pair)
        return 0;
    if (!pair->outward) {
        pair->endpoint = index;
        pair->group = group_of(index, packet);
        pair->outward = true;
    }
    pair->last_sent_nanos = now;
    ADD(pair->sent_packets, packet->segments);
    ADD(pair->sent_bytes, packet->bytes);
    return pair;
}

INLINE void report_first_ce(struct shim *state, const struct pair *pair, __u64 now) {
    struct first_ce_event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
    if (!event) {
        ADD(state->lost_events, 1);
        return;
    }
    event->head.nanos = now;
    event->head.kind = EVENT_FIRST_CE;
    event->head.bytes = sizeof(event->pair);
    event->pair = pair->key;
    bpf_ringbuf_submit(event, wakeup(state, true));
}

/* Inward, from the network; the pair, 0 where there is no room for it. */
INLINE struct pair *count_received(struct __sk_buff *skb, struct shim *state,
                                   struct endpoint *endpoint, const struct packet *packet,
                                   struct flow *flow, __u32 index, enum mark mark, __u64 now) {
    struct holder holder = {.endpoint = endpoint, .index = index, .table = TABLE_RECEIVED_PAIRS};
    struct pair *pair = pair_of(state, &holder, packet, flow ? &flow->inward_pair : 0);
    if (!pair)
        return 0;
    if (!pair->inward) {
        bpf_skb_load_bytes(skb, ETH_ALEN, pair->source_mac, ETH_ALEN);
        pair->ingress_ifindex = skb->ingress_ifindex;
        pair->vlan_id = noted_vlan(skb);
        if (!pair->outward)
            pair->endpoint = index;
        pair->inward = true;
    }
    pair->last_received_nanos = now;
    ADD(pair->received_bytes, packet->bytes);
    if (packet->reserved_bit && state->reflecting == REFLECTING_BITS)
        ADD(pair->reflected_marks, packet->segments);
    if (mark == UNMARKED) {
        ADD(pair->unmarked_packets, packet->segments);
        return pair;
    }
    await_reflection(state, pair, packet);
    ADD(*(mark == MARKED_BY_NETWORK ? &pair->ce_packets : &pair->phantom_ce_packets),
        packet->segments);
    __u64 previous = pair->last_ce_nanos;
    pair->last_ce_nanos = now;
    if (now - previous > QUIET_NANOS)
        report_first_ce(state, pair, now);
    return pair;
}

#endif
