// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * The shim between a host's endpoints and its uplink.
 *
 *   VM --> from_vm --> bridge --> HTB on the uplink --> network
 *   VM <-- to_vm   <-- bridge <-- uplink_in         <-- network
 *
 * and, where the host has an endpoint `system`, from_host before HTB and to_host behind uplink_in.
 *
 * Between bridge and uplink there may be a VLAN or VXLAN device: uplink_in is on that one then.
 *
 * from_vm decides whose traffic it is and picks the class; HTB holds it to its limit, or, where the
 * limiter drops, from_vm's own buckets do. uplink_in takes the agents' own messages out. to_vm
 * counts marks and hides them from the VM, counts as marked what exceeds a receive ceiling, and
 * keeps windows to what the class can carry and what is granted. Where there are levels from_vm
 * writes them as DSCP, and to_vm hides them. from_vm and to_vm track connections while controllers
 * request that.
 */
#include "ecn.h"
#include "flow.h"
#include "fragment.h"
#include "level.h"
#include "neighbour.h"
#include "offer.h"
#include "pair.h"
#include "reflect.h"
#include "spoof.h"
#include "system.h"
#include "watch.h"

char __license[] SEC("license") = "Dual BSD/GPL";

#define CLASS_PLACE_BITS 5 /* behind the endpoint's number */
#define CLASSES_PER_GROUP 3

enum leaf {
    LEAF_SPARSE = 1,
    LEAF_BULK = 3,
};

INLINE struct group *group_at(__u32 endpoint, __u32 group) {
    __u32 slot = (endpoint * GROUPS + group) & (MAX_ENDPOINTS * GROUPS - 1);
    return bpf_map_lookup_elem(&groups, &slot);
}

/* The agent's Go code numbers classes the same way (internal/htb). */
INLINE __u32 class_of(const struct shim *state, __u32 endpoint, __u32 group, enum leaf leaf) {
    return state->class_base | endpoint << CLASS_PLACE_BITS | (CLASSES_PER_GROUP * group + leaf);
}

/* The index of the endpoint of an interface in a VLAN, or without any (0); 0: it has none. */
INLINE __u32 index_at(__u32 ifindex, __u32 vlan) {
    __u64 place = place_of(ifindex, vlan);
    __u32 slot = place_slot(ifindex, vlan);
    __u64 *cached = bpf_map_lookup_elem(&place_cache, &slot);
    __u64 word = cached ? *(volatile __u64 *)cached : 0;
    if ((word & PLACE_MASK) == place)
        return word & ~PLACE_MASK;
    __u32 *found = bpf_map_lookup_elem(&places, &place);
    return found ? *found : 0;
}

INLINE struct endpoint *endpoint_at(__u32 ifindex, __u32 vlan, __u32 *index) {
    *index = index_at(ifindex, vlan);
    return *index ? bpf_map_lookup_elem(&endpoints, index) : 0;
}

/* Whose a VM's frame is: a VLAN without an endpoint is for the one without VLAN to answer for. */
INLINE struct endpoint *endpoint_of(const struct __sk_buff *skb, const struct shim *state,
                                    __u32 *index) {
    __u32 vlan = state->has_trunks ? customer_vlan(skb) : 0;
    struct endpoint *endpoint = vlan ? endpoint_at(skb->ifindex, vlan, index) : 0;
    return endpoint ? endpoint : endpoint_at(skb->ifindex, 0, index);
}

/*
 * All data leaves for other agents as ECT, and nothing that a VM could forge a mark with. To others
 * it leaves as the VM has sent it. Where beginnings and ends are signed, whoever they are for, no
 * other segment of TCP looks like them: a switch reports each to the controller. What is residual
 * is Not-ECT: its marks would slow down others alone.
 */
INLINE __u8 declared_ecn(const struct shim *state, const struct packet *packet, bool residual,
                         bool to_agent) {
    bool signed_tcp = state->signing && packet->protocol == IPPROTO_TCP;
    if (residual)
        return NOT_ECT;
    if (signed_tcp && packet->tcp_flags & (TCP_SYN | TCP_FIN | TCP_RST))
        return ECT_1;
    if (!to_agent && packet->ecn == NOT_ECT)
        return NOT_ECT;
    return packet->ecn == ECT_1 && !signed_tcp ? ECT_1 : ECT_0;
}

