/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * TCP connections that are watched, each in the direction in which the endpoint sends: how much has
 * been acknowledged, how long that takes, and what window the peer's acknowledgements may offer.
 * Only while a controller requests it.
 */
#ifndef SLUICE_CONNECTION_H
#define SLUICE_CONNECTION_H

#include "flow.h"

#define HEADER_BYTES 128 /* Ethernet, IPv6 or IPv4, TCP with all options, of plain packets */
#define HELD_BYTES 192
/*
 * A grant of 0 lets a segment go once in so long, and in as much more as the connection's port
 * has it: those that were closed together would else open together.
 */
#define ZERO_GRANT_NANOS NANOS_PER_SECOND
#define ZERO_GRANT_SPREAD_MASK 511 /* of the port, milliseconds */
/* Where no SYN was seen: of Ethernet, RFC 6691. */
#define USUAL_SEGMENT_BYTES 1460
#define ACKNOWLEDGEMENT_TRIES 4
#define FIRST_WINDOW_SEGMENTS 10 /* RFC 6928 */
#define NO_GRANT (~0ULL)

enum connection_state {
    CONNECTION_OPENED = 1,      /* a SYN or SYN-ACK of the endpoint was seen */
    CONNECTION_ESTABLISHED = 2, /* data may go */
    CONNECTION_CLOSED = 3,      /* everything up to a FIN is acknowledged, or a RST was seen */
};

/* The slot is reused only after the agent has freed it. */
struct connection {
    struct flow_key key;
    __u64 opened_nanos;
    __u64 last_nanos; /* of its last packet */
    __u64 delivered_bytes;
    __u64 progress_nanos; /* when they grew last; 0: they have not */
    __u64 zero_nanos;     /* since when the grant is 0, or when a segment went last */
    __u64 held_nanos;     /* when its SYN-ACK was given to the agent; 0: it was not */
    __u32 used;
    __u32 incarnation; /* grows when a SYN begins it anew */
    __u32 state;
    __u32 begun;        /* sequence of the first byte */
    __u32 acknowledged; /* up to here */
    __u32 sent_edge;    /* behind the last byte that has been sent */
    __u32 fin_sequence;
    __u32 right_edge;              /* of the window that the endpoint was offered */
    __u32 round_trip_micros;       /* latest; 0: unknown */
    __u32 least_round_trip_micros; /* since the beginning */
    __u32 segment_bytes;
    __u32 granted; /* grant_bytes hold */
    __u32 grant_bytes;
    __u32 answered; /* a controller has decided about it: its SYN-ACK need not wait */
    __u8 fin_sent;
    __u8 uncounted; /* what was acknowledged before the first packet seen is not counted yet */
    __u8 scaled;    /* its scale is known, so its window can be written */
    __u8 selective; /* both ends have agreed on SACK */
    __u16 vlan_id;  /* of what the peer sends; 0: none */
    __u16 reserved;
    /* The peer's last acknowledgement as it came. */
    __u32 lock; /* odd: somebody writes it */
    __u32 peer_acknowledgement;
    __u32 peer_sequence; /* of what the peer sends next */
    __u32 header_bytes;  /* 0: none has come */
    __u8 header[HEADER_BYTES];
};

/* What a grant is about; a port of 0 is any. */
struct grant_key {
    struct address source;
    struct address destination;
    __u16 source_port;
    __u16 destination_port;
};

struct connection_event {
    struct event head;
    __u32 slot;
    __u32 reserved;
};

/* A SYN-ACK that waits for the agent. */
struct handshake_event {
    struct event head; /* its bytes: of the frame alone */
    __u32 slot;
    __u32 incarnation;
    __u32 ifindex; /* of the device that it was to leave by */
    __u16 vlan_id; /* 0: none */
    __u16 reserved;
    __u8 frame[HELD_BYTES];
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, MAX_CONNECTIONS);
    __type(key, __u32);
    __type(value, struct connection);
} connections SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, MAX_CONNECTIONS);
    __type(key, struct flow_key);
    __type(value, __u32); /* slot in connections */
} connection_slots SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_STACK);
    __uint(max_entries, MAX_CONNECTIONS);
    __type(value, __u32);
} free_connections SEC(".maps");

