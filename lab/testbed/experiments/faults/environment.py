# SPDX-License-Identifier: Apache-2.0
"""The shared laboratory in which one fault after the other is made: built once, used by all."""

import subprocess

from testbed.control import controller
from testbed.deployment.deployment import Site
from testbed.experiments.faults import footprints
from testbed.experiments.faults.observation import Course
from testbed.experiments.faults.wall_clock import WallClock
from testbed.network import addresses
from testbed.programs import launch
from testbed.system import polling

BOTTLENECK_MBPS = 20
# Three of these overload the port whoever stands aside.
OFFERED_MBPS = 15
FLOODING_HOSTS = ("h1", "h2", "h3")
WEIGHTS = (1, 2, 1)
# The others: one pair over the bottleneck and one that never leaves its switch.
QUIET_HOST = "h4"
OTHER_PAIRS = ((QUIET_HOST, addresses.RECEIVER), ("h3", QUIET_HOST))
NORMAL_WITHIN_SECONDS = 60
# Ahead of the machine's from the start, so that a step back is not one before certificates began.
CLOCK_AHEAD_SECONDS = 3 * 3600
SLAVE = "slave"


class Scene:
    """Network, controller, application and agents, up and working."""

    bottleneck_mbps = BOTTLENECK_MBPS
    offered_mbps = OFFERED_MBPS
    flooding = FLOODING_HOSTS

    def __init__(self, laboratory, options):
        self.laboratory = laboratory
        self.network = laboratory.network
        self.progress = laboratory.progress
        self.clock = WallClock(laboratory.lab_run.directory, CLOCK_AHEAD_SECONDS)
        self.progress.say("starting ONOS")
        self.lab_onos = controller.LabOnos.within(laboratory, self.clock.environment)
        self.site = Site(laboratory, self.lab_onos.start(), options, BOTTLENECK_MBPS)
        self.weights = dict(zip(FLOODING_HOSTS, WEIGHTS, strict=True))
        self.slave_link = None
        self.before = None

    @property
    def sluice(self):
        """Sluice's REST."""
        return self.site.sluice

    @property
    def agents(self):
        """The hosts' agents, by host."""
        return self.site.host_agents

    def bring_up(self):
        """Everything, with the switches' second controller; notes first what is there without."""
        site = self.site
        namespaces = {node.name: footprints.of_namespace(node) for node in self.agent_nodes()}
        site.connect_switches()
        tables = footprints.settled_tables(self.network)
        self.before = footprints.Before(namespaces, tables)
        agent_port, fast_port = controller.free_ports(2)
        site.install(agent_port, preset={"fastCountersPort": str(fast_port)})
        self.slave_link = SlaveLink(self.network, fast_port)
        self.laboratory.cleanup.callback(self.slave_link.stop)
        self.slave_link.start()
        for switch in self.network.switches.values():
            switch.add_controller(self.slave_link.target)
        self.progress.say("waiting for the machines to reach each other")
        site.wait_until_reachable(timeout_seconds=60)
        site.wait_for_endpoints()
        self.wait_until_normal()

    def agent_nodes(self):
        """The namespaces that agents work in."""
        return [*self.network.hypervisors.values(), *self.network.wires.values()]

    def course(self, others=OTHER_PAIRS, affected=(), with_load=False):
        """Pings, and floods if asked for, around a fault."""
        return Course(self, others, affected, with_load)

    def turn_weights(self):
        """Move the weights on by one host; returns the new ones."""
        values = list(self.weights.values())
        self.weights = dict(zip(FLOODING_HOSTS, values[-1:] + values[:-1], strict=True))
        return self.weights

    def sessions(self):
        """{host: how many sessions its agent has had}, of agents that run."""
        return {
            host: agent.status()["link"]["sessions"]
            for host, agent in self.agents.items()
            if agent.process is not None
        }

    def connected(self, hosts=None):
        """Whether these agents (all, by default) say that they have a session."""
        return all(
            any(each["connected"] for each in self.agents[host].status()["controllers"])
            for host in hosts or self.agents
        )

    def roles(self, switch):
        """{controller's role at a switch} of connected controllers, as a sorted list."""
        return sorted(role for _, connected, role in switch.controllers() if connected)

    def is_mastered(self, switch):
        """Whether the switch has ONOS as its master and Sluice as its slave."""
        return self.roles(switch) == ["master", SLAVE]

    def wait_until_normal(self):
        """Wait until a new fault may come: all are connected and reach each other."""
        polling.until(
            lambda: self.connected()
            and set(self.agents) <= set(self.sluice.connected_hosts())
            and all(map(self.is_mastered, self.network.switches.values())),
            "agents and switches to be connected as usual",
            timeout_seconds=NORMAL_WITHIN_SECONDS,
            interval_seconds=0.5,
        )
        self.site.wait_until_reachable(timeout_seconds=NORMAL_WITHIN_SECONDS)

    def start_program(self, node, program, *words, name):
        """Start a traffic program in a namespace; returns the process and its log."""
        command = launch.command(program, *words)
        log = self.network.lab_run.directory / f"{name}.log"
        with open(log, "ab") as file:
            return node.popen(
                command,
                stdout=subprocess.PIPE,
                stderr=file,
                cwd=launch.PACKAGE_PARENT,
                text=True,
            )


class SlaveLink:
    """The way of the switches to Sluice's own OpenFlow port: a relay, so that it can be cut."""

    def __init__(self, network, port):
        self.network = network
        self.address = network.management.controller_address
        self.port = port
        self.own_port = controller.free_ports(1)[0]
        self.process = None

    @property
    def target(self):
        """As `ovs-vsctl` takes it."""
        return f"tcp:{self.address}:{self.own_port}"

    def start(self):
        """Start it, and return once it listens."""
        command = launch.command(
            *("relay", "--listen", f"{self.address}:{self.own_port}"),
            *("--to", f"{self.address}:{self.port}"),
        )
        with open(self.network.lab_run.directory / "slave-relay.log", "ab") as log:
            self.process = subprocess.Popen(
                command,
                env=self.network.lab_run.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                cwd=launch.PACKAGE_PARENT,
            )

    def stop(self):
        """End it at once: connections break."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
