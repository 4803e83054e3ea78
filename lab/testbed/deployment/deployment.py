# SPDX-License-Identifier: Apache-2.0
"""A network under Sluice: controller, application, switches and agents working together."""

import contextlib
import ipaddress
import json

from testbed.control import agents, tenancy
from testbed.control.onos import APPLICATION, COMPONENT, RestError, Sluice
from testbed.network import addresses, controller_access, flow_tables
from testbed.system import polling
from testbed.system.errors import LabError
from testbed.traffic.generators import ping_once

NETCFG_KEY = "sluice"
PING_ATTEMPTS = 4


class Site:
    """Brings a network under Sluice on a controller, and leaves the controller as it was.

    What the controller held before (properties, netcfg, tenants, devices, hosts) is noted first and
    restored by restore(), which returns what it could not restore.
    """

    def __init__(
        self, laboratory, controller, options, bottleneck_mbps, tau_micros=agents.TAU_MICROS
    ):
        self.laboratory = laboratory
        self.network = laboratory.network
        self.progress = laboratory.progress
        self.controller = controller
        self.options = options
        self.bottleneck_mbps = bottleneck_mbps
        self.tau_micros = tau_micros
        self.sluice = Sluice(controller.onos)
        self.agent_link_port = None
        self.port_agents = {}
        self.host_agents = {}
        self._before = None

    @property
    def hosts(self):
        """All hosts of the network."""
        return self.network.plan.hosts

    @property
    def port_agent(self):
        """The only wire's port agent, of a network that has just one."""
        (port_agent,) = self.port_agents.values()
        return port_agent

    def bring_up(self, agent_link_port):
        """Connect, install, configure, and wait until packets pass between all machines."""
        self.connect_switches()
        self.install(agent_link_port)
        self.progress.say("waiting for the machines to reach each other")
        self.wait_until_reachable(timeout_seconds=60)
        self.wait_for_endpoints()

    def connect_switches(self):
        """Start the switches towards the controller and wait until it has them."""
        self._before = self._note()
        if self.controller.is_foreign:
            self.laboratory.cleanup.callback(self._restore_into_leftovers)
        self.progress.say("connecting switches")
        # The wire first: without it ONOS finds no link.
        for link in self.network.wires:
            self.port_agents[link] = self.laboratory.start_agent(
                agents.port_agent(self.network, link, link.capacity_mbps or self.bottleneck_mbps)
            )
        target = self._reach(self.controller.openflow_port)
        self.laboratory.start_switches([f"tcp:{target}"])
        self.wait_for_switches()

    def attach_fast_counters(self, port):
        """Let every switch take Sluice, listening on a port, as a second controller."""
        self.sluice.set(fastCountersPort=port, fastCounters="on")
        polling.until(
            lambda: controller_access.is_listened_to(self.controller.address, port),
            "Sluice to await switches",
            timeout_seconds=20,
        )
        target = f"tcp:{self._reach(port)}"
        for switch in self.network.switches.values():
            switch.add_controller(target)
        for switch in self.network.switches.values():
            polling.until(
                lambda s=switch: (target, True, "slave") in s.controllers(),
                f"{switch.name} to take Sluice as a slave",
                timeout_seconds=30,
            )

    def link_port_agents(self):
        """Start the wires' port agents anew, now with a session with Sluice."""
        link = self._reach(self.agent_link_port)
        for agent in self.port_agents.values():
            agent.stop()
            agent.reconfigure(agents.port_link(agent, [link], self.certificates))
            agent.start()
        names = {agents.port_host(agent) for agent in self.port_agents.values()}
        polling.until(
            lambda: names <= set(self.sluice.connected_hosts()),
            "the port agents to be connected to Sluice",
            timeout_seconds=40,
        )

    def wait_for_switches(self):
        """Wait until ONOS has all switches and both directions of the links between them."""
        onos = self.controller.onos
        wanted = {switch.device_id for switch in self.network.switches.values()}
        polling.until(
            lambda: wanted <= {name for name, there in onos.devices().items() if there},
            "ONOS to see all switches",
            timeout_seconds=40,
        )
        pairs = [tuple(map(self.network.port_id, link.ends)) for link in self.network.plan.links]
        directions = {*pairs, *(pair[::-1] for pair in pairs)}
        polling.until(
            lambda: directions <= set(onos.links()),
            "ONOS to find the links between the switches",
            timeout_seconds=40,
        )

    def install(self, agent_link_port, preset=None):
        """Install and configure Sluice (or configure the installed one) and start the agents.

        preset: component properties ({name: value}) that it is to start with.
        """
        self.agent_link_port = agent_link_port
        if preset:
            self.controller.onos.preset_properties(COMPONENT, preset)
        if not self.options.installed:
            self.progress.say("installing Sluice")
            self.controller.onos.install(self.options.oar)
        self.sluice.wait_until_serving()
        self._configure()
        self.progress.say("starting agents")
        self._start_agents()

    def _reach(self, port):
        return controller_access.from_management(self.network, self.controller.address, port)

    def _configure(self):
        onos = self.controller.onos
        self.certificates = agents.make_certificates(
            self.network,
            [self.network.management.controller_address, self.controller.address],
        )
        self.sluice.set(
            agentLinkPort=self.agent_link_port,
            agentLinkKey=self.certificates / "controller.key",
            agentLinkCertificate=self.certificates / "controller.pem",
            agentLinkTrust=self.certificates / "ca.pem",
        )
        onos.set_network_configuration(
            APPLICATION,
            NETCFG_KEY,
            tenancy.capacities(self.network, self.bottleneck_mbps),
        )
        for host in self.hosts:
            self.set_weight(host, 1)

    def set_weight(self, host, weight):
        """Give the tenant behind a host a weight."""
        self.sluice.put_tenant(tenancy.tenant_of(host), tenancy.tenant(host, weight))

    def _start_agents(self):
        link = self._reach(self.agent_link_port)
        for host in self.hosts:
            self.host_agents[host] = self.laboratory.start_agent(
                agents.host_agent(
                    *(self.network, host, self.bottleneck_mbps, [link], self.certificates),
                    endpoints_source=self.options.endpoints,
                    tau_micros=self.tau_micros,
                )
            )
        self.wait_for_agents()

    def wait_for_agents(self):
        """Wait until every agent has its session."""
        polling.until(
            lambda: set(self.hosts) <= set(self.sluice.connected_hosts()),
            "all agents to be connected to Sluice",
            timeout_seconds=40,
        )

    def wait_for_return(self):
        """Wait until a controller that was started again has switches, Sluice and agents."""
        self.wait_for_switches()
        self.sluice.wait_until_serving()
        self.wait_for_agents()

    def wait_until_reachable(self, timeout_seconds):
        """Wait until every machine and the last one, by plan, answer each other."""
        *others, last = self.hosts
        receiver = addresses.endpoint(last).ip
        for host in others:
            polling.until(
                lambda h=host: self.answers(h, receiver),
                f"{host} to reach {receiver}",
                timeout_seconds=timeout_seconds,
            )

    def wait_for_endpoints(self):
        """Wait until Sluice knows all machines; an agent may learn of them only by hearing them."""
        wanted = {addresses.endpoint(host).ip for host in self.hosts}
        polling.until(
            lambda: wanted <= {ip for known in self.sluice.endpoints() for ip in known["ips"]},
            "Sluice to know all machines' addresses",
            timeout_seconds=30,
        )

    def answers(self, host, address):
        """Whether an address answers pings of a host's machine."""
        return ping_once(self.network.machines[host], address)

    def unanswered(self, pairs, families=(4, 6)):
        """Those of (asking host, other host) pairs whose pings fail, by any family, as text.

        A lost question about a neighbour is asked again only after a second, so each pair may try
        PING_ATTEMPTS times.
        """
        return [
            f"{asking} -> {address}"
            for asking, other in pairs
            for address in addresses.endpoint(other).ips
            if ipaddress.ip_address(address).version in families
            and not any(self.answers(asking, address) for _ in range(PING_ATTEMPTS))
        ]

    def uninstall(self, tables_before):
        """Deactivate and uninstall Sluice; returns what is left of it as lines.

        tables_before: what tables.settled() had told before it was installed; compared while it is
        deactivated, on the switches that still run.
        """
        onos = self.controller.onos
        self.progress.say("deactivating Sluice")
        onos.deactivate(APPLICATION)
        living = [switch for switch in self.network.switches.values() if switch.is_running()]
        remains = flow_tables.differences(tables_before, flow_tables.settled(living))
        self.progress.say("uninstalling Sluice")
        onos.uninstall(APPLICATION)
        remains += [
            f"property {name}={value}" for name, value in onos.properties(COMPONENT).items()
        ]
        if onos.application_state(APPLICATION) is not None:
            remains.append(f"application {APPLICATION}")
        return remains

    def _note(self):
        onos = self.controller.onos
        noted = {
            "state": onos.application_state(APPLICATION),
            "properties": onos.properties(COMPONENT),
            "netcfg": onos.network_configuration(APPLICATION),
            "devices": set(onos.devices()),
            "hosts": set(onos.hosts()),
            "tenants": {},
        }
        if self.options.installed:
            listing = onos.get(f"{Sluice.ROOT}/tenants")["tenants"]
            noted["tenants"] = {tenant["id"]: tenant for tenant in listing}
        clash = {tenancy.tenant_of(host) for host in self.hosts} & set(noted["tenants"])
        if clash:
            raise LabError(
                f"Sluice there has tenants named {', '.join(sorted(clash))}: the experiment needs"
                " these names for itself"
            )
        return noted

    def _restore_into_leftovers(self):
        self.progress.say("leaving ONOS as it was found")
        self.laboratory.leftovers += self.restore()

    def restore(self):
        """Take everything back; returns what differs from before as lines."""
        onos = self.controller.onos
        before = self._before
        self._restore_configuration(onos, before)
        if before["state"] is None:
            with contextlib.suppress(RestError):
                onos.uninstall(APPLICATION)
        # The switches are stopped by now; ONOS forgets only what it has seen going.
        mine = {switch.device_id for switch in self.network.switches.values()}
        polling.until(
            lambda: not any(there for name, there in onos.devices().items() if name in mine),
            "ONOS to notice that the switches have gone",
            timeout_seconds=30,
        )
        for kind, listing in (("devices", onos.devices), ("hosts", onos.hosts)):
            for item in set(listing()) - before[kind]:
                onos.forget(kind, item)
        return self._differences(onos, before)

    def _restore_configuration(self, onos, before):
        for host in self.hosts:
            with contextlib.suppress(RestError):
                onos.request("DELETE", f"{Sluice.ROOT}/tenants/{tenancy.tenant_of(host)}")
        for name, value in onos.properties(COMPONENT).items():
            if value == before["properties"].get(name):
                continue
            if name in before["properties"]:
                onos.set_properties(COMPONENT, {name: before["properties"][name]})
            else:
                onos.unset_property(COMPONENT, name)
        if before["netcfg"]:
            for key, value in before["netcfg"].items():
                onos.set_network_configuration(APPLICATION, key, value)
        else:
            onos.clear_network_configuration(APPLICATION)

    def _differences(self, onos, before):
        now = {
            "state": onos.application_state(APPLICATION),
            "properties": onos.properties(COMPONENT),
            "netcfg": onos.network_configuration(APPLICATION),
            "devices": set(onos.devices()),
            "hosts": set(onos.hosts()),
        }
        return [
            f"ONOS: {name} is {_show(value)}, was {_show(before[name])}"
            for name, value in now.items()
            if value != before[name]
        ]


def _show(value):
    return json.dumps(sorted(value) if isinstance(value, set) else value)
