# SPDX-License-Identifier: Apache-2.0
"""Further machines behind the hypervisors' bridges, which arrive, send and leave."""

from testbed.network.namespaces import Namespace
from testbed.network.topology import VM_INTERFACE
from testbed.system.shell import run
from testbed.traffic.generators import wait_until_reached

HOST_INTERFACE = "vmg"
FLOOD_MBPS = 3
FIRST_NUMBER = 64
# A guest uses its addresses in turn, so that state for each of them is bounded.
ADDRESSES_EACH = 6


class Guest:
    """One further machine of a host; each of its visits has another address and MAC."""

    def __init__(self, network, host):
        self.name = f"guest-{host}"
        self.is_connected = False
        self.visits = 0
        self._hypervisor = network.hypervisors[host]
        self._machine = Namespace(network.lab_run, self.name)
        self._first_number = FIRST_NUMBER + network.plan.hosts.index(host) * ADDRESSES_EACH
        self._flood = None
        network.machines[self.name] = self._machine

    @property
    def number(self):
        """The last byte of this visit's address and MAC."""
        return self._first_number + self.visits % ADDRESSES_EACH

    @property
    def ip(self):
        """The address of this visit."""
        return f"10.0.0.{self.number}"

    @property
    def addresses(self):
        """The addresses of all its visits."""
        return [f"10.0.0.{self._first_number + number}" for number in range(ADDRESSES_EACH)]

    def arrive(self):
        """Connect the machine, as the start of a virtual machine does."""
        self.visits += 1
        run(
            [
                *("ip", "link", "add", HOST_INTERFACE, "netns", self._hypervisor.netns),
                *("type", "veth", "peer", "name", VM_INTERFACE, "netns", self._machine.netns),
            ]
        )
        mac = f"02:00:00:00:02:{self.number:02x}"
        guest, hypervisor = self._machine.ip_command, self._hypervisor.ip_command
        guest("link", "set", VM_INTERFACE, "address", mac)
        guest("address", "add", f"{self.ip}/24", "dev", VM_INTERFACE)
        # The userspace switch would forward checksums that were never filled in.
        self._machine.check(["ethtool", "-K", VM_INTERFACE, "tx", "off"])
        hypervisor("link", "set", HOST_INTERFACE, "master", "br0")
        hypervisor("link", "set", HOST_INTERFACE, "up")
        guest("link", "set", VM_INTERFACE, "up")
        self.is_connected = True

    def wait_until_reachable(self, target, timeout_seconds=30):
        """Wait until the target answers: agent, controller and switches have the new machine."""
        wait_until_reached(self._machine, f"{self.name} ({self.ip})", target, timeout_seconds)

    def flood(self, traffic):
        """Send UDP until the end of the visit."""
        self._flood = traffic.flood(self.name, FLOOD_MBPS, start_nanos=0)

    def leave(self):
        """Disconnect the machine while it sends."""
        if not self.is_connected:
            return
        self._hypervisor.ip_command("link", "del", HOST_INTERFACE)
        self.is_connected = False
        if self._flood is not None:
            self._flood.end()
            self._flood = None
