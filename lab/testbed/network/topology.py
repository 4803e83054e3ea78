# SPDX-License-Identifier: Apache-2.0
"""A network of virtual machines, hypervisors and switches, built from a plan. The dumbbell is

    vm1 - h1 --1 s1 5-- wire --5 s2 1-- h5 - vm5
    ...  h4 --4

and the leaf-spine network

    vm1 - h1 --1 s1 3---1 s3 2---3 s2 1-- h3 - vm3
    vm2 - h2 --2    4---1 s4 2---4    2-- h4 - vm4

Each virtual machine is a namespace behind the Linux bridge of its "hypervisor" namespace, where the
agent works on vm0 (towards the machine) and up0 (towards the switch). Further machines of a host
are at vm1, vm2 ... of the same bridge. A management network joins switches and agents to the
controller.
"""

from testbed.network import addresses, taps
from testbed.network.delay_line import HOST_SIDE, SWITCH_SIDE, DelayLine
from testbed.network.management import ManagementNetwork
from testbed.network.namespaces import Namespace, connect
from testbed.network.ovs import Switch
from testbed.network.plan import TAPS
from testbed.network.wire import LEFT, RIGHT, Wire

VM_INTERFACE = "eth0"
VM_PORT, UPLINK = "vm0", "up0"
VM_PREFIX_LENGTHS = 24, 64
# A machine's addresses are valid at once, and it solicits no router for others.
VM_SYSCTLS = (
    f"net.ipv6.conf.{VM_INTERFACE}.accept_dad=0",
    f"net.ipv6.conf.{VM_INTERFACE}.accept_ra=0",
    f"net.ipv6.conf.{VM_INTERFACE}.disable_ipv6=0",
)


def vm_port(plan, machine):
    """The interface of its host that a machine is behind: vm0; for neighbours vm1, vm2 ..."""
    number = plan.machines_on(plan.host_of(machine)).index(machine)
    return f"vm{number}" if number else VM_PORT


class Network:
    """Everything of a network but the agents' processes and the traffic."""

    switch_type = Switch

    def __init__(self, lab_run, plan):
        self.lab_run = lab_run
        self.plan = plan
        self.management = ManagementNetwork(lab_run)
        self.switches = {}
        for number, name in enumerate(plan.switches, start=1):
            self.switches[name] = self.switch_type(lab_run, name, datapath_id=number)
            self.management.attach(self.switches[name])
        self.wires = {}
        for link in plan.links:
            self._add_link(link)
        self.hypervisors = {}
        self.machines = {}
        self.delay_lines = []
        self.management_addresses = {}
        for host in plan.hosts:
            self._add_host(host)

    def _add_link(self, link):
        (left, left_port), (right, right_port) = link.ends
        left_end, right_end = self.switches[left], self.switches[right]
        if not link.is_wire:
            connect(left_end, f"p{left_port}", right_end, f"p{right_port}")
            return
        wire = Wire(self.lab_run, "wire" if len(self.plan.wires) == 1 else f"wire-{left}-{right}")
        connect(left_end, f"p{left_port}", wire, LEFT)
        connect(right_end, f"p{right_port}", wire, RIGHT)
        self.management.attach(wire)
        self.wires[link] = wire

    def _add_host(self, host):
        switch, port = self.plan.places[host]
        hypervisor = Namespace(self.lab_run, host)
        on_host = self.plan.machines_on(host)
        for name in on_host:
            self.machines[name] = self._connected_machine(name, hypervisor)
        self._join(hypervisor, self.switches[switch], f"p{port}")
        self._make_frames_whole(hypervisor, on_host)
        hypervisor.bridge("br0", [*(vm_port(self.plan, name) for name in on_host), UPLINK])
        self.management_addresses[host] = self.management.attach(hypervisor)
        for name in on_host:
            self._address(name)
        self.hypervisors[host] = hypervisor

    def _make_frames_whole(self, hypervisor, on_host):
        """Have checksums filled in and super-packets divided before they come to a switch.

        The userspace switch would forward checksums that were never filled in. What cannot make
        them hands over no super-packets either: as a NIC, the uplink is after all queues.
        """
        if self.plan.guests == TAPS:
            hypervisor.check(["ethtool", "-K", UPLINK, "tx", "off"])
            return
        for name in on_host:
            self.machines[name].check(["ethtool", "-K", VM_INTERFACE, "tx", "off"])

    def _connected_machine(self, name, hypervisor):
        machine = Namespace(self.lab_run, f"vm{name[1:]}")
        connected = taps.connect if self.plan.guests == TAPS else connect
        connected(machine, VM_INTERFACE, hypervisor, vm_port(self.plan, name))
        machine.ip_command("link", "set", VM_INTERFACE, "address", addresses.endpoint(name).mac)
        return machine

    def _address(self, name):
        machine = self.machines[name]
        machine.check(["sysctl", "-q", "-w", *VM_SYSCTLS])
        for address, length in zip(addresses.endpoint(name).ips, VM_PREFIX_LENGTHS, strict=True):
            machine.ip_command("address", "add", f"{address}/{length}", "dev", VM_INTERFACE)

    def _join(self, hypervisor, switch, port_name):
        """Connect a hypervisor to its switch, by a delay line if the plan has one."""
        delay_millis = self.plan.delays_millis.get(hypervisor.name)
        if not delay_millis:
            connect(hypervisor, UPLINK, switch, port_name)
            return
        delay_line = DelayLine(self.lab_run, hypervisor.name, delay_millis)
        connect(hypervisor, UPLINK, delay_line, HOST_SIDE)
        connect(delay_line, SWITCH_SIDE, switch, port_name)
        self.delay_lines.append(delay_line)
        delay_line.start()

    @property
    def wire(self):
        """The wire of a network that has exactly one."""
        (wire,) = self.wires.values()
        return wire

    @property
    def nodes(self):
        """All namespaces."""
        return [
            *self.machines.values(),
            *self.hypervisors.values(),
            *self.delay_lines,
            *self.switches.values(),
            *self.wires.values(),
            self.management.node,
        ]

    def port_id(self, end):
        """The name that ONOS and Sluice give a (switch, port) of the plan."""
        switch, port = end
        return self.switches[switch].port_id(port)

    def start_switches(self, controllers):
        """Start all switches with the given OpenFlow targets as controllers (empty: none)."""
        for name, switch in self.switches.items():
            ports = {f"p{number}": number for number in self.plan.ports(name)}
            switch.start(ports, controllers)

    def stop_switches(self):
        """End all switches' daemons; the namespaces stay."""
        for switch in self.switches.values():
            switch.stop_daemons()

    def forward_statically(self):
        """Install forwarding rules on all switches, without a controller."""
        for name, switch in self.switches.items():
            routes = self.plan.routes(name)
            switch.static_forwarding(
                {
                    address: port
                    for machine, port in routes.items()
                    for address in addresses.endpoint(machine).ips
                }
            )

    def release_shells(self):
        """End Mininet's shells; the named namespaces stay until the run is removed."""
        for node in self.nodes:
            Namespace.stop(node)
