# SPDX-License-Identifier: Apache-2.0
"""A private Open vSwitch: its own database, daemon and namespace, with a userspace datapath.

The machine's own Open vSwitch, if there is one, is never touched: every tool gets the paths of this
switch's sockets.
"""

import ipaddress
from pathlib import Path

from testbed.network.namespaces import Namespace
from testbed.system import polling, processes, processors
from testbed.system.errors import LabError
from testbed.system.shell import run

SCHEMA = Path("/usr/share/openvswitch/vswitch.ovsschema")
BRIDGE = "br0"
RECONNECT_MILLIS = 1000
# Each turn of the daemon's main loop allocates some hundred small pieces of memory and frees them
# together; the C library caches 7 of a size by default, which costs a fifth of the daemon's time.
ALLOCATION = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=1024"}
# What is sent to an address, and requests for its MAC address (ARP; RFC 4861, section 4.3).
SENT_TO_AND_RESOLVED = {
    4: ("ip,nw_dst", "arp,arp_tpa"),
    6: ("ipv6,ipv6_dst", "icmp6,icmp_type=135,icmp_code=0,nd_target"),
}


class Switch(Namespace):
    """One OpenFlow 1.3 switch."""

    def __init__(self, lab_run, name, datapath_id):
        super().__init__(lab_run, name)
        self.datapath_id = datapath_id
        self.directory = lab_run.directory / name
        self.directory.mkdir()

    @property
    def device_id(self):
        """The name that ONOS gives this switch."""
        return f"of:{self.datapath_id:016x}"

    def port_id(self, number):
        """The name that ONOS and Sluice give one of its ports."""
        return f"{self.device_id}/{number}"

    @property
    def _environment(self):
        place = str(self.directory)
        return {
            **self.lab_run.environment,
            "OVS_RUNDIR": place,
            "OVS_LOGDIR": place,
            "OVS_DBDIR": place,
            **ALLOCATION,
        }

    def _tool(self, *command, **options):
        """Run one of Open vSwitch's tools against this switch."""
        return run(self.inside(list(command)), env=self._environment, **options)

    def vsctl(self, *words):
        """Run ovs-vsctl on this switch's database."""
        return self._tool(
            "ovs-vsctl", "--timeout=20", f"--db=unix:{self.directory}/db.sock", *words
        )

    def ofctl(self, command, *words, stdin=None):
        """Run an ovs-ofctl command on the bridge, in OpenFlow 1.3."""
        socket = f"unix:{self.directory}/{BRIDGE}.mgmt"
        return self._tool("ovs-ofctl", "-O", "OpenFlow13", command, socket, *words, stdin=stdin)

    def start(self, ports, controllers):
        """Start the daemons and the bridge.

        ports: {interface: OpenFlow port number}; controllers: targets such as "tcp:10.9.0.1:6653",
        empty for a switch that only ovs-ofctl configures.
        """
        place = self.directory
        if not SCHEMA.exists():
            raise LabError(f"{SCHEMA} is missing: apt-get install openvswitch-switch")
        self._tool("ovsdb-tool", "create", f"{place}/conf.db", str(SCHEMA))
        self._start_database()
        self.vsctl("--no-wait", "init")
        self._start_forwarding()
        words = [
            *("--", "add-br", BRIDGE),
            *("--", "set", "bridge", BRIDGE, "datapath_type=netdev", "fail_mode=secure"),
            "protocols=OpenFlow13",
            f"other_config:datapath-id={self.datapath_id:016x}",
            "other_config:disable-in-band=true",
        ]
        for interface, number in ports.items():
            words += ["--", "add-port", BRIDGE, interface]
            words += ["--", "set", "interface", interface, f"ofport_request={number}"]
        self.vsctl(*words[1:])
        self.set_controllers(controllers)
        self._wait_for_ports(ports.values())

    def start_again(self, port_numbers):
        """Start the daemons of a switch that was stopped, on its old database.

        Returns once the ports work: rules, groups and meters are lost.
        """
        self._start_database()
        self._start_forwarding()
        self._wait_for_ports(port_numbers)

    def _start_database(self):
        place = self.directory
        self._daemon("ovsdb-server", f"--remote=punix:{place}/db.sock", f"{place}/conf.db")

    def _start_forwarding(self):
        self._daemon("ovs-vswitchd", f"unix:{self.directory}/db.sock")

    def _wait_for_ports(self, numbers):
        polling.until(
            lambda: set(self.port_numbers()) == set(numbers),
            f"the ports of switch {self.name}",
            timeout_seconds=15,
        )

    def _daemon(self, name, *words):
        place = self.directory
        self._tool(
            *processors.SERVICE_PRIORITY,
            name,
            *words,
            f"--pidfile={place}/{name}.pid",
            f"--unixctl={place}/{name}.ctl",
            f"--log-file={place}/{name}.log",
            "--detach",
            "--no-chdir",
            "-vconsole:off",
        )

    def set_controllers(self, targets):
        """Make these the only controllers of the switch."""
        words = ["del-controller", BRIDGE]
        for number, target in enumerate(targets):
            words += ["--", *_controller_row(f"@c{number}", target)]
        self.vsctl(*words)

    def add_controller(self, target):
        """Add a controller to the switch."""
        self.vsctl("--", *_controller_row("@added", target))

    def port_numbers(self):
        """OpenFlow numbers of the bridge's ports that work."""
        listing = self.vsctl(
            "--format=csv", "--no-headings", "--columns=ofport", "list", "interface"
        )
        numbers = [int(line) for line in listing.split() if line.lstrip("-").isdigit()]
        return [number for number in numbers if 0 < number < 65000]

    def controllers(self):
        """State of each controller connection: [(target, connected, role)]."""
        columns = "target,is_connected,role"
        listing = self.vsctl(
            "--format=csv", "--no-headings", f"--columns={columns}", "list", "controller"
        )
        rows = [line.replace('"', "").split(",") for line in listing.splitlines() if line]
        return [(target, connected == "true", role) for target, connected, role in rows]

    def static_forwarding(self, routes):
        """Install plain forwarding without any controller: {IP address: output port}."""
        flows = [
            f"priority=100,{match}={address},actions=output:{port}"
            for address, port in routes.items()
            for match in SENT_TO_AND_RESOLVED[ipaddress.ip_address(address).version]
        ]
        self.ofctl("add-flows", "-", stdin="\n".join(flows) + "\n")

    def flows(self):
        """The flow table, one flow a line."""
        lines = self.ofctl("dump-flows").splitlines()
        return [line.strip() for line in lines if "actions=" in line]

    def meters(self):
        """The meter table, one meter a line."""
        return self._entries("dump-meters", "meter=")

    def meter_bands(self):
        """What the meters limit, a band a line."""
        return self._entries("dump-meters", "type=")

    def groups(self):
        """The group table, one group a line."""
        return self._entries("dump-groups", "group_id=")

    def _entries(self, command, prefix):
        lines = map(str.strip, self.ofctl(command).splitlines())
        return [line for line in lines if line.startswith(prefix)]

    def snoop(self, log):
        """Write the messages between the switch and its master to an open file; the process."""
        socket = f"unix:{self.directory}/{BRIDGE}.snoop"
        command = ["ovs-ofctl", "-O", "OpenFlow13", "snoop", socket]
        return self.popen(command, stdout=log, stderr=log, env=self._environment)

    def is_running(self):
        """Whether the daemon that forwards runs."""
        return self._pid("ovs-vswitchd") is not None

    def stop_daemons(self):
        """End the daemons; the namespace stays."""
        for name in ("ovs-vswitchd", "ovsdb-server"):
            pid = self._pid(name)
            if pid is not None:
                processes.stop_all([pid])

    def _pid(self, name):
        """Process id of a daemon; None when it does not run."""
        try:
            pid = int((self.directory / f"{name}.pid").read_text(encoding="ascii"))
        except (FileNotFoundError, ValueError):
            return None
        return pid if pid in processes.tagged(self.lab_run.id) else None


def _controller_row(name, target):
    """Words that add a row of its own for a controller; name: the row's, in that command."""
    return [
        *(f"--id={name}", "create", "controller", f'target="{target}"'),
        *(f"max_backoff={RECONNECT_MILLIS}", "--"),
        *("add", "bridge", BRIDGE, "controller", name),
    ]
