/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Which of the host's own packets are those of its endpoint `system`. */
#ifndef SLUICE_SYSTEM_H
#define SLUICE_SYSTEM_H

#include "ecn.h"
#include "state.h"

#define MAX_SYSTEM_ENTRIES 8 /* of each kind */

struct prefix {
    struct address address;
    struct address mask;
};

/* Whatever matches one of these, or one of system_cgroups, belongs to it. */
struct system {
    __u64 dscps; /* a bit each */
    __u32 source_count;
    __u32 cgroup_count;
    struct prefix sources[MAX_SYSTEM_ENTRIES];
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct system);
} systems SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
    __uint(max_entries, MAX_SYSTEM_ENTRIES);
    __uint(key_size, sizeof(__u32));
    __uint(value_size, sizeof(__u32));
} system_cgroups SEC(".maps");

INLINE bool within(const struct address *address, const struct prefix *prefix) {
    for (int i = 0; i < 4; i++)
        if ((address->word[i] & prefix->mask.word[i]) != prefix->address.word[i])
            return false;
    return true;
}

INLINE bool is_system(struct __sk_buff *skb, const struct packet *packet) {
    __u32 zero = 0;
    const struct system *system = bpf_map_lookup_elem(&systems, &zero);
    if (!system || !packet->version)
        return false;
    if (system->dscps >> dscp_of(skb, packet) & 1)
        return true;
    for (int i = 0; i < MAX_SYSTEM_ENTRIES; i++)
        if (i < system->source_count && within(&packet->source, &system->sources[i]))
            return true;
    for (int i = 0; i < MAX_SYSTEM_ENTRIES; i++)
        if (i < system->cgroup_count && bpf_skb_under_cgroup(skb, &system_cgroups, i) == 1)
            return true;
    return false;
}

#endif
