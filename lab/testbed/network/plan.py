# SPDX-License-Identifier: Apache-2.0
"""Plans of networks: where hosts are attached, and which links join the switches."""

from collections import deque
from dataclasses import dataclass, field, replace

from testbed.network import addresses

# What connects machines to their hosts: veth pairs, or taps as hypervisors give to their guests.
GUESTS = VETH, TAPS = "veth", "taps"


@dataclass(frozen=True)
class SwitchLink:
    """A link between two switches; each end is (switch, port).

    is_wire: it leads through a namespace of its own, where the port agent of the left end is the
    queue. Else its rate is limited by the machine alone.
    capacity_mbps: of a wire; None: the capacity that the experiment gives all its wires.
    """

    left: tuple
    right: tuple
    is_wire: bool = False
    capacity_mbps: float | None = None

    @property
    def ends(self):
        """Both ends."""
        return self.left, self.right

    @property
    def name(self):
        """Both switches, such as s1-s2."""
        return f"{self.left[0]}-{self.right[0]}"


@dataclass(frozen=True)
class Plan:
    """A network to be built. Switches get their datapath ids in their order here."""

    name: str
    switches: tuple
    places: dict
    links: tuple
    delays_millis: dict = field(default_factory=dict)  # {host: delay of packets to it}
    neighbours: dict = field(default_factory=dict)  # {further machine: the host that it is on}
    uplink_parts: dict = field(default_factory=dict)  # {host: its uplink in parts of a wire; 1}
    without_agents: frozenset = frozenset()  # hosts
    guests: str = VETH  # of GUESTS

    @property
    def hosts(self):
        """All hosts, in order. A host has a machine of the same name."""
        return tuple(self.places)

    @property
    def hosts_with_agents(self):
        """All other hosts than those without, in order."""
        return tuple(host for host in self.hosts if host not in self.without_agents)

    @property
    def machines(self):
        """All machines: neighbours are on hosts beside the host's own."""
        return (*self.neighbours, *self.hosts)

    def host_of(self, machine):
        """The host that a machine is on."""
        return self.neighbours.get(machine, machine)

    def machines_on(self, host):
        """The machines of a host, its own first."""
        return [host, *(name for name, at in self.neighbours.items() if at == host)]

    @property
    def wires(self):
        """The links that are wires."""
        return [link for link in self.links if link.is_wire]

    def ports(self, switch):
        """Numbers of the ports of a switch."""
        ends = [*self.places.values(), *(end for link in self.links for end in link.ends)]
        return sorted(port for name, port in ends if name == switch)

    def routes(self, switch):
        """{machine: output port} of a switch, by shortest paths; of equal ones the plan's first."""
        ports = self._ports_towards(switch)
        routes = {}
        for machine in self.machines:
            at, port = self.places[self.host_of(machine)]
            routes[machine] = port if at == switch else ports[at]
        return routes

    def spread_routes(self, switch):
        """As routes(), but of equal paths by the machine's number, two by two: one to each."""
        routes = {}
        for machine in self.machines:
            at, port = self.places[self.host_of(machine)]
            ports = [port] if at == switch else self._ports_on_shortest(switch, at)
            routes[machine] = ports[int(machine.removeprefix("h")) // 2 % len(ports)]
        return routes

    def outside_of_tree(self):
        """{switch: numbers of its ports} of the links that would close a loop."""
        reached, blocked = {self.switches[0]}, {name: set() for name in self.switches}
        waiting, kept = deque(self.switches[:1]), set()
        while waiting:
            here = waiting.popleft()
            for link in self.links:
                far = next((name for name, _ in link.ends if name != here), here)
                if here in (link.left[0], link.right[0]) and far not in reached:
                    reached.add(far)
                    kept.add(link)
                    waiting.append(far)
        for name, port in (end for link in self.links if link not in kept for end in link.ends):
            blocked[name].add(port)
        return blocked

    def wires_between(self, source, target):
        """The wires that packets from one host's machine to another's cross, by shortest paths.

        Only where there is one shortest path: of equal ones it is the first in the plan.
        """
        here, wires = self.places[source][0], []
        while here != self.places[target][0]:
            port = self.routes(here)[target]
            link = next(link for link in self.links if (here, port) in link.ends)
            here = next(name for name, _ in link.ends if name != here)
            wires += [link] if link.is_wire else []
        return wires

    def with_capacities(self, capacities_mbps):
        """The same plan with a capacity for each wire, in their order."""
        remaining = iter(capacities_mbps)
        links = tuple(
            replace(link, capacity_mbps=next(remaining)) if link.is_wire else link
            for link in self.links
        )
        return replace(self, links=links)

    def _ports_on_shortest(self, origin, target):
        """The ports of a switch that begin a shortest path to another one, in the plan's order."""
        hops, waiting = {target: 0}, deque([target])
        while waiting:
            here = waiting.popleft()
            for far, _ in self._neighbours_of(here):
                if far not in hops:
                    hops[far] = hops[here] + 1
                    waiting.append(far)
        return [port for far, port in self._neighbours_of(origin) if hops[far] < hops[origin]]

    def _neighbours_of(self, switch):
        """[(another switch, port towards it)], in the plan's order."""
        return [
            (far, port)
            for link in self.links
            for (near, port), (far, _) in (link.ends, link.ends[::-1])
            if near == switch
        ]

    def _ports_towards(self, origin):
        """{other switch: port of the origin on the path there}."""
        first_ports = {}
        waiting = deque([origin])
        while waiting:
            here = waiting.popleft()
            for link in self.links:
                for (near, port), (far, _) in (link.ends, link.ends[::-1]):
                    if near == here and far not in first_ports and far != origin:
                        first_ports[far] = port if here == origin else first_ports[here]
                        waiting.append(far)
        return first_ports


WIRE_PORT = 5
DUMBBELL = Plan(
    name="dumbbell",
    switches=("s1", "s2"),
    places={
        **{host: ("s1", number) for number, host in enumerate(addresses.SENDERS, start=1)},
        addresses.RECEIVER: ("s2", 1),
    },
    links=(SwitchLink(("s1", WIRE_PORT), ("s2", WIRE_PORT), is_wire=True),),
)


PARKING_LOT = Plan(
    name="parking-lot",
    switches=("s1", "s2", "s3"),
    places={
        **{f"h{number}": ("s1", number) for number in (1, 2, 3)},
        "h4": ("s2", 1),
        "h5": ("s2", 2),
        "h6": ("s3", 1),
    },
    links=(
        SwitchLink(("s1", WIRE_PORT), ("s2", WIRE_PORT), is_wire=True),
        SwitchLink(("s2", WIRE_PORT + 1), ("s3", WIRE_PORT), is_wire=True),
    ),
)

# Three switches in a row: at the first two a web server beside a sender of long flows each, behind
# the third those who receive both.
MICRO_FLOW = Plan(
    name="micro-flow",
    switches=("s1", "s2", "s3"),
    places={
        **{f"h{number}": ("s1", number) for number in (1, 2)},
        **{f"h{number + 2}": ("s2", number) for number in (1, 2)},
        **{f"h{number + 4}": ("s3", number) for number in (1, 2)},
    },
    links=(
        SwitchLink(("s1", WIRE_PORT), ("s2", WIRE_PORT), is_wire=True),
        SwitchLink(("s2", WIRE_PORT + 1), ("s3", WIRE_PORT), is_wire=True),
    ),
)

# A dumbbell with a sender for each flow of SED's small scenario.
DEADLINES = Plan(
    name="deadlines",
    switches=("s1", "s2"),
    places={**{f"h{number}": ("s1", number) for number in range(1, 7)}, "h7": ("s2", 1)},
    links=(SwitchLink(("s1", 7), ("s2", 7), is_wire=True),),
)

# A dumbbell with two receivers: two senders can be far from one of them.
OPENTCP = Plan(
    name="opentcp",
    switches=("s1", "s2"),
    places={
        **{f"h{number}": ("s1", number) for number in range(1, 7)},
        **{f"h{number}": ("s2", number - 6) for number in (7, 8)},
    },
    links=(SwitchLink(("s1", 7), ("s2", 7), is_wire=True),),
)

# A dumbbell in the midst of a rollout: of the eight hosts two senders and a receiver have no agent.
PARTIAL = replace(OPENTCP, name="partial", without_agents=frozenset(("h5", "h6", "h8")))

# A dumbbell with senders enough for tenants that have several, and a second receiver. One host has
# three machines behind an uplink that is full before the wire is.
TENANTS = Plan(
    name="tenants",
    switches=("s1", "s2"),
    places={
        **{f"h{number}": ("s1", number) for number in range(1, 9)},
        "h10": ("s2", 2),
        "h9": ("s2", 1),
    },
    links=(SwitchLink(("s1", 9), ("s2", 9), is_wire=True),),
    neighbours={"h11": "h8", "h12": "h8"},
    uplink_parts={"h8": 0.5},
)

# A dumbbell for attacks: attackers beside a victim on one host, another victim on the next one with
# an accomplice of theirs, and receivers behind the wire, one of which is an accomplice too.
HOSTILE = Plan(
    name="hostile",
    switches=("s1", "s2"),
    places={"h1": ("s1", 1), "h2": ("s1", 2), "h10": ("s2", 2), "h9": ("s2", 1)},
    links=(SwitchLink(("s1", 5), ("s2", 5), is_wire=True),),
    neighbours={"h6": "h2", "h7": "h9", **{f"h{number}": "h1" for number in range(11, 15)}},
)


def leaf_spine(leaves, spines, hosts_per_leaf, *, with_wires=False):
    """A plan in which every leaf is joined to every spine.

    Leaves are s1, s2 ...; spines follow. A leaf's hosts are at its ports 1, 2 ...; its ports
    towards the spines come next, in their order. with_wires: links from leaves to spines are wires;
    else no link is a bottleneck.
    """
    names = [f"s{number}" for number in range(1, leaves + spines + 1)]
    return Plan(
        name="leaf-spine-wires" if with_wires else "leaf-spine",
        switches=tuple(names),
        places={
            f"h{leaf * hosts_per_leaf + place + 1}": (names[leaf], place + 1)
            for leaf in range(leaves)
            for place in range(hosts_per_leaf)
        },
        links=tuple(
            SwitchLink(
                (names[leaf], hosts_per_leaf + spine + 1),
                (names[leaves + spine], leaf + 1),
                is_wire=with_wires,
            )
            for leaf in range(leaves)
            for spine in range(spines)
        ),
    )


LEAF_SPINE = leaf_spine(leaves=2, spines=2, hosts_per_leaf=2)
LEAF_SPINE_WIRES = leaf_spine(leaves=2, spines=2, hosts_per_leaf=3, with_wires=True)
PLANS = {
    plan.name: plan
    for plan in (
        *(DUMBBELL, LEAF_SPINE, LEAF_SPINE_WIRES, PARKING_LOT),
        *(MICRO_FLOW, DEADLINES, OPENTCP, TENANTS, HOSTILE),
    )
}
