/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What the shim's programs and the agent share. The arrays are memory-mapped: the agent reads
 * counters and writes limits without a system call. Counters only grow; the agent takes
 * differences.
 */
#ifndef SLUICE_STATE_H
#define SLUICE_STATE_H

#include "packet.h"
#include "phantom.h"
#include "police.h"
#include "quota.h"

#define MAX_ENDPOINTS 1024 /* index 0 is unused */
#define PLACE_CACHE_SLOTS 4096
#define GROUPS 16               /* slots per endpoint; group 0 is the default */
#define NEIGHBOURS (GROUPS - 1) /* the group of what goes to other endpoints of the host */
#define RESIDUAL (GROUPS - 2)   /* the group of residual traffic, which belongs to no pair */
#define MAX_PAIRS 16384
#define MAX_AGENTS 65536
#define LEAST_FLOWS 1024
#define MAX_CONNECTIONS 4096
#define MAX_ADDRESSES 8
#define MAX_LINK_LOCALS 2 /* that an endpoint has announced */
#define MAX_THROUGH 8
#define MAX_LEVELS 4
#define CONTROL_BYTES 256
#define WINDOW_RATE_SHIFT 20 /* window rates are bytes in 2^20 us: no division for each packet */

enum endpoint_flag {
    ANTI_SPOOF = 1,
    PRESERVE_ECN = 2,
    LEARN = 4,      /* addresses are learned from what the VM sends */
    PASS_VLANS = 8, /* it may send frames with a VLAN tag */
    KEEP_ECN = 16,  /* what it sends leaves as it is: nobody would count its marks */
    /* What port security drops otherwise: */
    MAY_USE_OTHER_MACS = 32,
    MAY_USE_OTHER_ADDRESSES = 64,
    MAY_ADVERTISE_ROUTES = 128,
    MAY_SERVE_DHCP = 256,
    MAY_SEND_DISCOVERY = 512,
};

/* What happens when the agent has died and its lease is over. */
enum after_lease {
    AFTER_LEASE_OPEN = 0, /* the shim passes everything */
    AFTER_LEASE_HOLD = 1, /* limits and filters stay as they are */
};

/* By how much a flow has sent, the DSCP that its packets leave with; level 0 is the first. */
struct levels {
    __u32 count; /* 0: no DSCP is written */
    __u8 dscps[MAX_LEVELS];
    __u64 threshold_bytes[MAX_LEVELS]; /* who has sent so much leaves the level; of the last: ~0 */
    __u64 idle_nanos;                  /* a flow that is idle for longer begins anew */
    __u64 hidden_dscps;                /* a bit each: VMs do not see them */
    __u64 sizes_epoch; /* 1 to 15: flows' sizes are reported since; 0: they are not */
};

/* HyGenICC: how marks get back to the sending host. */
enum reflecting {
    REFLECTING_NOTHING,  /* by the agent's reports */
    REFLECTING_MESSAGES, /* by its messages about marks that wait */
    REFLECTING_BITS,     /* by these, and by reserved bits of what goes back */
};

struct shim {
    __u64 lease_until_nanos; /* CLOCK_MONOTONIC: until then somebody keeps limits up to date */
    __u32 enforcing;         /* 0: count, but leave every packet as if there were no shim */
    __u32 through_count;
    __u32 open_class; /* of traffic that nobody limits */
    __u32 class_base; /* HTB's handle, in the upper half */
    __u32 control_protocol;
    __u32 watching;             /* connections are followed; else all of that costs this one test */
    __u32 through[MAX_THROUGH]; /* ifindexes of the devices towards the network */
    __u64 lost_events;          /* ring full */
    __u64 unknown_pairs;        /* no slot left: traffic passed uncounted */
    __u64 control_packets;      /* taken off the uplink */
    __u64 malformed_packets;
    __u64 hold_until_nanos; /* until then somebody is there to pass held SYN-ACKs on; 0: nobody */
    __u64 unwatched_connections; /* no slot left: they go unreported and ungranted */
    __u64 held_handshakes;       /* SYN-ACKs given to the agent */
    __u64 held_packets;          /* of no endpoint, by interface and VLAN: dropped if enforcing */
    __u32 after_lease;           /* enum after_lease */
    __u32 reflecting;            /* enum reflecting */
    __u32 signing;               /* TCP's beginnings and ends leave as ECT(1) */
    __u32 owners_epoch;          /* grows with every change of owners */
    __u32 polled;       /* the agent reads the ring often: it is woken for what is urgent alone */
    __u32 agents_epoch; /* grows with every change of agents, and of owners */
    __u32 declares_to_all;   /* ECT, whether an agent is known there or not */
    __u32 has_trunks;        /* some endpoint is or was in a VLAN: else none is looked up by it */
    struct phantom arrivals; /* of all that the uplink brings, where its receive ceiling is set */
    struct reserve reserves[TABLES];
    struct levels levels;
    __u64 offer_rate;            /* the uplink's, for receivers' windows; 0: they are left alone */
    __u64 offer_threshold_bytes; /* K of the port before it */
};

