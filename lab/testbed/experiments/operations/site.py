# SPDX-License-Identifier: Apache-2.0
"""Where the steps are done: a hypervisor with a virtual machine, a switch and ONOS on a machine."""

import json

from testbed.experiments.operations.machine import Machine
from testbed.system.errors import LabError
from testbed.system.repository import ROOT

ONOS, ONOS_DIRECTORY = str(ROOT / "lab" / "onos" / "onos"), "/srv/onos"
ONOS_SECONDS = 240
URL = "http://192.0.2.10:8181/onos"
# The network that the pages speak of: the controller's address, uplink, VM and bridge are theirs.
NETWORK = """
ip link set lo up
ip address add 192.0.2.10/32 dev lo
ip link add lan type bridge
ip link add eth0 type veth peer name s1-eth1
ip netns add vm
ip link add vnet0 type veth peer name eth0 netns vm
ip -n vm address add 10.1.0.4/16 dev eth0
ip -n vm link set eth0 up
for port in eth0 vnet0; do ip link set $port master lan; done
for device in lan eth0 s1-eth1 vnet0; do ip link set $device up; done
mkdir -p /run/openvswitch
ovsdb-tool create /run/openvswitch/conf.db /usr/share/openvswitch/vswitch.ovsschema
ovsdb-server --remote=punix:/run/openvswitch/db.sock --pidfile --detach --no-chdir \
    --log-file=/run/openvswitch/db.log /run/openvswitch/conf.db
ovs-vsctl --no-wait init
ovs-vswitchd --pidfile --detach --no-chdir --log-file=/run/openvswitch/switch.log
ovs-vsctl add-br br0 -- set bridge br0 datapath_type=netdev protocols=OpenFlow13 fail_mode=secure \
    other-config:datapath-id=0000000000000001 -- add-port br0 s1-eth1
"""
TALK = "while sleep 1; do echo >/dev/udp/10.1.0.9/9; done"


class Site:
    """The machine and what answers on it."""

    def __init__(self, progress):
        self.machine = Machine()
        try:
            progress.log("a network and ONOS")
            self.machine.run("bash", "-ec", NETWORK)
            self.machine.run(
                *(ONOS, "start", "--dir", ONOS_DIRECTORY, "--bind", "0.0.0.0"),
                timeout_seconds=ONOS_SECONDS,
            )
            self.machine.run("ovs-vsctl", "set-controller", "br0", "tcp:192.0.2.10:6653")
            self.machine.until("the switch in ONOS", lambda: self._available("of:0000000000000001"))
            # As a VM that runs does: an agent learns its address from what it sends.
            self.machine.run("bash", "-c", f"ip netns exec vm bash -c '{TALK}' >/dev/null 2>&1 &")
        except BaseException:
            self.machine.end()
            raise

    def machine_of(self, host):
        """The only machine."""
        return self.machine

    def carry(self, step):
        """Bring to a step what was made on another machine: there is none."""

    def end(self):
        """End it; returns what is left."""
        return self.machine.end()

    def _available(self, device):
        return any(
            each["id"] == device and each["available"] for each in self.get("v1/devices")["devices"]
        )

    def get(self, path):
        """What ONOS's REST, or Sluice's, answers."""
        return json.loads(self.machine.run("curl", "-fsS", "-u", "onos:rocks", f"{URL}/{path}"))

    def onos(self, command):
        """A command of ONOS's shell."""
        return self.machine.run(ONOS, "cli", "--dir", ONOS_DIRECTORY, command, timeout_seconds=60)

    def host(self, name="h1"):
        """A host as the controller has it; None: it has not."""
        hosts = self.get("sluice/v1/hosts")["hosts"]
        return next((each for each in hosts if each["id"] == name), None)

    def endpoint(self, name="h1/vnet0"):
        """An endpoint as the controller has it; None: it has not."""
        endpoints = self.get("sluice/v1/endpoints")["endpoints"]
        return next((each for each in endpoints if each["id"] == name), None)

    def rules(self):
        """The switch's rules and meters, but for those by which ONOS itself gets packets."""
        dumped = [
            self.machine.run("ovs-ofctl", "-O", "OpenFlow13", "--no-stats", what, "br0")
            for what in ("dump-flows", "dump-meters")
        ]
        lines = [line.strip() for text in dumped for line in text.splitlines()[1:]]
        return [line for line in lines if line and "clear_actions" not in line]

    def traces(self):
        """What an agent has in the kernel and in /run."""
        left = self.machine.run("tc", "qdisc", "show", "dev", "eth0")
        files = self.machine.run(
            *("bash", "-c"),
            "find /sys/fs/bpf -mindepth 1 ! -name '*.debug'; ls -d /run/sluice* || true",
        )
        return [line for line in left.splitlines() if "htb" in line] + [
            line for line in files.splitlines() if line.startswith("/")
        ]

    def has_limits(self):
        """Whether an agent's limits are in force."""
        return any("htb" in line for line in self.traces())

    def not_after(self, file):
        """When a certificate in a file ends, in openssl's words, by its serial number too."""
        return self.machine.run("openssl", "x509", "-in", file, "-noout", "-serial", "-enddate")

    def shown_certificate(self):
        """The certificate that the controller shows to who connects now, as not_after()."""
        shown = self.machine.run(
            "bash",
            "-c",
            "openssl s_client -connect 192.0.2.10:6680 -alpn h2 -CAfile /etc/sluice/ca.pem"
            " -cert /etc/sluice/h1.pem -key /etc/sluice/h1.key </dev/null 2>/dev/null |"
            " openssl x509 -noout -serial -enddate",
        )
        if not shown:
            raise LabError("the controller shows no certificate")
        return shown
