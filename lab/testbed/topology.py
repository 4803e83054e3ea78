# SPDX-License-Identifier: Apache-2.0
"""The dumbbell: four senders, one receiver, two switches, a wire, a management network.

    vm1 - h1 --1 s1 5-- wire --5 s2 1-- h5 - vm5
    ...  h4 --4

Each virtual machine is a namespace behind the Linux bridge of its "hypervisor" namespace, where the
agent works on vm0 (towards the machine) and up0 (towards the switch).
"""

from testbed import addresses, runs
from testbed.management import ManagementNetwork
from testbed.namespaces import Namespace, connect
from testbed.ovs import Switch
from testbed.wire import LEFT, RIGHT, Wire

VM_INTERFACE = "eth0"
VM_PREFIX_LENGTH = 24


class Dumbbell:
    """Everything of the network but the agents' programs and the traffic."""

    def __init__(self, lab_run):
        self.lab_run = lab_run
        self.management = ManagementNetwork(lab_run)
        self.switches = {}
        for number, name in enumerate(("s1", "s2"), start=1):
            self.switches[name] = Switch(lab_run, name, datapath_id=number)
            self.management.attach(self.switches[name])
        self.wire = Wire(lab_run)
        connect(self.switches["s1"], f"p{addresses.WIRE_PORT}", self.wire, LEFT)
        connect(self.switches["s2"], f"p{addresses.WIRE_PORT}", self.wire, RIGHT)
        self.hypervisors = {}
        self.machines = {}
        self.management_addresses = {}
        for host in addresses.HOSTS:
            self._add_host(addresses.endpoint(host))

    def _add_host(self, endpoint):
        hypervisor = Namespace(self.lab_run, endpoint.host)
        machine = Namespace(self.lab_run, f"vm{endpoint.host[1:]}")
        switch = self.switches[endpoint.switch]
        connect(machine, VM_INTERFACE, hypervisor, "vm0")
        machine.ip_command("link", "set", VM_INTERFACE, "address", endpoint.mac)
        connect(hypervisor, "up0", switch, f"p{endpoint.port}")
        hypervisor.bridge("br0", ["vm0", "up0"])
        self.management_addresses[endpoint.host] = self.management.attach(hypervisor)
        machine.ip_command(
            *("address", "add", f"{endpoint.ip}/{VM_PREFIX_LENGTH}", "dev", VM_INTERFACE)
        )
        # The userspace switch would pass on checksums that nobody ever filled in.
        machine.check(["ethtool", "-K", VM_INTERFACE, "tx", "off"])
        self.hypervisors[endpoint.host] = hypervisor
        self.machines[endpoint.host] = machine

    @property
    def nodes(self):
        """All namespaces."""
        return [
            *self.machines.values(),
            *self.hypervisors.values(),
            *self.switches.values(),
            self.wire,
            self.management.node,
        ]

    def start_switches(self, controllers):
        """Start both switches towards the given OpenFlow targets (empty: none)."""
        for switch in self.switches.values():
            numbers = [
                endpoint.port
                for endpoint in map(addresses.endpoint, addresses.HOSTS)
                if endpoint.switch == switch.name
            ]
            numbers.append(addresses.WIRE_PORT)
            switch.start({f"p{number}": number for number in numbers}, controllers)

    def stop_switches(self):
        """End both switches' daemons; the namespaces stay."""
        for switch in self.switches.values():
            switch.stop_daemons()

    def forward_statically(self):
        """Let both switches forward without a controller."""
        for switch in self.switches.values():
            switch.static_forwarding(addresses.routes(switch.name))

    def release_shells(self):
        """End Mininet's shells; the named namespaces stay until the run is removed."""
        for node in self.nodes:
            Namespace.stop(node)

    def remove(self):
        """End everything in order and remove every trace."""
        self.release_shells()
        runs.remove(self.lab_run)