INLINE void clear_forged(struct __sk_buff *skb, struct endpoint *endpoint, struct packet *packet) {
    if (packet->reserved_bit) {
        ADD(endpoint->forged_reserved, packet->segments);
        write_reserved_bit(skb, packet, false);
    }
    if (packet->ecn == CE)
        ADD(endpoint->forged_ce, packet->segments);
}

INLINE enum leaf choose_leaf(struct flow *flow, struct group *group, const struct packet *packet,
                             __u64 now) {
    if (!flow || !group)
        return LEAF_BULK;
    ADD(group->offered_packets, packet->segments);
    ADD(group->offered_bytes, packet->bytes);
    if (!is_sparse(flow, group, packet, now)) {
        count_bulk(flow, group, now);
        return LEAF_BULK;
    }
    ADD(group->offered_sparse_bytes, packet->bytes);
    return LEAF_SPARSE;
}

INLINE void count_dropped(struct group *group, const struct packet *packet) {
    ADD(group->bucket.dropped_packets, packet->segments);
    ADD(group->dropped_bytes, packet->bytes);
}

/*
 * Whether there are tokens, and room where that counts, for so many bytes. class_group: whose class
 * it leaves by; the group itself, unless that has a bucket with a reserve instead. queued: it is to
 * stand in the class's bulk leaf.
 */
INLINE bool admit(struct endpoint *endpoint, struct group *group, struct group *class_group,
                  const struct packet *packet, __u32 bytes, bool favoured, bool queued, __u64 now) {
    if (group != class_group && !admitted_with_reserve(group, bytes, favoured, now)) {
        count_dropped(group, packet);
        return false;
    }
    struct bucket *lacks = lacking(&endpoint->bucket, &class_group->bucket, bytes, now);
    if (!lacks && queued && !fits_leaf(class_group, packet, bytes, now))
        lacks = &class_group->bucket;
    if (lacks)
        ADD(lacks->dropped_packets, packet->segments);
    return !lacks;
}

/*
 * Whose unit of control a packet is. Nobody receives marks on what belongs to no pair, so a VM's is
 * residual; the host's own is trusted.
 */
INLINE __u32 choose_group(struct __sk_buff *skb, const struct shim *state, struct pair *pair,
                          __u32 index, bool is_vm) {
    if (!pair)
        return is_vm ? RESIDUAL : 0;
    return is_vm && reaches_neighbour(skb, state, pair, index) ? NEIGHBOURS : pair->group;
}

/*
 * A flow whose pair has come to another group stays in the one before while packets wait there, or
 * it would overtake itself. The agent, which knows the queue, says how long; without a queue the
 * new limit holds at once, and what is residual never waits for its own.
 */
INLINE __u32 keep_group(const struct flow *flow, __u32 index, __u32 wanted, __u64 now) {
    __u32 before = flow->group;
    if (before == wanted || before >= RESIDUAL || wanted >= RESIDUAL)
        return wanted;
    const struct group *group = group_at(index, before);
    bool waits = group && now < group->held_until_nanos && !has_paused(flow, group, now);
    return waits ? before : wanted;
}

/* What came of the same flow may have brought marks. */
INLINE void reflect_opposite(struct __sk_buff *skb, const struct flow *flow,
                             struct packet *packet) {
    struct pair *inward = flow->inward_pair ? pair_at(flow->inward_pair - 1) : 0;
    bool opposite = inward && inward->used &&
                    same_address(&inward->key.source, &packet->destination) &&
                    same_address(&inward->key.destination, &packet->source);
    if (opposite)
        reflect(skb, inward, packet);
}

/*
 * Queues and buckets are made for the largest frame, as the wire carries it. One that is mostly the
 * headers of its tiny segments is none that they should grow for.
 */
INLINE void follow_largest(const struct __sk_buff *skb, struct endpoint *endpoint,
                           const struct packet *packet) {
    __u32 most = 2 * skb->len, bytes = packet->bytes < most ? packet->bytes : most;
    if (bytes > endpoint->largest_frame)
        endpoint->largest_frame = bytes;
}

