# SPDX-License-Identifier: Apache-2.0
"""A network of plain Linux bridges, without Open vSwitch and without ECN.

The bottleneck is a token bucket in the wire, which drops what its queue has no room for and marks
nothing; or a port agent's queue, where an experiment starts one there.
"""

import json
import math

from testbed.network.linux_switch import LinuxSwitch
from testbed.network.topology import UPLINK, Network
from testbed.network.wire import RIGHT

FRAME_BYTES = 1514
BUFFER_SECONDS, LEAST_BUFFER_FRAMES = 0.01, 40
BURST_SECONDS, LEAST_BURST_FRAMES = 0.0005, 2


class BridgedNetwork(Network):
    """Used in place of a topology.Network."""

    switch_type = LinuxSwitch

    def _make_frames_whole(self, hypervisor, on_host):
        """As a NIC, the uplink divides super-packets after all queues: machines may send them."""
        hypervisor.check(["ethtool", "-K", UPLINK, "tx", "off"])

    def start_switches(self, controllers):
        """Make the bridges; where links make loops, one path to each machine."""
        super().start_switches(controllers)
        blocked = self.plan.outside_of_tree()
        if any(blocked.values()):
            for name, switch in self.switches.items():
                switch.route_statically(self.plan.spread_routes(name), blocked[name])


class ShapedPort:
    """A wire's bottleneck without marks, with what a port agent reports of a queue."""

    def __init__(self, wire):
        self._wire = wire
        wire.bridge_ends()

    def shape(self, mbps):
        """Let so much pass from now on."""
        self._wire.check(["tc", "qdisc", "replace", "dev", RIGHT, "root", *token_bucket(mbps)])

    def status(self):
        """Counters as in the status of a port agent; it knows no backlog at arrivals."""
        listing = self._wire.check(["tc", "-s", "-j", "qdisc", "show", "dev", RIGHT])
        (counted,) = [each for each in json.loads(listing) if each["kind"] == "tbf"]
        return {
            "backlogHistogram": [],
            "markedPackets": 0,
            "droppedPackets": counted["drops"],
            "sentPackets": counted["packets"],
        }


def token_bucket(mbps):
    """The words of a `tbf` that lets so much pass: a queue of 10 ms, bursts of half of one."""
    bytes_a_second = mbps * 1e6 / 8
    burst = max(LEAST_BURST_FRAMES, math.ceil(bytes_a_second * BURST_SECONDS / FRAME_BYTES))
    limit = max(LEAST_BUFFER_FRAMES, math.ceil(bytes_a_second * BUFFER_SECONDS / FRAME_BYTES))
    return [
        *("tbf", "rate", f"{round(mbps * 1e6)}bit"),
        *("burst", str(burst * FRAME_BYTES), "limit", str((limit + burst) * FRAME_BYTES)),
    ]
