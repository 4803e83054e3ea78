# SPDX-License-Identifier: Apache-2.0
"""A direct cable with a port agent's queue in it.

vm1 - (vm0) h1 (up0) - wa wire wb - vm2
"""

from typing import ClassVar

from testbed.network import addresses
from testbed.network.direct_cable import RECEIVER, DirectCable
from testbed.network.namespaces import connect
from testbed.network.plan import Plan
from testbed.network.topology import UPLINK, VM_INTERFACE, VM_PREFIX_LENGTHS, VM_SYSCTLS
from testbed.network.wire import LEFT, RIGHT, Wire

SHAPED = Plan(name="shaped cable", switches=(), places={}, links=())
PORT_ID = "of:0000000000000001/1"  # of no switch: the queue is in the cable


class ShapedCable(DirectCable):
    """Used in place of a topology.Network; machines send single frames, as network cards do."""

    wires: ClassVar = {}  # none is a link's between switches

    def __init__(self, lab_run, plan):
        self.wire = Wire(lab_run, "wire")
        super().__init__(lab_run, plan)
        for host, machine in self.machines.items():
            machine.check(["sysctl", "-q", "-w", *VM_SYSCTLS])
            address = f"{addresses.endpoint(host).ip6}/{VM_PREFIX_LENGTHS[1]}"
            machine.ip_command("address", "add", address, "dev", VM_INTERFACE)
            machine.check(["ethtool", "-K", VM_INTERFACE, "tx", "off"])

    def _join(self, hypervisor):
        connect(hypervisor, UPLINK, self.wire, LEFT)
        connect(self.wire, RIGHT, self.machines[RECEIVER], VM_INTERFACE)

    @property
    def nodes(self):
        """All namespaces."""
        return [*super().nodes, self.wire]