/* Counts, classifies and limits what an endpoint sends; what the program is to return. */
INLINE int let_out(struct __sk_buff *skb, struct shim *state, struct endpoint *endpoint,
                   __u32 index, struct packet *packet, bool is_vm) {
    __u64 now = bpf_ktime_get_ns();
    bool accountable = is_accountable(packet);
    struct flow_key key = {};
    if (accountable)
        outward_flow(&key, packet, index);
    else
        residual_flow(&key, packet, index);
    struct flow *flow = find_or_add_flow(&key);
    bool sent_again = false;
    struct pair *pair = accountable ? count_sent(state, endpoint, packet, flow, index, now) : 0;
    __u32 group_index = choose_group(skb, state, pair, index, is_vm);
    ADD(endpoint->sent_packets, packet->segments);
    ADD(endpoint->sent_bytes, packet->bytes);
    follow_largest(skb, endpoint, packet);

    if (flow && accountable) {
        follow_negotiation(flow, packet);
        group_index = keep_group(flow, index, group_index, now);
        flow->group = group_index;
        if (is_vm) {
            follow_handshake(skb, flow, packet, true);
            sent_again = time_segment(flow, packet, now);
            if (state->watching)
                watch_outward(flow, &key, packet, now);
        }
    }

    bool enforced = enforcing(state, now);
    if (is_vm && flow && accountable && packet->protocol == IPPROTO_TCP && !packet->fragment &&
        group_index != NEIGHBOURS)
        lower_offer(skb, state, endpoint, flow, packet, enforced, now);

    /* Always written: a VM must not bring a class of its own choice. */
    if (!enforced) {
        skb->priority = state->open_class;
        return NEXT;
    }
    if (is_vm && pair && refuses(state, pair, packet, now)) {
        ADD(endpoint->refused_connections, 1);
        return DROP;
    }
    struct group *group = group_at(index, group_index);
    /* The last two have no class; to a neighbour none matters, unless a bridge floods. */
    __u32 class_index = group_index < RESIDUAL ? group_index : 0;
    struct group *class_group = class_index == group_index ? group : group_at(index, class_index);
    if (!group || !class_group)
        return DROP;
    /* Before the leaf, for which this is the flow's last packet. */
    bool levelled = is_vm && state->levels.count;
    struct flow *followed = accountable && !packet->fragment && group_index < RESIDUAL ? flow : 0;
    __u32 level = levelled ? choose_level(state, endpoint, followed, &key, group, packet, now) : 0;
    enum leaf leaf = choose_leaf(flow, group, packet, now);
    __u32 class = class_of(state, index, class_index, leaf), bytes = packet->bytes;
    long settled = NOT_KNOWN; /* by the first fragment of its datagram */
    if (packet->fragment == FIRST_FRAGMENT) {
        bytes = datagram_bytes(skb, packet);
        if (bytes > endpoint->largest_frame)
            endpoint->largest_frame = bytes; /* so that queues and buckets hold it */
    } else if (packet->fragment) {
        settled = later_class(skb, packet, index, now);
    }
    if (settled != NOT_KNOWN) {
        class = settled;
        if (!class)
            count_dropped(group, packet);
    } else if (!admit(endpoint, group, class_group, packet, bytes,
                      sent_again || leaf == LEAF_SPARSE,
                      leaf == LEAF_BULK && group_index != NEIGHBOURS, now)) {
        class = 0;
    }
    if (packet->fragment == FIRST_FRAGMENT)
        remember_datagram(skb, packet, index, class, bytes);
    if (!class)
        return DROP;
    if (packet->version && !(endpoint->flags & KEEP_ECN)) {
        bool to_agent = pair && peer_has_agent(state, pair, true);
        __u8 ecn = declared_ecn(state, packet, group_index == RESIDUAL, to_agent);
        clear_forged(skb, endpoint, packet);
        if (levelled)
            declare_level(skb, &state->levels, endpoint, packet, level, ecn);
        else
            write_ecn(skb, packet, ecn);
        if (state->reflecting == REFLECTING_BITS && flow)
            reflect_opposite(skb, flow, packet);
    }
    skb->priority = class;
    return NEXT;
}

