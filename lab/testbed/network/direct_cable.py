# SPDX-License-Identifier: Apache-2.0
"""A virtual machine, its hypervisor and a receiver on one cable: the capacity of a host alone.

    vm1 - (vm0) h1 (up0) - vm2

No switch is in between: a userspace switch would be the bottleneck long before the shim.
"""

from testbed.network import addresses
from testbed.network.namespaces import Namespace, connect
from testbed.network.plan import Plan
from testbed.network.topology import UPLINK, VM_INTERFACE, VM_PORT, VM_PREFIX_LENGTHS

SENDER, RECEIVER = "h1", "h2"
DIRECT = Plan(name="direct cable", switches=(), places={}, links=())


class DirectCable:
    """Used in place of a topology.Network."""

    def __init__(self, lab_run, plan):
        self.lab_run = lab_run
        self.plan = plan
        hypervisor = Namespace(lab_run, SENDER)
        self.machines = {SENDER: Namespace(lab_run, "vm1"), RECEIVER: Namespace(lab_run, "vm2")}
        self.hypervisors = {SENDER: hypervisor}
        connect(self.machines[SENDER], VM_INTERFACE, hypervisor, VM_PORT)
        self._join(hypervisor)
        hypervisor.bridge("br0", [VM_PORT, UPLINK])
        for host, machine in self.machines.items():
            endpoint = addresses.endpoint(host)
            machine.ip_command("link", "set", VM_INTERFACE, "address", endpoint.mac)
            address = f"{endpoint.ip}/{VM_PREFIX_LENGTHS[0]}"
            machine.ip_command("address", "add", address, "dev", VM_INTERFACE)

    def _join(self, hypervisor):
        connect(hypervisor, UPLINK, self.machines[RECEIVER], VM_INTERFACE)

    @property
    def nodes(self):
        """All namespaces."""
        return [*self.machines.values(), *self.hypervisors.values()]

    def release_shells(self):
        """End Mininet's shells; the named namespaces stay until the run is removed."""
        for node in self.nodes:
            Namespace.stop(node)