struct endpoint {
    __u32 flags;
    __u32 address_count;
    struct address addresses[MAX_ADDRESSES];
    __u64 sent_packets;
    __u64 sent_bytes;
    __u64 received_packets;
    __u64 received_bytes;
    __u64 ce_packets;
    __u64 spoofed_packets;   /* dropped: an address or a MAC that is not its own */
    __u64 rogue_packets;     /* dropped: what a router, a DHCP server or a switch sends */
    __u64 foreign_macs;      /* frames with a MAC that is not its own, dropped or not */
    __u64 foreign_mac;       /* the last of them */
    __u64 forged_ce;         /* CE set by the VM, cleared */
    __u64 forged_reserved;   /* reserved bit set by the VM, cleared */
    __u64 forged_control;    /* control protocol sent by the VM, dropped */
    __u64 largest_frame;     /* bytes on the wire, super-packets whole */
    __u64 clamped_packets;   /* whose window was lowered */
    __u64 unclamped_packets; /* whose window should have been, but its scale or round trip is not
                                known */
    __u64 refused_claims;    /* of addresses that are another's, or too many */
    struct address refused;  /* the last of them */
    struct bucket bucket;    /* of everything it sends, where the limiter drops */
    struct phantom arrivals; /* of what the network brings it, where it has a receive ceiling */
    struct quota quotas[TABLES];
    __u64 mac;              /* as packet.source_mac: the first frame's, unless it was given one */
    __u64 link_local_nanos; /* when the last of them was announced */
    struct address link_locals[MAX_LINK_LOCALS];
    __u64 level_bytes[MAX_LEVELS]; /* sent by each level */
    __u64 demoted_flows;           /* to the last level, for want of a group's priority */
    __u64 own_dscps;               /* packets with a DSCP set by the VM, replaced */
    __u64 refused_connections;     /* SYNs towards where marks have the path congested, dropped */
    struct bucket announcements;   /* of large flows: a byte each */
    /* Of what it receives: offer.h. */
    __u64 receiving_epoch;
    __u32 receiving; /* connections that began, or brought data, in the epoch */
    __u32 receiving_before;
    __u32 gain_shift; /* by which windows exceed what the link needs */
    __u32 usual_round_trip_micros;
    __u64 epoch_bytes; /* received before it */
    __u64 backlog_bytes;
    __u64 promised_bytes; /* of it, first windows of which nothing has come yet */
    __u64 drained_nanos;
    __u64 drained_bytes;
    __u64 lowered_offers; /* packets whose window was lowered */
};

/* One unit of control: an endpoint's traffic towards one congested port. */
struct group {
    __u64 sparse_bytes_per_second;
    __u32 sparse_depth_bytes;
    __u32 sparse_flow_bytes; /* a flow with more than that in the window is bulk */
    __u64 sparse_refilled_nanos;
    __s64 sparse_tokens_bytes; /* less than 0: lent */
    __u64 offered_packets;
    __u64 offered_bytes;
    __u64 offered_sparse_bytes;
    __u64 window_rate;      /* for a sparse flow's window; 0: windows are left alone */
    __u64 bulk_window_rate; /* for each bulk flow's */
    __u32 window_segment_bytes;
    __u32 window_standing_micros; /* how long packets may stand in queues, beside the round trip */
    __u32 bulk_epoch;             /* in which bulk_flows are counted */
    __u32 bulk_flows;
    __u32 bulk_flows_before; /* in the epoch before */
    __u32 sparse_lent_bytes; /* to flows that have begun in the sparse leaf, at most */
    __u64 fragmented_nanos;  /* when the last fragmented datagram was offered */
    struct bucket queue;     /* the room in its bulk leaf, for those */
    struct bucket bucket;    /* where the limiter drops; of NEIGHBOURS, where there is a ceiling; of
                                RESIDUAL, always */
    /* Of NEIGHBOURS and RESIDUAL alone: */
    __u64 reserve_ticks; /* of the bucket's depth, not for bulk */
    __u64 credit_ticks;  /* of it, not for senders without recent drops */
    __u64 last_drop_nanos;
    __u64 dropped_bytes;
    /* Of the others: */
    struct bucket priority; /* what may leave by other levels than the last */
    __u64 leaf_nanos;       /* so long packets stand in a leaf at most */
    __u64 held_until_nanos; /* packets wait in it: till then a flow whose group changes stays */
};