/*
 * The program is on an interface that has no endpoint: there were too many, or it is about to come
 * from an earlier agent. Nothing limits or checks what it sends, so it sends nothing.
 */
INLINE int without_endpoint(struct __sk_buff *skb, struct shim *state) {
    ADD(state->held_packets, 1);
    return enforcing(state, bpf_ktime_get_ns()) ? DROP : NEXT;
}

/* The priority in a VLAN tag is the network's to set, not a VM's. */
INLINE void clear_priority(struct __sk_buff *skb) {
    __u16 tci = skb->vlan_tci;
    if (skb->vlan_proto != bpf_htons(ETH_P_8021Q) || tci == (tci & VLAN_ID))
        return;
    bpf_skb_vlan_pop(skb);
    if (tci & VLAN_ID)
        bpf_skb_vlan_push(skb, bpf_htons(ETH_P_8021Q), tci & VLAN_ID);
}

SEC("tcx/ingress")
int from_vm(struct __sk_buff *skb) {
    struct shim *state = shim_state();
    if (!state)
        return NEXT;
    __u32 index = 0;
    struct endpoint *endpoint = endpoint_of(skb, state, &index);
    if (!endpoint)
        return without_endpoint(skb, state);
    if (skb->vlan_present && enforcing(state, bpf_ktime_get_ns()))
        clear_priority(skb);

    struct packet packet = {};
    if (!read_packet(skb, &packet)) {
        ADD(state->malformed_packets, 1);
        return DROP;
    }
    int violation = judge(skb, endpoint, index, &packet);
    if (violation) {
        ADD(*(violation == ROGUE ? &endpoint->rogue_packets : &endpoint->spoofed_packets),
            packet.segments);
        return DROP;
    }
    if (packet.version && packet.protocol == state->control_protocol) {
        ADD(endpoint->forged_control, packet.segments);
        return DROP;
    }
    return let_out(skb, state, endpoint, index, &packet, true);
}

/*
 * At the uplink, only where there is an endpoint `system`. VMs' packets have a class already, also
 * inside a tunnel; what comes from a device is forwarded for others.
 */
SEC("tcx/egress")
int from_host(struct __sk_buff *skb) {
    struct shim *state = shim_state();
    if (!state || skb->ingress_ifindex || (skb->priority & CLASS_MAJOR) == state->class_base)
        return NEXT;
    __u32 index = 0;
    struct endpoint *endpoint = endpoint_at(skb->ifindex, 0, &index);
    struct packet packet = {};
    if (!endpoint || !read_packet(skb, &packet) || packet.protocol == state->control_protocol ||
        !is_system(skb, &packet))
        return NEXT;
    return let_out(skb, state, endpoint, index, &packet, false);
}

/*
 * What the VM's peer had sent; with `preserve` an agreed flow sees the mark itself. Of other
 * protocols nobody knows what was agreed, as QUIC does under its own cover: with `preserve` they
 * see what arrives.
 */
INLINE __u8 restored_ecn(const struct endpoint *endpoint, const struct packet *packet,
                         const struct flow *flow, bool foreign) {
    if (foreign && !(packet->tcp_flags & TCP_SYN))
        return packet->ecn;
    if (packet->protocol != IPPROTO_TCP && endpoint->flags & PRESERVE_ECN)
        return packet->ecn;
    if (!flow || flow->ecn != ECN_AGREED)
        return NOT_ECT;
    return packet->ecn == CE && !(endpoint->flags & PRESERVE_ECN) ? ECT_0 : packet->ecn;
}

/* True: nobody has declared it to be ECT on behalf of its sender, for whom the mark is. */
INLINE bool count_arrived(struct __sk_buff *skb, struct shim *state, struct endpoint *endpoint,
                          const struct packet *packet, struct flow *flow, __u32 index,
                          bool from_afar, __u64 now) {
    bool foreign = false, ce = packet->ecn == CE;
    if (from_afar && !packet->multicast && meant_for(endpoint, packet)) {
        bool over = found_over(&state->arrivals, packet, now);
        over |= fill_phantom(&endpoint->arrivals, packet, now);
        enum mark mark = ce ? MARKED_BY_NETWORK : over ? MARKED_BY_PHANTOM : UNMARKED;
        struct pair *pair = count_received(skb, state, endpoint, packet, flow, index, mark, now);
        foreign = pair && !peer_has_agent(state, pair, false);
    }
    ADD(endpoint->received_packets, packet->segments);
    ADD(endpoint->received_bytes, packet->bytes);
    if (ce)
        ADD(endpoint->ce_packets, packet->segments);
    return foreign;
}

