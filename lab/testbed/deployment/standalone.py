# SPDX-License-Identifier: Apache-2.0
"""Sluice deployed without an SDN controller: bridges, agents, and sluiced."""

from testbed.deployment.deployment import Deployment
from testbed.network.bridges import ShapedPort


class StandaloneDeployment(Deployment):
    """A Deployment in a BridgedNetwork.

    The wires' queues are port agents', which mark, or (`marks_nothing`) token buckets: then
    receivers' phantom queues are the only source of marks.
    """

    marks_nothing = False

    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, **settings)
        self.shaped_ports = {}

    @property
    def port_agent(self):
        """What holds the queue of a network with exactly one wire, marking or not."""
        (port,) = (self.port_agents | self.shaped_ports).values()
        return port

    def connect_switches(self):
        """Start the bridges, and what queues in the wires."""
        self.progress.log("connecting bridges")
        # Wires close loops, which paths by addresses have to be there for.
        self.laboratory.start_switches([])
        if self.marks_nothing:
            self.shape(self.bottleneck_mbps)
        else:
            self._start_port_agents()

    def shape(self, mbps):
        """Let so much pass every wire that has no capacity of its own from now on."""
        for link, wire in self.network.wires.items():
            if link not in self.shaped_ports:
                self.shaped_ports[link] = ShapedPort(wire)
            self.shaped_ports[link].shape(link.capacity_mbps or mbps)

    def wait_for_links(self):
        """It finds none by itself."""

    def wait_for_switches(self):
        """It has none."""

    def _configure(self):
        self.pki_directory = self.controller.own.pki_directory
        for machine in self.machines:
            self.set_weight(machine, 1)
