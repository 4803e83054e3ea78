# SPDX-License-Identifier: Apache-2.0
"""Sizes of flows that real switches sample, in a real ONOS: REST, shell and doctor."""

import contextlib
import json
import secrets
import shlex
from collections.abc import Iterator

import pytest
from controller import Controller
from network import HOSTS, Network
from sluice import REST, START_SECONDS, installed, set_properties
from waiting import eventually

# Other tests on this machine may collect, too.
PORT = 31_500 + secrets.randbelow(500)
SAMPLING = 5
SOURCE, DESTINATION = HOSTS["h1"][0], HOSTS["h2"][0]
PORTS = (7101, 7102)

# Until it is ended: some 5 Mbit/s, of which 90 packets a second are sampled at each switch.
_SEND = """
import socket, sys, time
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.bind((sys.argv[1], int(sys.argv[2])))
while True:
    sender.sendto(bytes(1400), (sys.argv[3], int(sys.argv[4])))
    time.sleep(0.002)
"""


@pytest.fixture(scope="module")
def sluice(onos: Controller, network: Network) -> Iterator[Controller]:
    """ONOS with the application, and switches that sample."""
    eventually("a link", lambda: len(onos.get("v1/links")["links"]) == 2, START_SECONDS)
    with installed(onos):
        eventually("h2's route", lambda: _is_routed(network), START_SECONDS)
        target = f"{network.controller_address}:{PORT}"
        for bridge in ("s1", "s2"):
            network.vsctl(
                "--", "--id=@sluice", "create", "sflow", "agent=control", f'target="{target}"',
                f"sampling={SAMPLING}", "header=128", "polling=1",
                "--", "set", "bridge", bridge, "sflow=@sluice",
            )  # fmt: skip
        try:
            yield onos
        finally:
            for bridge in ("s1", "s2"):
                network.vsctl("clear", "bridge", bridge, "sflow")


def _is_routed(network: Network) -> bool:
    network.send_arp("h1", DESTINATION)
    network.send_arp("h2", SOURCE)
    return all(
        f"nw_dst={address}" in network.ofctl("dump-flows", "s1")
        for address in (SOURCE, DESTINATION)
    )


@contextlib.contextmanager
def _flow(network: Network) -> Iterator[None]:
    """A flow of UDP through both switches."""
    mac = HOSTS["h2"][1]
    network.inside("h1", "ip", "neighbour", "replace", DESTINATION, "lladdr", mac, "dev", "eth0")
    sender = network.start_inside(
        "h1", "/usr/bin/python3", "-c", _SEND, SOURCE, str(PORTS[0]), DESTINATION, str(PORTS[1])
    )
    try:
        yield
    finally:
        sender.terminate()
        sender.wait()


def _listed(onos: Controller) -> list[dict]:
    return [
        flow
        for flow in onos.get(f"{REST}/flows?kind=background")["flows"]
        if (flow["sourcePort"], flow["destinationPort"]) == PORTS
    ]


def _findings(onos: Controller, what: str) -> list[dict]:
    return [
        each
        for each in onos.get(f"{REST}/doctor")["findings"]
        if each["about"] == "sflow" and what in each["what"]
    ]


def test_samples_of_a_listed_switch_are_accepted(sluice: Controller, network: Network):
    set_properties(sluice, sflowPort=str(PORT))
    with _flow(network):
        foreign = eventually(
            "a finding about a switch that is not listed",
            lambda: _findings(sluice, "not listed"),
            START_SECONDS,
        )
        assert _findings(sluice, "No switch's datagrams are accepted")
        assert _listed(sluice) == []
        remedy = foreign[0]["remedy"].partition(": ")[2].partition(";")[0]
        sluice.cli(*shlex.split(remedy))
        (flow,) = eventually("the flow", lambda: _listed(sluice), START_SECONDS)
        assert not _findings(sluice, "No switch's datagrams are accepted")
        assert (flow["source"], flow["destination"]) == (SOURCE, DESTINATION)
        assert flow["sizeFrom"] == "sflow"
        assert flow["sentBytes"] > 16_000
        assert flow["endpoint"] is None
        assert flow["ports"][0] == "of:0000000000000001/2", flow
        shell = json.loads(sluice.cli("sluice-background-flows", "-j"))["flows"]
        assert PORTS in [(each["sourcePort"], each["destinationPort"]) for each in shell]
    eventually("the flow to be forgotten", lambda: not _listed(sluice), START_SECONDS)


def test_the_collector_moves_to_another_port_and_stops_without_one(
    sluice: Controller, network: Network
):
    def is_open(port: int) -> bool:
        return f":{port:04X} " in open("/proc/net/udp").read() + open("/proc/net/udp6").read()

    assert is_open(PORT)
    set_properties(sluice, sflowPort=str(PORT + 1), sflowAddress=network.controller_address)
    eventually("the other port", lambda: is_open(PORT + 1) and not is_open(PORT), START_SECONDS)
    set_properties(sluice, sflowAddress="192.0.2.1")
    eventually(
        "a finding about the address",
        lambda: _findings(sluice, "cannot listen on 192.0.2.1"),
        START_SECONDS,
    )
    set_properties(sluice, sflowPort="0")
    eventually("no finding", lambda: not _findings(sluice, ""), START_SECONDS)
    assert not is_open(PORT + 1)