/* No device stands before what the agent sends itself. It gets the tag that its like has. */
INLINE enum origin take_origin(struct __sk_buff *skb) {
    __u32 mark = skb->mark;
    if (skb->ingress_ifindex || (mark & AGENT_MARK_MASK) != AGENT_MARK)
        return FROM_OTHERS;
    __u16 vlan = mark >> AGENT_VLAN_SHIFT & VLAN_ID;
    if (vlan)
        bpf_skb_vlan_push(skb, bpf_htons(ETH_P_8021Q), vlan);
    return mark & AGENT_ORIGIN_MASK;
}

SEC("tcx/egress")
int to_vm(struct __sk_buff *skb) {
    enum origin origin = take_origin(skb);
    __u32 index = 0;
    struct shim *state = shim_state();
    struct endpoint *endpoint = state ? endpoint_of(skb, state, &index) : 0;
    struct packet packet = {};
    if (!endpoint)
        return NEXT;
    if (!read_packet(skb, &packet)) {
        ADD(state->malformed_packets, 1);
        return DROP;
    }
    if (!packet.version)
        return NEXT;
    if (packet.protocol == state->control_protocol)
        return DROP;

    __u64 now = bpf_ktime_get_ns();
    bool from_afar = origin != FROM_OTHERS || from_network(state, skb->ingress_ifindex);
    struct flow *flow = 0;
    struct connection *connection = 0;
    if (packet.protocol == IPPROTO_TCP) {
        struct flow_key key = {};
        inward_flow(&key, &packet, index);
        if (packet.tcp_flags & TCP_SYN) {
            flow = find_or_add_flow(&key);
            if (flow) {
                follow_negotiation(flow, &packet);
                follow_handshake(skb, flow, &packet, false);
            }
        } else {
            flow = find_flow(&key);
        }
        if (flow)
            measure_round_trip(flow, &packet, now);
        if (flow && packet.tcp_flags & TCP_RST && state->levels.sizes_epoch)
            end_flow(flow, state->levels.sizes_epoch);
        if (state->watching && flow)
            connection = connection_of(flow, &key);
    }
    bool foreign = origin == FROM_OTHERS &&
                   count_arrived(skb, state, endpoint, &packet, flow, index, from_afar, now);
    bool enforced = enforcing(state, now);
    if (flow && state->offer_rate && origin == FROM_OTHERS && from_afar)
        follow_arrival(state, endpoint, flow, &packet, now);
    if (connection && origin != AGENT_UPDATE && origin != AGENT_REPEAT) {
        if (enforced && origin == FROM_OTHERS && answers_handshake(&packet) &&
            hold_handshake(skb, flow, connection, &packet, now))
            return DROP;
        watch_inward(skb, flow, connection, &packet, now);
    }
    if (flow) {
        struct group *group = enforced ? group_at(index, from_afar ? flow->group : NEIGHBOURS) : 0;
        /* Nobody widens a grant when the agent has died. */
        struct connection *granted =
            enforced && leased(state, now) && !in_foreign_vlan(skb) ? connection : 0;
        if (!fit_window(skb, endpoint, &packet, flow, group, granted, origin, now))
            return DROP;
    }
    if (enforced) {
        __u8 ecn = restored_ecn(endpoint, &packet, flow, foreign);
        if (state->levels.count)
            hide_level(skb, &state->levels, &packet, ecn);
        else
            write_ecn(skb, &packet, ecn);
        if (state->reflecting == REFLECTING_BITS)
            write_reserved_bit(skb, &packet, false);
    }
    return NEXT;
}

