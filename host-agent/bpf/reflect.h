/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * HyGenICC's feedback (Abdelmoniem, Bensaou and Abu, Algorithm 2): what arrived marked goes back in
 * the reserved bit of IPv4's header, one mark in each packet. The agent takes the rest along in
 * messages. Taken marks are subtracted from the pending ones, so that none is returned twice.
 *
 * And its refusal of connections: none begins towards where the agent has found the path congested,
 * as long as there is an agent that updates that.
 */
#ifndef SLUICE_REFLECT_H
#define SLUICE_REFLECT_H

#include "ecn.h"
#include "state.h"

/* Of a packet that has arrived. */
INLINE void await_reflection(const struct shim *state, struct pair *inward,
                             const struct packet *packet) {
    if (state->reflecting != REFLECTING_NOTHING)
        __sync_fetch_and_add(&inward->waiting_marks, packet->segments);
}

/*
 * Of a packet that goes back to where inward comes from. A device copies the bit into every segment
 * that it cuts a super-packet into: each takes a mark along.
 */
INLINE void reflect(struct __sk_buff *skb, struct pair *inward, struct packet *packet) {
    __s64 taken = packet->segments;
    if (packet->version != 4 || inward->waiting_marks < taken)
        return;
    if (__sync_fetch_and_add(&inward->waiting_marks, -taken) < taken) {
        __sync_fetch_and_add(&inward->waiting_marks, taken); /* another CPU was first */
        return;
    }
    write_reserved_bit(skb, packet, true);
}

INLINE bool refuses(const struct shim *state, const struct pair *pair, const struct packet *packet,
                    __u64 now) {
    return pair->refuses_connections && leased(state, now) && packet->protocol == IPPROTO_TCP &&
           (packet->tcp_flags & (TCP_SYN | TCP_ACK)) == TCP_SYN;
}

#endif
