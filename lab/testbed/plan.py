# SPDX-License-Identifier: Apache-2.0
"""Plans of networks: which hosts are attached where, and what joins the switches."""

from collections import deque
from dataclasses import dataclass

from testbed import addresses


@dataclass(frozen=True)
class SwitchLink:
    """A link between two switches; each end is (switch, port).

    is_wire: it leads through a namespace of its own, where the port agent of the left end is the
    queue. Else it is as fast as the machine lets it be.
    """

    left: tuple
    right: tuple
    is_wire: bool = False

    @property
    def ends(self):
        """Both ends."""
        return self.left, self.right


@dataclass(frozen=True)
class Plan:
    """A network to be built. Switches get their datapath ids in the order in which they stand."""

    name: str
    switches: tuple
    places: dict
    links: tuple

    @property
    def hosts(self):
        """All hosts, in order."""
        return tuple(self.places)

    @property
    def wires(self):
        """The links that lead through a namespace of their own."""
        return [link for link in self.links if link.is_wire]

    def ports(self, switch):
        """Numbers of the ports of a switch."""
        ends = [*self.places.values(), *(end for link in self.links for end in link.ends)]
        return sorted(port for name, port in ends if name == switch)

    def routes(self, switch):
        """{host: output port} of a switch, by shortest paths; of equals the first in the plan."""
        ports = self._ports_towards(switch)
        routes = {}
        for host, (at, port) in self.places.items():
            routes[host] = port if at == switch else ports[at]
        return routes

    def _ports_towards(self, origin):
        """{other switch: port of the origin on the way there}."""
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


def leaf_spine(leaves, spines, hosts_per_leaf):
    """A plan in which every leaf is joined to every spine, and no link is a bottleneck.

    Leaves are s1, s2 ...; spines follow. A leaf's hosts are at its ports 1, 2 ...; its ports
    towards the spines come next, in their order.
    """
    names = [f"s{number}" for number in range(1, leaves + spines + 1)]
    return Plan(
        name="leaf-spine",
        switches=tuple(names),
        places={
            f"h{leaf * hosts_per_leaf + place + 1}": (names[leaf], place + 1)
            for leaf in range(leaves)
            for place in range(hosts_per_leaf)
        },
        links=tuple(
            SwitchLink((names[leaf], hosts_per_leaf + spine + 1), (names[leaves + spine], leaf + 1))
            for leaf in range(leaves)
            for spine in range(spines)
        ),
    )


LEAF_SPINE = leaf_spine(leaves=2, spines=2, hosts_per_leaf=2)
PLANS = {plan.name: plan for plan in (DUMBBELL, LEAF_SPINE)}