/* At the uplink, where the host's peers count what it sends as well. */
SEC("tcx/ingress")
int to_host(struct __sk_buff *skb) {
    __u32 index = 0;
    struct endpoint *endpoint = endpoint_at(skb->ifindex, 0, &index);
    struct shim *state = shim_state();
    struct packet packet = {};
    if (!endpoint || !state || !read_packet(skb, &packet) || !packet.version ||
        !owns(endpoint, &packet.destination))
        return NEXT;
    __u64 now = bpf_ktime_get_ns();
    struct flow *flow = 0;
    if (packet.protocol == IPPROTO_TCP) {
        struct flow_key key = {};
        inward_flow(&key, &packet, index);
        if (packet.tcp_flags & TCP_SYN) {
            flow = find_or_add_flow(&key);
            if (flow)
                follow_negotiation(flow, &packet);
        } else {
            flow = find_flow(&key);
        }
    }
    bool foreign = count_arrived(skb, state, endpoint, &packet, flow, index, true, now);
    if (enforcing(state, now)) {
        write_ecn(skb, &packet, restored_ecn(endpoint, &packet, flow, foreign));
        if (state->reflecting == REFLECTING_BITS)
            write_reserved_bit(skb, &packet, false);
    }
    return NEXT;
}

/* Every packet of the uplink passes here: read no more than identifies a control packet. */
INLINE bool is_control(struct __sk_buff *skb, const struct shim *state) {
    void *data = (void *)(long)skb->data;
    void *end = (void *)(long)skb->data_end;
    struct ethhdr *ethernet = data;
    if (data + ETH_HLEN + sizeof(struct iphdr) > end) {
        if (skb->len < ETH_HLEN + sizeof(struct iphdr) ||
            bpf_skb_pull_data(skb, ETH_HLEN + sizeof(struct iphdr)))
            return false;
        data = (void *)(long)skb->data;
        end = (void *)(long)skb->data_end;
        ethernet = data;
        if (data + ETH_HLEN + sizeof(struct iphdr) > end)
            return false;
    }
    if (ethernet->h_proto == bpf_htons(ETH_P_IP))
        return ((struct iphdr *)(data + ETH_HLEN))->protocol == state->control_protocol;
    if (ethernet->h_proto == bpf_htons(ETH_P_IPV6))
        return ((struct ipv6hdr *)(data + ETH_HLEN))->nexthdr == state->control_protocol;
    return false;
}

/* Everything counts towards the uplink's receive ceiling, also what is no endpoint's. */
INLINE void count_arrival(struct __sk_buff *skb, struct shim *state) {
    if (!state->arrivals.byte_ticks)
        return;
    struct packet packet = {};
    /* Headers matter for super-packets alone: each of their frames has had them. */
    if (!skb->gso_size || !read_packet(skb, &packet)) {
        packet.bytes = skb->len;
        packet.segments = 1;
    }
    fill_phantom(&state->arrivals, &packet, bpf_ktime_get_ns());
}

SEC("tcx/ingress")
int uplink_in(struct __sk_buff *skb) {
    struct shim *state = shim_state();
    if (!state)
        return NEXT;
    note_vlan(skb);
    count_arrival(skb, state);
    if (!is_control(skb, state))
        return NEXT;
    ADD(state->control_packets, 1);
    struct packet packet = {};
    struct control_event *event = 0;
    if (!read_packet(skb, &packet))
        ADD(state->malformed_packets, 1);
    else if (!(event = bpf_ringbuf_reserve(&events, sizeof(*event), 0)))
        ADD(state->lost_events, 1);
    if (!event)
        return DROP;
    /* By the header's own length: devices pad short frames. */
    __u32 bytes = packet.network_bytes;
    if (bytes > CONTROL_BYTES)
        bytes = CONTROL_BYTES;
    event->head.nanos = bpf_ktime_get_ns();
    event->head.kind = EVENT_CONTROL;
    event->head.bytes = bytes;
    event->ingress_ifindex = skb->ifindex;
    event->vlan_id = vlan_id(skb);
    event->reserved = 0;
    if (bytes < sizeof(struct iphdr) ||
        bpf_skb_load_bytes(skb, ETH_ALEN, event->source_mac, ETH_ALEN) ||
        bpf_skb_load_bytes(skb, ETH_HLEN, event->packet, bytes)) {
        ADD(state->malformed_packets, 1);
        bpf_ringbuf_discard(event, 0);
        return DROP;
    }
    bpf_ringbuf_submit(event, wakeup(state, false));
    return DROP;
}
