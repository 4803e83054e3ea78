# SPDX-License-Identifier: Apache-2.0
"""Two Open vSwitch bridges with a host each, in namespaces of their own.

    h1 --- s1 (dpid 1) --- s2 (dpid 2) --- h2

The bridges sit in one namespace under a private ovsdb-server and ovs-vswitchd (userspace datapath)
and reach the controller through a veth into the namespace the test runs in.
"""

import concurrent.futures
import contextlib
import ctypes
import os
import random
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

PORTS = {"s1": {"s1-h1": 1, "s1-s2": 2}, "s2": {"s2-h2": 1, "s2-s1": 2}}
HOSTS = {"h1": ("10.0.0.1", "02:00:00:00:01:01"), "h2": ("10.0.0.2", "02:00:00:00:01:02")}

# A further namespace, without any link: tests connect it.
GUEST = "vm"
_CLONE_NEWNET = 0x40000000
_CHANGING = re.compile(r"(cookie|duration|n_packets|n_bytes|idle_age|hard_age)=\S+,? ?")


def run(*command: str, check: bool = True) -> str:
    """Runs a command and returns its output."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


class Network:
    """Creates everything on entering, removes everything on leaving."""

    def __init__(self) -> None:
        self.run_id = run_id = secrets.token_hex(2)
        self.controller_address = self.switch_address = self._uplink = ""
        self._namespaces = {name: f"so{run_id}-{name}" for name in ("sw", GUEST, *HOSTS)}
        self._directory = Path(tempfile.mkdtemp(prefix=f"sluice-onos-test-{run_id}-"))
        self._daemons: list[subprocess.Popen] = []

    def __enter__(self) -> "Network":
        try:
            self._make_links()
            self._start_switches()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Removes what exists; may be called at any point."""
        for daemon in reversed(self._daemons):
            daemon.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                daemon.wait(10)
            daemon.kill()
            daemon.wait()
        self._daemons.clear()
        for namespace in self._namespaces.values():
            run("ip", "netns", "delete", namespace, check=False)
        if self._uplink:
            run("ip", "link", "delete", self._uplink, check=False)
        shutil.rmtree(self._directory, ignore_errors=True)

    def free_ports(self) -> dict[str, int]:
        """Ports for a controller at its address."""
        ports = {}
        with contextlib.ExitStack() as taken:
            for name in ("rest", "ssh", "openflow", "cluster"):
                probe = taken.enter_context(socket.socket())
                probe.bind((self.controller_address, 0))
                ports[name] = probe.getsockname()[1]
        return ports

    def inside(self, namespace: str, *command: str, check: bool = True) -> str:
        """Runs a command in the namespace of a host, or of the switches ("sw")."""
        return run("ip", "netns", "exec", self._namespaces[namespace], *command, check=check)

    def start_inside(self, namespace: str, *command: str) -> subprocess.Popen:
        """Starts a command in a namespace; the caller ends it."""
        return subprocess.Popen(
            ["ip", "netns", "exec", self._namespaces[namespace], *command],
            stdin=subprocess.DEVNULL,
        )

    def namespace(self, name: str) -> str:
        """The system's name of a namespace."""
        return self._namespaces[name]

    def tcp_socket(self, namespace: str) -> socket.socket:
        """A TCP socket in a namespace, for this process."""

        def make() -> socket.socket:
            with open(f"/run/netns/{self._namespaces[namespace]}") as entered:
                if ctypes.CDLL(None, use_errno=True).setns(entered.fileno(), _CLONE_NEWNET):
                    raise OSError(ctypes.get_errno(), f"setns {entered.name}")
            return socket.socket(socket.AF_INET, socket.SOCK_STREAM)

        # Only the thread enters the namespace, and it ends at once.
        with concurrent.futures.ThreadPoolExecutor(1) as thread:
            return thread.submit(make).result()

    def _make_links(self) -> None:
        for namespace in self._namespaces.values():
            run("ip", "netns", "add", namespace)
            run("ip", "-n", namespace, "link", "set", "lo", "up")
        switch = self._namespaces["sw"]
        self._claim_subnet(switch)
        run("ip", "address", "add", f"{self.controller_address}/30", "dev", self._uplink)
        run("ip", "link", "set", self._uplink, "up")
        run("ip", "-n", switch, "address", "add", f"{self.switch_address}/30", "dev", "control")
        run("ip", "-n", switch, "link", "set", "control", "up")
        run("ip", "-n", switch, "link", "add", "s1-s2", "type", "veth", "peer", "s2-s1")
        for number, (host, (ip, mac)) in enumerate(HOSTS.items(), start=1):
            namespace, port = self._namespaces[host], f"s{number}-{host}"
            run("ip", "-n", switch, "link", "add", port, "type", "veth", "peer", "eth0",
                "address", mac, "netns", namespace)  # fmt: skip
            run("ip", "-n", namespace, "address", "add", f"{ip}/24", "dev", "eth0")
            run("ip", "-n", namespace, "link", "set", "eth0", "up")
            # The switches pass packets on as they are: a NIC would have filled in checksums.
            run("ip", "netns", "exec", namespace, "ethtool", "-K", "eth0", "tx", "off")
        for ports in PORTS.values():
            for port in ports:
                run("ip", "-n", switch, "link", "set", port, "up")

    def _claim_subnet(self, switch: str) -> None:
        """Makes the link to the controller: of several networks one alone gets a link's name."""
        for subnet in random.sample(range(1, 251), 250):
            with contextlib.suppress(RuntimeError):
                link = f"so-{subnet}"
                run("ip", "link", "add", link, "type", "veth", "peer", "control", "netns", switch)
                self._uplink = link
                self.controller_address = f"10.250.{subnet}.1"
                self.switch_address = f"10.250.{subnet}.2"
                return
        raise RuntimeError("no link so-1 to so-250 can be made: remove what earlier tests left")

    def _start_switches(self) -> None:
        database = self._directory / "conf.db"
        run("ovsdb-tool", "create", str(database), "/usr/share/openvswitch/vswitch.ovsschema")
        self._daemon("ovsdb-server", str(database), f"--remote=punix:{self._socket}")
        self._wait_for(self._socket)
        self.vsctl("--no-wait", "init")
        self._daemon("ovs-vswitchd", f"unix:{self._socket}", "--disable-system")
        for bridge, ports in PORTS.items():
            dpid = f"{int(bridge[1:]):016x}"
            self.vsctl(
                "add-br", bridge, "--", "set", "bridge", bridge, "datapath_type=netdev",
                "protocols=OpenFlow13", "fail_mode=secure", f"other-config:datapath-id={dpid}",
            )  # fmt: skip
            for port, number in ports.items():
                self.vsctl(
                    "add-port", bridge, port, "--", "set", "interface", port,
                    f"ofport_request={number}",
                )  # fmt: skip

    def _daemon(self, program: str, *arguments: str) -> None:
        environment = dict(
            os.environ,
            OVS_RUNDIR=str(self._directory),
            OVS_LOGDIR=str(self._directory),
            OVS_DBDIR=str(self._directory),
        )
        command = ["ip", "netns", "exec", self._namespaces["sw"], program, *arguments]
        log = f"--log-file={self._directory / program}.log"
        self._daemons.append(
            subprocess.Popen(
                [*command, log, "-vconsole:off"], env=environment, stdin=subprocess.DEVNULL
            )
        )

    @property
    def _socket(self) -> Path:
        return self._directory / "db.sock"

    @staticmethod
    def _wait_for(path: Path) -> None:
        """Waits until a server listens at a socket: its file is there before that."""
        deadline = time.monotonic() + 10
        while True:
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
                probe.connect(str(path))
                return
            if time.monotonic() > deadline:
                raise RuntimeError(f"no server listens at {path} after 10 s")
            time.sleep(0.05)

    def vsctl(self, *arguments: str) -> str:
        return self.inside("sw", "ovs-vsctl", f"--db=unix:{self._socket}", *arguments)

    def ofctl(self, command: str, bridge: str, *arguments: str) -> str:
        """Reads or changes a switch without ONOS."""
        management = self._directory / f"{bridge}.mgmt"
        return self.inside(
            "sw", "ovs-ofctl", "-O", "OpenFlow13", command, f"unix:{management}", *arguments
        )

    def table(self, command: str, bridge: str, *arguments: str) -> list[str]:
        """What a `dump` command of ofctl lists, without counters and ages, sorted."""
        listed = self.ofctl(command, bridge, *arguments).splitlines()
        return sorted(_CHANGING.sub("", line) for line in listed if "xid" not in line)

    def tables(self) -> dict[str, list[str]]:
        """What each switch holds."""
        return {
            bridge: [
                line
                for command in ("dump-flows", "dump-meters", "dump-groups")
                for line in self.table(command, bridge)
            ]
            for bridge in PORTS
        }

    def set_controller(self, port: int) -> None:
        for bridge in PORTS:
            target = f"tcp:{self.controller_address}:{port}"
            self.vsctl(
                "set-controller", bridge, target, "--", "set", "controller", bridge,
                "max_backoff=1000",
            )  # fmt: skip

    def send_arp(self, host: str, target_ip: str) -> None:
        """Sends a host's ARP request for an address, as its first packet."""
        self.send_arp_from(host, *HOSTS[host], target_ip)

    def send_arp_from(self, namespace: str, ip: str, mac: str, target_ip: str) -> None:
        """Sends an ARP request from a namespace with these addresses on its eth0."""
        self.inside(namespace, "/usr/bin/python3", "-c", _ARP_REQUEST, ip, mac, target_ip)

    def await_arp(self, host: str, target_ip: str) -> subprocess.Popen:
        """Starts a process that ends when an ARP request for an address reaches a host."""
        return self.start_inside(host, "/usr/bin/python3", "-c", _AWAIT_ARP, target_ip)


_AWAIT_ARP = """
import socket, sys
target = socket.inet_aton(sys.argv[1])
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0806))
raw.bind(("eth0", 0))
raw.settimeout(60)
while True:
    frame = raw.recv(2048)
    if frame[20:22] == b"\\x00\\x01" and frame[38:42] == target:
        break
"""

_ARP_REQUEST = """
import socket, sys
ip, mac, target = sys.argv[1:]
mac = bytes.fromhex(mac.replace(":", ""))
frame = b"\\xff" * 6 + mac + bytes.fromhex("0806" "0001080006040001")
frame += mac + socket.inet_aton(ip) + bytes(6) + socket.inet_aton(target)
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
raw.bind(("eth0", 0))
raw.send(frame.ljust(60, b"\\0"))
"""
