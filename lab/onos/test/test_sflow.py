# SPDX-License-Identifier: Apache-2.0
"""Samples of two real Open vSwitches in a row, against what these count themselves."""

import json
import re
import secrets
import time
from collections.abc import Iterator

import pytest
from network import HOSTS, Network
from sflow import Collector
from waiting import eventually

# Other tests on this machine may collect, too.
PORT = 26_000 + secrets.randbelow(5_000)
SAMPLING = 20
UDP_PORTS, TCP_PORTS = (7001, 7002), (7003, 7004)
# An estimate is further off once in 16,000 times.
STANDARD_ERRORS = 4
# A switch holds samples back for up to 1 s.
QUIET_SECONDS = 2.5
UDP = f"UDP 10.0.0.1:{UDP_PORTS[0]} -> 10.0.0.2:{UDP_PORTS[1]}"
TCP = f"TCP 10.0.0.1:{TCP_PORTS[0]} -> 10.0.0.2:{TCP_PORTS[1]}"


@pytest.fixture(scope="module")
def switches() -> Iterator[Network]:
    """Two switches that forward by fixed rules, and count TCP's and UDP's packets."""
    with Network() as made:
        for bridge in ("s1", "s2"):
            made.ofctl("add-flow", bridge, "priority=1,in_port=1,actions=output:2")
            made.ofctl("add-flow", bridge, "priority=1,in_port=2,actions=output:1")
        for protocol in ("udp", "tcp"):
            made.ofctl(
                "add-flow", "s1", f"priority=2,in_port=1,{protocol},actions=output:2"
            )  # fmt: skip
        for host in HOSTS:
            # The userspace datapath hands on neither joined frames nor missing checksums.
            made.inside(host, "ethtool", "-K", "eth0", "tx", "off", "tso", "off", "gso", "off")
            for address, mac in HOSTS.values():
                made.inside(
                    host, "ip", "neighbour", "replace", address, "lladdr", mac, "dev", "eth0"
                )
        yield made


def _sample(network: Network, target: str) -> None:
    """The command of docs/sflow.md."""
    for bridge in ("s1", "s2"):
        network.vsctl(
            "--", "--id=@sluice", "create", "sflow", "agent=control", f'target="{target}"',
            f"sampling={SAMPLING}", "header=128", "polling=1",
            "--", "set", "bridge", bridge, "sflow=@sluice",
        )  # fmt: skip


def _counted_ip_bytes(network: Network, protocol: str) -> int:
    """What s1 has forwarded from h1."""
    for line in network.ofctl("dump-flows", "s1").splitlines():
        if f"{protocol},in_port" in line:
            packets, octets = (
                int(re.search(rf"n_{name}=(\d+)", line).group(1)) for name in ("packets", "bytes")
            )
            return octets - 14 * packets
    raise AssertionError(f"s1 has no rule for {protocol}")


def _await_end_of_samples(collector: Collector) -> None:
    """Waits until no sample has come for a while."""
    last = [0, time.monotonic()]

    def is_silent() -> bool:
        if collector.now["samples"] != last[0]:
            last[:] = [collector.now["samples"], time.monotonic()]
        return time.monotonic() - last[1] > QUIET_SECONDS

    eventually("the switches to have sent all samples", is_silent, 20)


def test_estimates_are_within_their_errors(switches: Network):
    with Collector(switches.controller_address, PORT, [switches.switch_address]) as collector:
        _sample(switches, collector.target)
        eventually("interface counters", lambda: collector.now["interfaces"], 20)
        receiver = switches.start_inside(
            "h2", "/usr/bin/python3", "-c", _RECEIVE, str(TCP_PORTS[1])
        )
        try:
            switches.inside("h1", "/usr/bin/python3", "-c", _SEND_UDP, *map(str, UDP_PORTS))
            switches.inside("h1", "/usr/bin/python3", "-c", _SEND_TCP, *map(str, TCP_PORTS))
        finally:
            receiver.terminate()
            receiver.wait()
        _await_end_of_samples(collector)
        now = dict(collector.now)

    for name, protocol in ((UDP, "udp"), (TCP, "tcp")):
        flow, sent = now["flows"][name], _counted_ip_bytes(switches, protocol)
        off = flow["sentBytes"] - sent
        print(
            json.dumps(
                {
                    "flow": name,
                    "sentBytes": sent,
                    "estimate": flow["sentBytes"],
                    "samples": flow["samples"],
                    "offPercent": round(100 * off / sent, 2),
                    "standardErrors": round(off / flow["standardErrorBytes"], 2),
                    "error95Percent": round(196 * flow["standardErrorBytes"] / sent, 2),
                }
            )
        )
        assert abs(off) <= STANDARD_ERRORS * flow["standardErrorBytes"], flow
        assert flow["samples"] > 50, flow
    print(json.dumps({key: value for key, value in now.items() if key != "flows"}))
    assert now["elsewhere"] > 50, "the second switch samples the same packets"
    assert now["malformed"] == now["foreign"] == now["lostDatagrams"] == now["restarts"] == 0, now


def test_samples_of_an_unlisted_switch_are_refused(switches: Network):
    with Collector(switches.controller_address, PORT, ["192.0.2.1"]) as collector:
        _sample(switches, collector.target)
        eventually("datagrams", lambda: collector.now["foreign"] > 0, 20)
        assert collector.now["samples"] == 0
        assert collector.now["interfaces"] == []


_SEND_UDP = """
import socket, sys, time
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.bind(("10.0.0.1", int(sys.argv[1])))
sender.connect(("10.0.0.2", int(sys.argv[2])))
due = time.monotonic()
for number in range(3000):
    for size in (1400, 1400, 100, 1400, 18, 1400, 700, 1400, 1400, 1400):
        try:
            sender.send(bytes(size))
        except ConnectionRefusedError:
            pass
    due += 0.002
    time.sleep(max(0, due - time.monotonic()))
"""

_SEND_TCP = """
import socket, sys
sender = socket.socket()
sender.bind(("10.0.0.1", int(sys.argv[1])))
sender.connect(("10.0.0.2", int(sys.argv[2])))
for number in range(320):
    sender.sendall(bytes(65536))
sender.shutdown(socket.SHUT_WR)
sender.recv(1)
"""

_RECEIVE = """
import socket, sys
listening = socket.create_server(("10.0.0.2", int(sys.argv[1])))
connection, _ = listening.accept()
while connection.recv(65536):
    pass
connection.close()
"""