struct pair_key {
    struct address source;
    struct address destination;
};

/* One direction between two addresses. The slot is reused only after the agent has freed it. */
struct pair {
    struct pair_key key;
    __u32 used;
    __u16 endpoint; /* index of the local endpoint: the source's outward, else the
                       destination's */
    __u16 group;    /* of the source's endpoint */
    __u8 source_mac[6];
    __u8 outward; /* seen leaving this host */
    __u8 inward;  /* seen arriving at this host from the network */
    /* The path that it arrives by, first of all: */
    __u32 ingress_ifindex;
    __u16 vlan_id; /* on the wire; 0: none */
    /* The endpoint here that has the destination, as of an epoch of the owners; 0: none. */
    __u16 neighbour;
    __u32 owners_epoch;
    __u16 holder;             /* index of the endpoint whose quota it is of */
    __u8 table;               /* enum table */
    __u8 refuses_connections; /* outward: HyGenICC, while marks have the path congested */
    __u32 agents_epoch;       /* of peer_has_agent */
    __u32 peer_has_agent;     /* the host of the other end has one */
    __u64 sent_packets;
    __u64 sent_bytes;
    /* Each received packet is counted in one of three: no reading has more marks than packets. */
    __u64 unmarked_packets;
    __u64 ce_packets;
    __u64 phantom_ce_packets; /* others that found more than the threshold in a phantom queue */
    __u64 received_bytes;
    __u64 last_sent_nanos;
    __u64 last_received_nanos;
    __u64 last_ce_nanos; /* either kind */
    /* Where marks are reflected. Inward, those that nothing has taken back yet: */
    __s64 waiting_marks;
    /* Inward, those of the opposite direction that came back in reserved bits: */
    __u64 reflected_marks;
};

struct destination_key {
    __u32 endpoint;
    struct address address;
};

/* A transport flow from the endpoint's side, the same for both directions. */
struct flow_key {
    struct address local;
    struct address remote;
    __u16 local_port;
    __u16 remote_port;
    __u16 endpoint;
    __u8 protocol;
    __u8 reserved;
};

struct flow {
    __u64 window_started_nanos;
    __u64 last_nanos;
    __u32 window_bytes;
    __u32 previous_bytes;
    __u32 bulk;
    __u32 ecn;                     /* enum negotiation */
    __u64 timed_nanos;             /* when the byte before timed_edge left; 0: nothing is timed */
    __u32 timed_edge;              /* sequence that acknowledges it */
    __u32 sent_edge;               /* behind the last byte that has been sent */
    __u32 round_trip_micros;       /* latest; 0: unknown */
    __u32 first_round_trip_micros; /* the handshake's, if it was not sent again */
    __u32 least_round_trip_micros; /* since the beginning */
    __u32 right_edge;              /* of the window that the endpoint was offered */
    __u32 bulk_epoch;              /* in which the flow was counted as bulk */
    __u8 group;                    /* of what was sent last */
    __u8 handshake;                /* enum handshake */
    __u8 remote_scale;
    __u8 sent;            /* sent_edge is known */
    __u16 connection;     /* slot in connections, from 1; 0: none that is known here */
    __u16 segment_bytes;  /* the lesser of both ends' maximum segment sizes; 0: unknown */
    __u32 first_sequence; /* of the endpoint's data */
    __u16 outward_pair;   /* slots in pairs, from 1; 0: none that is known here */
    __u16 inward_pair;
    __u64 levelled;     /* sent since it began, or was idle, and more: level.h */
    __u64 turned_nanos; /* when it should have left the sparse leaf; 0: it should not */
    /* Of what it brings to the endpoint: offer.h. */
    __u32 offered_edge; /* right edge of the window that the peer was offered */
    __u32 offer_micros; /* round trip without queues; 0: unknown */
    __u16 counted_epoch;
    __u16 marked_epoch;
    __u8 arrived_segments; /* since it began, or paused */
    __u8 offered;          /* offered_edge is known */
    __u8 local_scale;
    __u8 reserved;
};

enum event_kind {
    EVENT_CONTROL = 1,
    EVENT_FIRST_CE = 2,
    EVENT_CONNECTION = 3,
    EVENT_HANDSHAKE = 4,
    EVENT_LARGE_FLOW = 5,
};

struct event {
    __u64 nanos;
    __u32 kind;
    __u32 bytes;
};

struct control_event {
    struct event head; /* its bytes: of the packet alone */
    __u8 source_mac[6];
    __u16 vlan_id; /* 0: none */
    __u32 ingress_ifindex;
    __u32 reserved;
    __u8 packet[CONTROL_BYTES]; /* from the IP header on */
};

