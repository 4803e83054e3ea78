# SPDX-License-Identifier: Apache-2.0
"""Sluice deployed in a network: controller, application, switches and agents working together."""

import ipaddress

from testbed.control import agents, certificates, tenancy
from testbed.control.controller import archive
from testbed.control.sluice import APPLICATION, COMPONENT, Sluice
from testbed.deployment.controller_state import ControllerState
from testbed.network import addresses, controller_access, flow_tables
from testbed.system import polling
from testbed.traffic.generators import ping_once, wait_until_reached

NETCFG_KEY = "sluice"
PING_ATTEMPTS = 4


class Deployment:
    """Deploys Sluice in a network with a controller; an external controller is restored at the end.

    What could not be restored is added to the laboratory's leftovers.
    """

    def __init__(
        self,
        laboratory,
        controller,
        options,
        bottleneck_mbps,
        tau_micros=agents.TAU_MICROS,
        port_settings=None,
    ):
        self.laboratory = laboratory
        self.network = laboratory.network
        self.progress = laboratory.progress
        self.controller = controller
        self.options = options
        self.bottleneck_mbps = bottleneck_mbps
        self.tau_micros = tau_micros
        self.port_settings = port_settings or {}  # of port agents, beside the usual ones
        self.sluice = Sluice(controller.api)
        self.agent_link_port = None
        self.port_agents = {}
        self._linked_ports = frozenset()
        self.host_agents = {}
        self.pki_directory = None
        self._state_before = None
        self.further_links = []  # of other controllers that agents dial, too

    @property
    def hosts(self):
        """All hosts of the network."""
        return self.network.plan.hosts

    @property
    def machines(self):
        """All machines of the network; on most hosts there is one."""
        return self.network.plan.machines

    def host_agent_of(self, machine):
        """The agent of the host that a machine is on."""
        return self.host_agents[self.network.plan.host_of(machine)]

    @property
    def metrics_targets(self):
        """ADDRESS:PORT at which each agent serves its metrics."""
        agents_of_all = [*self.host_agents.values(), *self.port_agents.values()]
        return [agent.configuration["metricsAddress"] for agent in agents_of_all]

    @property
    def port_agent(self):
        """The port agent of a network with exactly one wire."""
        (port_agent,) = self.port_agents.values()
        return port_agent

    def bring_up(self, agent_link_port, before_install=lambda: None):
        """Connect, install, configure, and wait until packets pass between all machines.

        before_install: called when the controller has the switches.
        """
        self.connect_switches()
        before_install()
        self.install(agent_link_port)
        self.progress.log("waiting for the machines to reach each other")
        self.wait_until_reachable(timeout_seconds=60)
        self.wait_for_endpoints()

    def connect_switches(self):
        """Start the switches with the controller's address and wait until it has them."""
        self._state_before = ControllerState(
            self.controller.api, self.machines, self.options.installed
        )
        if self.controller.is_external:
            self.laboratory.cleanup.callback(self._restore_into_leftovers)
        self.progress.log("connecting switches")
        # The wires first: without them ONOS finds no links.
        self._start_port_agents()
        targets = [self.reach(node.openflow_port, node) for node in self.controller.nodes]
        self.laboratory.start_switches([f"tcp:{target}" for target in targets])
        self.wait_for_switches()
        if self.controller.api.finds_links_by_itself:
            self.wait_for_links()

    def _start_port_agents(self):
        for link in self.network.wires:
            agent = agents.port_agent(
                self.network, link, link.capacity_mbps or self.bottleneck_mbps
            )
            agent.reconfigure(self.port_settings)
            self.port_agents[link] = self._start_agent(agent)

    def attach_fast_counters(self, port):
        """Make Sluice, listening on a port, every switch's second controller."""
        self.sluice.set(fastCountersPort=port, fastCounters="on")
        polling.until(
            lambda: controller_access.accepts_connections(self.controller.address, port),
            "Sluice to accept switches",
            timeout_seconds=20,
        )
        target = f"tcp:{self.reach(port)}"
        for switch in self.network.switches.values():
            switch.add_controller(target)
        for switch in self.network.switches.values():
            polling.until(
                lambda s=switch: (target, True, "slave") in s.controllers(),
                f"{switch.name} to give Sluice the SLAVE role",
                timeout_seconds=30,
            )

    def link_port_agents(self, links=None):
        """Restart the port agents of links (None: of all wires) with a session with Sluice."""
        linked = [agent for at, agent in self.port_agents.items() if links is None or at in links]
        for agent in linked:
            agent.stop()
            agent.reconfigure(agents.port_link(agent, self.agent_links, self.pki_directory))
            agent.start()
        self._linked_ports = {agents.port_host(agent) for agent in linked}
        self.wait_for_agents()

    def wait_for_switches(self):
        """Wait until the controller has all switches."""
        api = self.controller.api
        wanted = {switch.device_id for switch in self.network.switches.values()}
        polling.until(
            lambda: (
                wanted <= {name for name, is_available in api.devices().items() if is_available}
            ),
            f"{api.title} to have all switches",
            timeout_seconds=40,
        )

    def wait_for_links(self):
        """Wait until the controller has both directions of the links between switches."""
        api = self.controller.api
        pairs = [tuple(map(self.network.port_id, link.ends)) for link in self.network.plan.links]
        directions = {*pairs, *(pair[::-1] for pair in pairs)}
        polling.until(
            lambda: directions <= set(api.links()),
            f"{api.title} to find the links between the switches",
            timeout_seconds=40,
        )

    def install(self, agent_link_port, preset=None):
        """Install and configure Sluice (or configure the installed one) and start the agents.

        preset: component properties ({name: value}) that it starts with.
        """
        self.agent_link_port = agent_link_port
        if preset:
            self.controller.api.preset_properties(COMPONENT, preset)
        if not self.options.installed:
            self.progress.log("installing Sluice")
            self.controller.api.install(archive(self.options))
        self.sluice.wait_until_serving()
        self.wait_for_links()
        self._configure()
        self.progress.log("starting agents")
        self._start_agents()

    def reach(self, port, node=None):
        """HOST:PORT by which the network reaches a port of a node's machine (the first's)."""
        address = (node or self.controller).address
        return controller_access.from_management(self.network, address, port)

    def _configure(self):
        api = self.controller.api
        self.pki_directory = certificates.make(
            self.network,
            [
                self.network.management.controller_address,
                *(node.address for node in self.controller.nodes),
            ],
        )
        self.sluice.set(
            agentLinkPort=self.agent_link_port,
            agentLinkKey=self.pki_directory / "controller.key",
            agentLinkCertificate=self.pki_directory / "controller.pem",
            agentLinkTrust=self.pki_directory / "ca.pem",
        )
        api.set_network_configuration(
            APPLICATION,
            NETCFG_KEY,
            tenancy.capacities(self.network, self.bottleneck_mbps),
        )
        for machine in self.machines:
            self.set_weight(machine, 1)

    def set_weight(self, host, weight):
        """Set the weight of the tenant of a host's machine, or of a further one."""
        self.sluice.put_tenant(tenancy.tenant_of(host), tenancy.tenant(host, weight))

    @property
    def agent_links(self):
        """Where agents reach the nodes of the controller, and other ones, each HOST:PORT."""
        nodes = self.controller.nodes
        return [*(self.reach(self.agent_link_port, node) for node in nodes), *self.further_links]

    def _start_agents(self):
        parts = self.network.plan.uplink_parts
        for host in self.network.plan.hosts_with_agents:
            uplink_mbps = self.bottleneck_mbps * parts.get(host, 1)
            agent = agents.host_agent(
                *(self.network, host, uplink_mbps, self.agent_links, self.pki_directory),
                endpoints_source=self.options.endpoints,
                tau_micros=self.tau_micros,
            )
            self.host_agents[host] = self._start_agent(agent)
        self.wait_for_agents()

    def _start_agent(self, agent):
        return self.laboratory.start_agent(agents.with_metrics(self.network, agent))

    def restart_agents(self, host_changes, port_changes, with_sessions=True):
        """Start all agents anew with changed configurations; returns once packets pass again.

        with_sessions: once they have their sessions, too; not where the changes take those away.
        """
        for agent, changes in [
            *((agent, host_changes) for agent in self.host_agents.values()),
            *((agent, port_changes) for agent in self.port_agents.values()),
        ]:
            agent.stop()
            agent.reconfigure(changes)
            agent.start()
        if with_sessions:
            self.wait_for_agents()
        self.wait_until_reachable(timeout_seconds=30)

    def wait_for_agents(self):
        """Wait until every agent with controllers has its session."""
        names = {*self.network.plan.hosts_with_agents, *self._linked_ports}
        polling.until(
            lambda: names <= set(self.sluice.connected_hosts()),
            "all agents to be connected to Sluice",
            timeout_seconds=40,
        )

    def wait_for_return(self):
        """Wait until a restarted controller has switches, Sluice and agents."""
        self.wait_for_switches()
        self.sluice.wait_until_serving()
        self.wait_for_links()
        self.wait_for_agents()

    def wait_until_reachable(self, timeout_seconds):
        """Wait until the plan's last machine answers every other one."""
        *others, last = self.machines
        receiver = addresses.endpoint(last).ip
        for host in others:
            wait_until_reached(self.network.machines[host], host, receiver, timeout_seconds)

    def wait_for_endpoints(self):
        """Wait until Sluice has all addresses behind agents, which these may have to learn."""
        wanted = {
            addresses.endpoint(machine).ip
            for host in self.network.plan.hosts_with_agents
            for machine in self.network.plan.machines_on(host)
        }
        polling.until(
            lambda: wanted <= {ip for known in self.sluice.endpoints() for ip in known["ips"]},
            "Sluice to have all machines' addresses",
            timeout_seconds=30,
        )

    def unanswered(self, pairs, families=(4, 6)):
        """Those of (source host, target host) pairs whose pings fail, by any family, as text.

        A lost neighbour request is repeated only after a second, so each pair has PING_ATTEMPTS
        attempts.
        """
        return [
            f"{source} -> {address}"
            for source, target in pairs
            for address in addresses.endpoint(target).ips
            if ipaddress.ip_address(address).version in families
            and not any(
                ping_once(self.network.machines[source], address) for _ in range(PING_ATTEMPTS)
            )
        ]

    def uninstall(self, tables_before):
        """Deactivate and uninstall Sluice; returns what is left of it as lines.

        tables_before: the result of flow_tables.settled() before it was installed; compared while
        it is deactivated, on the switches that still run.
        """
        api = self.controller.api
        self.progress.log("deactivating Sluice")
        api.deactivate(APPLICATION)
        running = [switch for switch in self.network.switches.values() if switch.is_running()]
        remains = flow_tables.differences(tables_before, flow_tables.settled(running))
        self.progress.log("uninstalling Sluice")
        api.uninstall(APPLICATION)
        remains += [f"property {name}={value}" for name, value in api.properties(COMPONENT).items()]
        if api.application_state(APPLICATION) is not None:
            remains.append(f"application {APPLICATION}")
        return remains

    def _restore_into_leftovers(self):
        self.progress.log(f"restoring {self.controller.api.title}")
        self.laboratory.leftovers += self._state_before.restore(self.network.switches.values())
