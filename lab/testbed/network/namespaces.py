# SPDX-License-Identifier: Apache-2.0
"""Mininet's nodes and links, with namespaces that outlive the process that made them.

Mininet's own namespaces live as long as the shell of each node. Here every node's namespace also
gets a name (`ip netns attach`), so that a run can outlast its runner (--keep), can be entered by
hand, and can be removed after a crash. Mininet's network class, its exception handler and its
clean-up are not used: they kill processes by broad names.
"""

import json
import subprocess

from mininet.link import Link
from mininet.node import Node

from testbed.runs.registry import NETNS_BASE
from testbed.system.errors import LabError
from testbed.system.shell import run

QUIET_SYSCTLS = ("net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1")

# A bridge's frames need not go through iptables: there are no rules, and each lookup costs time.
BRIDGE_SYSCTLS = tuple(
    f"net.bridge.bridge-nf-call-{tables}=0" for tables in ("arptables", "ip6tables", "iptables")
)


class Namespace(Node):
    """A Mininet node with a named namespace, whose commands see the whole file system."""

    def __init__(self, lab_run, name):
        self.lab_run = lab_run
        self.netns = lab_run.namespace(name)
        super().__init__(name)
        run(["ip", "netns", "attach", self.netns, str(self.pid)])
        self.check(["sysctl", "-q", "-w", *QUIET_SYSCTLS])
        self.ip_command("link", "set", "lo", "up")

    def inside(self, command):
        """The command line that runs a command (list of strings) inside this namespace.

        Only the network namespace changes: unlike `ip netns exec` this leaves /sys/fs/bpf mounted.
        """
        return ["nsenter", f"--net={NETNS_BASE / self.netns}", "--", *command]

    def popen(self, *args, **kwargs):
        """Start a process inside; same calling forms as Mininet's, own session, tagged."""
        command = list(args[0]) if len(args) == 1 and not isinstance(args[0], str) else list(args)
        options = {
            "env": self.lab_run.environment,
            "start_new_session": True,
            "stdin": subprocess.DEVNULL,
        }
        options.update(kwargs)
        return subprocess.Popen(self.inside(command), **options)

    def check(self, command, **options):
        """Run a command inside and return its output; LabError when it fails."""
        return run(self.inside(command), env=self.lab_run.environment, **options)

    def ip_command(self, *words):
        """Run `ip WORDS` inside."""
        return self.check(["ip", *words])

    def received_bytes(self, interface):
        """Frame bytes that an interface has received so far."""
        return self._counted_bytes(interface, "rx")

    def sent_bytes(self, interface):
        """Frame bytes that an interface has sent so far."""
        return self._counted_bytes(interface, "tx")

    def _counted_bytes(self, interface, direction):
        listing = self.ip_command("-j", "-s", "link", "show", interface)
        return json.loads(listing)[0]["stats64"][direction]["bytes"]

    def bridge(self, name, ports):
        """Make a Linux bridge over the interfaces: no delay, no spanning tree, no snooping."""
        self.ip_command(
            *f"link add {name} type bridge stp_state 0 forward_delay 0 mcast_snooping 0".split()
        )
        # Without the kernel's bridge filter module these settings do not exist.
        self.check(["sysctl", "-q", "-e", "-w", *BRIDGE_SYSCTLS])
        for port in ports:
            self.ip_command("link", "set", port, "master", name)
        self.ip_command("link", "set", name, "up")


def connect(node1, interface1, node2, interface2):
    """Join two nodes by a veth pair and bring both ends up."""
    try:
        Link(
            node1,
            node2,
            intfName1=interface1,
            intfName2=interface2,
            up=None,  # brought up below: Mininet would need ifconfig
        )
    except Exception as failure:  # Mininet raises bare Exception
        raise LabError(f"link {node1.name}/{interface1}: {failure}") from failure
    node1.ip_command("link", "set", interface1, "up")
    node2.ip_command("link", "set", interface2, "up")