struct large_flow_event {
    struct event head;
    struct flow_key flow;
};

struct first_ce_event {
    struct event head;
    struct pair_key pair;
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct shim);
} shims SEC(".maps");

/*
 * Where on the host an endpoint is: at an interface, in a VLAN of it or without any (0). It stands
 * above 16 bits for an index.
 */
#define PLACE_MASK (~0xffffULL)
INLINE __u64 place_of(__u32 ifindex, __u32 vlan) { return (__u64)ifindex << 32 | vlan << 16; }

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, MAX_ENDPOINTS);
    __type(key, __u64); /* place */
    __type(value, __u32);
} places SEC(".maps");

/*
 * Where an endpoint is looked up first, which spares the lookup in the hash: its place and its
 * index, one word so that nobody reads half of it. Where two meet the later has the slot, and the
 * other is found in the hash.
 */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, PLACE_CACHE_SLOTS);
    __type(key, __u32);
    __type(value, __u64);
} place_cache SEC(".maps");

/* A trunk's VLANs have slots apart from those of the interfaces behind it. */
INLINE __u32 place_slot(__u32 ifindex, __u32 vlan) {
    return (ifindex + 67 * vlan) % PLACE_CACHE_SLOTS;
}

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, MAX_ENDPOINTS);
    __type(key, __u32);
    __type(value, struct endpoint);
} endpoints SEC(".maps");

/* Whose a learned address is: the first that claims it keeps it. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, MAX_ENDPOINTS *(MAX_ADDRESSES + MAX_LINK_LOCALS));
    __type(key, struct address);
    __type(value, __u32); /* endpoint */
} owners SEC(".maps");

/* Addresses of other hosts that have an agent: it has answered. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, MAX_AGENTS);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, struct address);
    __type(value, __u8);
} agents SEC(".maps");

/* Whose a MAC is, as with addresses. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, MAX_ENDPOINTS);
    __type(key, __u64);   /* its bytes in their order, then two zeros */
    __type(value, __u32); /* endpoint */
} mac_owners SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, MAX_ENDPOINTS *GROUPS);
    __type(key, __u32);
    __type(value, struct group);
} groups SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, MAX_PAIRS);
    __type(key, __u32);
    __type(value, struct pair);
} pairs SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, MAX_PAIRS);
    __type(key, struct pair_key);
    __type(value, __u32); /* slot in pairs */
} pair_slots SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_STACK);
    __uint(max_entries, MAX_PAIRS);
    __type(value, __u32);
} free_slots SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, MAX_PAIRS);
    __type(key, struct destination_key);
    __type(value, __u32); /* group */
} destinations SEC(".maps");

/* Each endpoint's own: one that opens flows without end forgets only its own. */
struct flow_table {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, LEAST_FLOWS); /* at least: the agent makes them */
    __uint(key_size, sizeof(struct flow_key));
    __uint(value_size, sizeof(struct flow));
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
    __uint(max_entries, MAX_ENDPOINTS);
    __type(key, __u32);
    __array(values, struct flow_table);
} flow_tables SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 1 << 20);
} events SEC(".maps");

#define SIZE_BITS 2             /* so many bins for each doubling: 4 */
#define SIZES (40 << SIZE_BITS) /* larger ones, of a terabyte, count as such */

/* How many flows of which size have ended: what bin is which, ended_bin says. */
struct flow_sizes {
    __u64 counts[SIZES];
};

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct flow_sizes);
} ended_flows SEC(".maps");

INLINE struct shim *shim_state(void) {
    __u32 zero = 0;
    return bpf_map_lookup_elem(&shims, &zero);
}

/* How to submit an event: one that polls is woken for what is urgent alone, whatever is unread. */
INLINE __u64 wakeup(const struct shim *state, bool urgent) {
    if (!state->polled)
        return 0;
    return urgent ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

/* Whether a device leads to the network: the uplink, or what stands on it. */
INLINE bool from_network(const struct shim *state, __u32 ifindex) {
    for (int i = 0; i < MAX_THROUGH; i++) {
        if (i >= state->through_count)
            break;
        if (state->through[i] == ifindex)
            return true;
    }
    return false;
}

/* The agent lives, or died less than a lease ago. */
INLINE bool leased(const struct shim *state, __u64 now) { return now < state->lease_until_nanos; }

/* Enforcement is on, and the agent lives, or what it left is to hold. */
INLINE bool enforcing(const struct shim *state, __u64 now) {
    return state->enforcing && (state->after_lease == AFTER_LEASE_HOLD || leased(state, now));
}

#endif
