# SPDX-License-Identifier: Apache-2.0
"""A dumbbell under Sluice: controller, application, switches and agents working together."""

import contextlib
import json

from testbed import addresses, agents, reach, tenancy, waiting
from testbed.errors import LabError
from testbed.onos import APPLICATION, COMPONENT, RestError, Sluice
from testbed.traffic import ping_once

NETCFG_KEY = "sluice"


class Site:
    """Brings a dumbbell under Sluice on a controller, and leaves the controller as it was.

    What the controller held before (properties, netcfg, tenants, devices, hosts) is noted first and
    restored by restore(), which returns what it could not restore.
    """

    def __init__(self, laboratory, controller, options, bottleneck_mbps):
        self.laboratory = laboratory
        self.dumbbell = laboratory.dumbbell
        self.progress = laboratory.progress
        self.controller = controller
        self.options = options
        self.bottleneck_mbps = bottleneck_mbps
        self.sluice = Sluice(controller.onos)
        self.agent_link_port = None
        self.port_agent = None
        self._before = None

    def bring_up(self, agent_link_port):
        """Connect, install, configure, and wait until packets pass between all machines."""
        self.connect_switches()
        self.install(agent_link_port)
        self.progress.say("waiting for the machines to reach each other")
        self.wait_until_reachable(timeout_seconds=60)

    def connect_switches(self):
        """Start the switches towards the controller and wait until it has them."""
        self._before = self._note()
        if self.controller.is_foreign:
            self.laboratory.cleanup.callback(self._restore_into_leftovers)
        self.progress.say("connecting switches")
        # The wire first: without it ONOS finds no link.
        self.port_agent = self.laboratory.start_agent(
            agents.port_agent(self.dumbbell, self.bottleneck_mbps)
        )
        target = self._reach(self.controller.openflow_port)
        self.laboratory.start_switches([f"tcp:{target}"])
        self.wait_for_switches()

    def wait_for_switches(self):
        """Wait until ONOS has both switches and both directions of the link between them."""
        onos = self.controller.onos
        switches = self.dumbbell.switches.values()
        wanted = {switch.device_id for switch in switches}
        waiting.until(
            lambda: wanted <= {name for name, there in onos.devices().items() if there},
            "ONOS to see both switches",
            timeout_seconds=40,
        )
        left, right = (switch.port_id(addresses.WIRE_PORT) for switch in switches)
        waiting.until(
            lambda: {(left, right), (right, left)} <= set(onos.links()),
            "ONOS to find the link between the switches",
            timeout_seconds=40,
        )

    def install(self, agent_link_port):
        """Install and configure Sluice (or configure the installed one) and start the agents."""
        self.agent_link_port = agent_link_port
        if not self.options.installed:
            self.progress.say("installing Sluice")
            self.controller.onos.install(self.options.oar)
        self.sluice.wait_until_serving()
        self._configure()
        self.progress.say("starting agents")
        self._start_agents()

    def _reach(self, port):
        return reach.from_management(self.dumbbell, self.controller.address, port)

    def _configure(self):
        onos = self.controller.onos
        self.certificates = agents.make_certificates(
            self.dumbbell.lab_run,
            [self.dumbbell.management.controller_address, self.controller.address],
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
            tenancy.capacities(self.dumbbell.switches.values(), self.bottleneck_mbps),
        )
        for host in addresses.HOSTS:
            self.set_weight(host, 1)

    def set_weight(self, host, weight):
        """Give the tenant behind a host a weight."""
        self.sluice.put_tenant(tenancy.tenant_of(host), tenancy.tenant(host, weight))

    def _start_agents(self):
        link = self._reach(self.agent_link_port)
        for host in addresses.HOSTS:
            self.laboratory.start_agent(
                agents.host_agent(
                    self.dumbbell, host, self.bottleneck_mbps, [link], self.certificates
                )
            )
        self.wait_for_agents()

    def wait_for_agents(self):
        """Wait until every agent has its session."""
        waiting.until(
            lambda: set(addresses.HOSTS) <= set(self.sluice.connected_hosts()),
            "all agents to be connected to Sluice",
            timeout_seconds=40,
        )

    def wait_until_reachable(self, timeout_seconds):
        """Wait until every sender's machine and the receiver's answer each other."""
        receiver = addresses.endpoint(addresses.RECEIVER).ip
        for host in addresses.SENDERS:
            waiting.until(
                lambda h=host: self.answers(h, receiver),
                f"{host} to reach {receiver}",
                timeout_seconds=timeout_seconds,
            )

    def answers(self, host, address):
        """Whether an address answers pings of a host's machine."""
        return ping_once(self.dumbbell.machines[host], address)

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
        clash = {tenancy.tenant_of(host) for host in addresses.HOSTS} & set(noted["tenants"])
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
        mine = {switch.device_id for switch in self.dumbbell.switches.values()}
        waiting.until(
            lambda: not any(there for name, there in onos.devices().items() if name in mine),
            "ONOS to notice that the switches have gone",
            timeout_seconds=30,
        )
        for kind, listing in (("devices", onos.devices), ("hosts", onos.hosts)):
            for item in set(listing()) - before[kind]:
                onos.forget(kind, item)
        return self._differences(onos, before)

    def _restore_configuration(self, onos, before):
        for host in addresses.HOSTS:
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