/* Windows in bytes for connections to come, the lowest of all controllers'. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, MAX_CONNECTIONS);
    __type(key, struct grant_key);
    __type(value, __u32);
} grants SEC(".maps");

INLINE struct connection *connection_at(__u32 slot) {
    return bpf_map_lookup_elem(&connections, &slot);
}

INLINE bool same_flow(const struct flow_key *a, const struct flow_key *b) {
    const __u32 *left = (const __u32 *)a, *right = (const __u32 *)b;
    for (int i = 0; i < sizeof(*a) / sizeof(*left); i++)
        if (left[i] != right[i])
            return false;
    return true;
}

/* A slot may have been freed and taken by another since the flow got it. */
INLINE struct connection *connection_of(const struct flow *flow, const struct flow_key *key) {
    if (!flow->connection)
        return 0;
    struct connection *c = connection_at(flow->connection - 1);
    return c && c->used && same_flow(&c->key, key) ? c : 0;
}

INLINE void report_connection(struct shim *state, __u32 slot, __u64 now) {
    struct connection_event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
    if (!event) {
        ADD(state->lost_events, 1); /* the agent finds out at its next poll */
        return;
    }
    event->head.nanos = now;
    event->head.kind = EVENT_CONNECTION;
    event->head.bytes = sizeof(event->slot);
    event->slot = slot;
    event->reserved = 0;
    bpf_ringbuf_submit(event, wakeup(state, true));
}

/* The most specific grant for connections to come that fits. */
INLINE __u32 *expected_grant(const struct flow_key *key) {
    struct grant_key wanted = {
        .source = key->local,
        .destination = key->remote,
        .source_port = key->local_port,
        .destination_port = key->remote_port,
    };
    __u32 *bytes = bpf_map_lookup_elem(&grants, &wanted);
    if (bytes)
        return bytes;
    wanted.source_port = 0;
    bytes = bpf_map_lookup_elem(&grants, &wanted);
    if (bytes)
        return bytes;
    wanted.source_port = key->local_port;
    wanted.destination_port = 0;
    bytes = bpf_map_lookup_elem(&grants, &wanted);
    if (bytes)
        return bytes;
    wanted.source_port = 0;
    return bpf_map_lookup_elem(&grants, &wanted);
}

/* For a connection that is new here; the agent polls it again when the event comes. */
INLINE void apply_expected_grant(struct connection *c, __u64 now) {
    __u32 *bytes = expected_grant(&c->key);
    if (bytes) {
        c->grant_bytes = *bytes;
        c->zero_nanos = now;
    }
    c->granted = bytes != 0;
    c->answered = bytes != 0;
}

INLINE struct connection *take_connection(struct shim *state, struct flow *flow,
                                          const struct flow_key *key) {
    __u32 slot;
    __u32 *known = bpf_map_lookup_elem(&connection_slots, key);
    if (known) {
        /* The flow was forgotten, not the connection. */
        slot = *known;
        flow->connection = slot + 1;
        return connection_of(flow, key);
    }
    __u32 index = key->endpoint;
    struct endpoint *endpoint = bpf_map_lookup_elem(&endpoints, &index);
    if (!endpoint)
        return 0;
    struct reserve *reserve = &state->reserves[TABLE_CONNECTIONS];
    struct quota *quota = &endpoint->quotas[TABLE_CONNECTIONS];
    if (!take_entry(reserve, quota)) {
        ADD(state->unwatched_connections, 1);
        return 0;
    }
    if (bpf_map_pop_elem(&free_connections, &slot)) {
        return_entry(reserve, quota);
        ADD(state->unwatched_connections, 1);
        return 0;
    }
    struct connection *c = connection_at(slot);
    if (!c)
        return 0;
    c->key = *key;
    if (bpf_map_update_elem(&connection_slots, key, &slot, BPF_NOEXIST)) {
        /* Another CPU was first; the next packet finds its slot. */
        bpf_map_push_elem(&free_connections, &slot, BPF_ANY);
        return_entry(reserve, quota);
        return 0;
    }
    c->used = true;
    flow->connection = slot + 1;
    return c;
}

INLINE __u32 segment_bytes(const struct connection *c) {
    return c->segment_bytes ? c->segment_bytes : USUAL_SEGMENT_BYTES;
}

INLINE __u64 zero_grant_nanos(const struct connection *c) {
    return ZERO_GRANT_NANOS + (c->key.local_port & ZERO_GRANT_SPREAD_MASK) * NANOS_PER_MILLI;
}

/* What may be in transit: whole segments; none for a while, but not for long. */
INLINE __u64 granted_bytes(const struct connection *c, __u64 now) {
    if (!c->granted)
        return NO_GRANT;
    __u32 segment = segment_bytes(c), grant = c->grant_bytes;
    if (!grant)
        return now - c->zero_nanos < zero_grant_nanos(c) ? 0 : segment;
    return ((__u64)grant + segment - 1) / segment * segment;
}

#endif
