# SPDX-License-Identifier: Apache-2.0
"""The deployment in which one fault after the other is made: built once, used by all of them."""

import subprocess

from testbed.deployment import startup
from testbed.deployment.deployment import Deployment
from testbed.experiments.faults.observation import Observation
from testbed.network import addresses, footprints
from testbed.network.controller_access import accepts_connections, free_ports
from testbed.programs import launch
from testbed.system import polling
from testbed.traffic.wall_clock import WallClock

BOTTLENECK_MBPS = 20
# Three of these overload the port, whatever other traffic there is.
OFFERED_MBPS = 15
FLOODING_HOSTS = ("h1", "h2", "h3")
WEIGHTS = (1, 2, 1)
# One pair over the bottleneck, and one within a switch.
QUIET_HOST = "h4"
OTHER_PAIRS = ((QUIET_HOST, addresses.RECEIVER), ("h3", QUIET_HOST))
NORMAL_WITHIN_SECONDS = 60
# So far ahead from the start that certificates are valid after a step back, too.
CLOCK_AHEAD_SECONDS = 3 * 3600
MASTER, SLAVE = "master", "slave"  # as ovs-vsctl prints roles


class FaultEnvironment:
    """Network, controller, application and agents, up and working."""

    bottleneck_mbps = BOTTLENECK_MBPS
    offered_mbps = OFFERED_MBPS
    flooding = FLOODING_HOSTS

    def __init__(self, laboratory, options):
        self.laboratory = laboratory
        self.network = laboratory.network
        self.progress = laboratory.progress
        self.clock = WallClock(laboratory.lab_run.directory, CLOCK_AHEAD_SECONDS)
        self.lab_controller = startup.own_controller(laboratory, options, self.clock.environment)
        self.progress.log(f"starting {self.lab_controller.title}")
        self.deployment = Deployment(
            laboratory, self.lab_controller.start(), options, BOTTLENECK_MBPS
        )
        self.weights = dict(zip(FLOODING_HOSTS, WEIGHTS, strict=True))
        # Who reads counters for Sluice needs no second connection of switches.
        self.has_slave = not self.deployment.controller.api.reads_counters_for_sluice
        self.slave_relay = None
        self.before = None

    @property
    def sluice(self):
        """Sluice's REST."""
        return self.deployment.sluice

    @property
    def agents(self):
        """The hosts' agents, by host."""
        return self.deployment.host_agents

    def bring_up(self):
        """Bring up everything; keeps a snapshot from before."""
        deployment = self.deployment
        namespaces = {node.name: footprints.of_namespace(node) for node in self.agent_nodes()}
        deployment.connect_switches()
        self.before = footprints.Before(namespaces, footprints.settled_tables(self.network))
        agent_port, fast_port = free_ports(2)
        deployment.install(agent_port, preset={"fastCountersPort": str(fast_port)})
        if self.has_slave:
            self._attach_slave(fast_port)
        self.progress.log("waiting for the machines to reach each other")
        deployment.wait_until_reachable(timeout_seconds=60)
        deployment.wait_for_endpoints()
        self.wait_until_normal()

    def _attach_slave(self, fast_port):
        self.slave_relay = SlaveRelay(self.network, fast_port)
        self.laboratory.cleanup.callback(self.slave_relay.stop)
        self.slave_relay.start()
        for switch in self.network.switches.values():
            switch.add_controller(self.slave_relay.target)

    def agent_nodes(self):
        """The namespaces with agents."""
        return [*self.network.hypervisors.values(), *self.network.wires.values()]

    def observe(self, others=OTHER_PAIRS, affected=(), with_load=False):
        """Pings, and floods if wanted, around a fault."""
        return Observation(self, others, affected, with_load)

    def rotate_weights(self):
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

    def are_connected(self, hosts=None):
        """Whether these agents (default: all) have a session, by their own status."""
        return all(
            any(each["connected"] for each in self.agents[host].status()["controllers"])
            for host in hosts or self.agents
        )

    def roles(self, switch):
        """Roles of the controllers that are connected to a switch, as a sorted list."""
        return sorted(role for _, connected, role in switch.controllers() if connected)

    def has_its_controllers(self, switch):
        """Whether it has the controller as its master, and Sluice as its slave where that reads."""
        return self.roles(switch) == ([MASTER, SLAVE] if self.has_slave else [MASTER])

    def wait_until_normal(self):
        """Wait until the next fault may be made: all are connected and reach each other."""
        polling.until(
            lambda: (
                self.are_connected()
                and set(self.agents) <= set(self.sluice.connected_hosts())
                and all(map(self.has_its_controllers, self.network.switches.values()))
            ),
            "agents and switches to be connected as usual",
            timeout_seconds=NORMAL_WITHIN_SECONDS,
            interval_seconds=0.5,
        )
        self.deployment.wait_until_reachable(timeout_seconds=NORMAL_WITHIN_SECONDS)

    def start_program(self, node, program, *arguments, name):
        """Start a traffic program in a namespace; its errors go to the log of that name."""
        log = self.network.lab_run.directory / f"{name}.log"
        with open(log, "ab") as file:
            return node.popen(
                launch.command(program, *arguments),
                stdout=subprocess.PIPE,
                stderr=file,
                cwd=launch.PACKAGE_PARENT,
                text=True,
            )


class SlaveRelay:
    """A relay between switches and Sluice's own OpenFlow port, which can be interrupted."""

    def __init__(self, network, port):
        self.network = network
        self.address = network.management.controller_address
        self.port = port
        self.own_port = free_ports(1)[0]
        self.process = None

    @property
    def target(self):
        """Its address, as `ovs-vsctl` takes it."""
        return f"tcp:{self.address}:{self.own_port}"

    def start(self):
        """Start it; returns once it accepts connections."""
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
        polling.until(
            lambda: accepts_connections(self.address, self.own_port),
            "the relay to Sluice's OpenFlow port",
            timeout_seconds=10,
        )

    def stop(self):
        """Kill it: connections break at once."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
