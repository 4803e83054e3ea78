# SPDX-License-Identifier: Apache-2.0
"""A switch that is a plain Linux bridge: no OpenFlow, no ECN, no daemon."""

from testbed.network import addresses
from testbed.network.namespaces import Namespace

BRIDGE = "br0"
# Where links make loops, frames with an unknown or several destinations go along a tree alone.
FLOODS = "flood", "mcast_flood", "bcast_flood"


class LinuxSwitch(Namespace):
    """Used in place of an ovs.Switch."""

    def __init__(self, lab_run, name, datapath_id):
        super().__init__(lab_run, name)
        self.datapath_id = datapath_id

    @property
    def device_id(self):
        """The name that Sluice would give it."""
        return f"of:{self.datapath_id:016x}"

    def port_id(self, number):
        """The name that Sluice gives one of its ports, where a port agent has it."""
        return f"{self.device_id}/{number}"

    def start(self, ports, controllers):
        """Make the bridge; ports: {interface: number}; controllers: of no effect."""
        self.bridge(BRIDGE, ports)

    def route_statically(self, routes, blocked):
        """Send to machines by fixed ports alone, for a network with loops.

        routes: {machine: port number}; blocked: numbers of the ports that are outside of the tree.
        """
        for number in {*routes.values(), *blocked}:
            state = "off" if number in blocked else "on"
            words = [word for flood in FLOODS for word in (flood, state)]
            self.check(["bridge", "link", "set", "dev", f"p{number}", "learning", "off", *words])
        for machine, number in routes.items():
            mac = addresses.endpoint(machine).mac
            self.check(["bridge", "fdb", "replace", mac, "dev", f"p{number}", "master", "static"])

    def is_running(self):
        """Whether it forwards: the kernel does."""
        return True

    def stop_daemons(self):
        """It has none."""
