# SPDX-License-Identifier: Apache-2.0
"""The deployment in which one case after the other is made: three ONOS nodes, switches, agents."""

import concurrent.futures
from dataclasses import dataclass

from testbed.control.controller import archive
from testbed.control.lab_onos_cluster import LabOnosCluster, LabOnosNode
from testbed.control.laws import SLUICE
from testbed.control.onos import Onos
from testbed.control.sluice import Sluice
from testbed.deployment.deployment import Deployment
from testbed.flooding.phases import FLOODING_HOSTS
from testbed.network import flow_tables
from testbed.network.controller_access import free_ports
from testbed.system import polling
from testbed.system.errors import LabError
from testbed.traffic.wall_clock import WallClock

NODES = 3
BOTTLENECK_MBPS = 20
# Moved on by one host whenever it is to be seen who decides; what TCP is due stays the same.
WEIGHTS = (1, 2, 1)
NORMAL_WITHIN_SECONDS = 180
TABLES_WITHIN_SECONDS = 60


@dataclass(frozen=True)
class Node:
    """One node of the cluster; own: what starts and ends it."""

    own: LabOnosNode
    api: Onos
    sluice: Sluice
    clock: WallClock

    @property
    def name(self):
        """Its name in this experiment."""
        return self.own.name

    @property
    def id(self):
        """Its name in ONOS's cluster."""
        return self.own.address


class ClusterSite:
    """Network, nodes, application and agents, up and working."""

    def __init__(self, laboratory, options):
        self.laboratory = laboratory
        self.network = laboratory.network
        self.progress = laboratory.progress
        lab_run = laboratory.lab_run
        clocks = {}
        for number in range(1, NODES + 1):
            directory = lab_run.controller_directory / f"clock{number}"
            directory.mkdir(parents=True)
            clocks[f"onos{number}"] = WallClock(directory, 0)
        self.cluster = LabOnosCluster(
            *(lab_run, self.network.management, NODES, lab_run.controller_directory),
            environments={name: clock.environment for name, clock in clocks.items()},
        )
        laboratory.cleanup.callback(self.cluster.stop_if_started)
        self.progress.log(f"starting {NODES} nodes and what they store in")
        self.controller = self.cluster.start()
        self.nodes = [
            Node(at.own, at.api, Sluice(at.api), clocks[at.own.name])
            for at in self.controller.nodes
        ]
        self.deployment = Deployment(laboratory, self.controller, options, BOTTLENECK_MBPS)
        self.weights = dict(zip(FLOODING_HOSTS, WEIGHTS, strict=True))
        self.tables = None

    def bring_up(self):
        """Bring up everything; keeps the switches' tables as they are then."""
        archive(self.deployment.options)
        self.deployment.bring_up(free_ports(1)[0])
        self.deployment.sluice.set(law=SLUICE, enforcement="on")
        self.apply_weights(self.nodes[0])
        self.wait_until_normal()
        self.tables = flow_tables.settled(self.switches)

    @property
    def switches(self):
        """All switches."""
        return list(self.network.switches.values())

    @property
    def decisive_switch(self):
        """The id of the switch before the bottleneck: its master decides about the flood."""
        (link,) = self.network.wires
        return self.network.switches[link.left[0]].device_id

    def others(self, node):
        """All nodes but one."""
        return [each for each in self.nodes if each is not node]

    def leader(self):
        """The node that decides what one decides for all."""
        return self._known_by_id(lambda: self._any(lambda node: node.sluice.cluster()["leader"]))

    def master(self):
        """The master of the switch before the bottleneck."""
        device = self.decisive_switch
        return self._known_by_id(lambda: self._any(lambda node: node.api.master(device)))

    def _known_by_id(self, read):
        by_id = {node.id: node for node in self.nodes}
        return polling.until(
            lambda: by_id.get(read()), "the cluster to name a node", timeout_seconds=30
        )

    def _any(self, read):
        for node in self.nodes:
            try:
                return read(node)
            except LabError as failure:
                last = failure
        raise last

    def part_roles(self):
        """(leader, master) on two nodes: that one of them fails is one fault alone."""
        leader = self.leader()
        if self.master() is leader:
            other = self.others(leader)[0]
            other.api.make_master(self.decisive_switch, other.id)
            polling.until(
                lambda: self.master() is other,
                f"{other.name} to become the switch's master",
                timeout_seconds=30,
            )
        return leader, self.master()

    def rotate_weights(self, node):
        """Move the floods' weights on by one host, by one node: (who got most, accepted)."""
        values = list(self.weights.values())
        self.weights = dict(zip(FLOODING_HOSTS, values[-1:] + values[:-1], strict=True))
        self.apply_weights(node)
        return max(self.weights, key=self.weights.get)

    def apply_weights(self, node):
        """Give tenants their weights by one node, until it accepts them."""
        deployment = self.deployment
        deployment.sluice = node.sluice
        for host, weight in self.weights.items():
            polling.until(
                lambda h=host, w=weight: deployment.set_weight(h, w) or True,
                f"{node.name} to accept a weight",
                timeout_seconds=NORMAL_WITHIN_SECONDS,
            )

    def wait_until_normal(self):
        """Wait until all nodes serve and have all agents, and each switch has a master."""
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(self._wait_for, self.nodes))
        self.leader()
        devices = {switch.device_id for switch in self.switches}
        polling.until(
            lambda: devices <= {each for node in self.nodes for each in _mastered(node)},
            "each switch to have a master",
            timeout_seconds=NORMAL_WITHIN_SECONDS,
            interval_seconds=0.5,
        )

    def taken_for_away(self):
        """Switches that a node takes for away, as lines."""
        return [
            f"{node.name}: {device}"
            for node in self.nodes
            for device, is_available in node.api.devices().items()
            if not is_available
        ]

    def _wait_for(self, node):
        hosts = set(self.network.plan.hosts_with_agents)
        polling.until(
            lambda: (
                hosts <= set(node.sluice.connected_hosts())
                and node.sluice.cluster()["storeFault"] is None
                and all(each["state"] == "running" for each in node.sluice.cluster()["nodes"])
            ),
            f"{node.name} to have agents and all nodes",
            timeout_seconds=NORMAL_WITHIN_SECONDS,
            interval_seconds=0.5,
        )

    def table_differences(self):
        """What is other in the switches than when all was up, once that no longer changes."""
        found = []

        def is_as_before():
            found[:] = flow_tables.differences(self.tables, flow_tables.read(self.switches))
            return not found

        try:
            polling.until(
                is_as_before,
                "the tables to be as before",
                timeout_seconds=TABLES_WITHIN_SECONDS,
                interval_seconds=1,
            )
        except LabError:
            return found
        return []


def _mastered(node):
    """The connected switches whose master a node takes itself for."""
    return next(each["switches"] for each in node.sluice.cluster()["nodes"] if each["local"])
