# SPDX-License-Identifier: Apache-2.0
"""What grew between two footprints, and the bounds for that.

Compared are the begin and the end of each boot of the controller: at both the same machines exist,
guests have arrived and left before, and state that expires has expired.
"""

from testbed.report import expectations

# ONOS's own stores and logs vary; a leak of one object per visit shows in Sluice's own count.
HEAP_GROWTH = 1.15
OWN_OBJECTS_GROWTH = 1.05
OWN_OBJECTS_MARGIN = 200
RESIDENT_GROWTH_KIB = 8192
DESCRIPTORS_MARGIN = 4
MAP_ENTRIES_MARGIN = 16
EXACT_COUNTS = ("classes", "filters", "pins")


def judge(footprints):
    """Expectations about pairs of footprints: begin and end of each life."""
    judged = []
    for begin, end in zip(footprints[::2], footprints[1::2], strict=True):
        boot = end.when.split(",")[0]
        judged += _heap(boot, begin.heap, end.heap)
        for host, before in begin.agents.items():
            judged += _agent(f"{boot}, agent of {host}", before, end.agents[host])
        judged.append(
            expectations.below(
                f"{boot}: counts of flows, meters, groups that differ",
                sum(begin.switches[name] != now for name, now in end.switches.items()),
                1,
            )
        )
    first, last = footprints[0], footprints[-1]
    judged.append(
        expectations.below(
            "counts of flows, meters, groups that differ from the first to the last boot",
            sum(first.switches[name] != now for name, now in last.switches.items()),
            1,
        )
    )
    return judged


def _heap(boot, before, after):
    return [
        expectations.below(
            f"{boot}: live heap, end / begin", after.live_bytes / before.live_bytes, HEAP_GROWTH
        ),
        expectations.below(
            f"{boot}: Sluice's objects without the journal's, end / begin",
            _own(after) / (_own(before) + OWN_OBJECTS_MARGIN),
            OWN_OBJECTS_GROWTH,
        ),
        expectations.below(
            f"{boot}: further threads of Sluice", after.own_threads - before.own_threads, 3
        ),
        # ONOS's thread pools grow as they are used: by ten threads in seven minutes in one run.
        expectations.below(
            f"{boot}: further threads of the controller", after.threads - before.threads, 24
        ),
    ]


def _own(heap):
    return heap.own_objects - heap.journal_entries


def _agent(name, before, after):
    judged = [
        expectations.below(
            f"{name}: further resident memory, KiB",
            after.resident_kib - before.resident_kib,
            RESIDENT_GROWTH_KIB,
        ),
        expectations.below(
            f"{name}: further descriptors",
            after.descriptors - before.descriptors,
            DESCRIPTORS_MARGIN,
        ),
        expectations.below(
            f"{name}: further map entries",
            after.map_entries - before.map_entries,
            MAP_ENTRIES_MARGIN,
        ),
    ]
    judged += [
        expectations.within(
            f"{name}: further {each}", getattr(after, each) - getattr(before, each), 0, 0
        )
        for each in EXACT_COUNTS
    ]
    return judged


def table(footprints):
    """All footprints, one line each."""
    lines = [
        f"{'when':<16}{'live heap':>11}{'objects':>9}{'journal':>9}{'threads':>9}"
        f"{'agents RSS':>12}{'fds':>5}{'maps':>6}{'classes':>9}{'flows':>7}{'meters':>8}"
    ]
    for each in footprints:
        host_agents = each.agents.values()
        switches = each.switches.values()
        lines.append(
            f"{each.when:<16}{each.heap.live_bytes / 2**20:>7.1f} MiB{_own(each.heap):>9}"
            f"{each.heap.journal_entries:>9}{each.heap.threads:>9}"
            f"{sum(agent.resident_kib for agent in host_agents) / 1024:>8.1f} MiB"
            f"{sum(agent.descriptors for agent in host_agents):>5}"
            f"{sum(agent.map_entries for agent in host_agents):>6}"
            f"{sum(agent.classes for agent in host_agents):>9}"
            f"{sum(switch['flows'] for switch in switches):>7}"
            f"{sum(switch['meters'] for switch in switches):>8}"
        )
    return "\n".join(lines)
