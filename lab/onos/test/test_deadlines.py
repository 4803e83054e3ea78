# SPDX-License-Identifier: Apache-2.0
"""Flows with deadlines in a real ONOS with a real switch: observed by the switch, on the page."""

import contextlib
import secrets
import socket
import struct
import threading
from collections.abc import Iterator

import agent
import hypervisor
import pytest
from browser import Page, Row, opened
from controller import Controller
from network import GUEST, HOSTS, Network
from sluice import APPLICATION, REST, installed, set_properties
from waiting import eventually

# Other tests on this machine may listen for agents, too.
LINK_PORT = 32_000 + secrets.randbelow(1_000)
SINK_IP, SINK_PORT = HOSTS["h2"][0], 5001
SIZE_BYTES = 400_000
DUE_MILLIS = 60_000
# None of the states that are awaited here takes longer than about 5 s.
SOON = 20
ABORT = struct.pack("ii", 1, 0)


@contextlib.contextmanager
def _sink(network: Network) -> Iterator[None]:
    """Receives all that is sent to it, one connection after the other."""

    def receive() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return  # shut down
            with connection, contextlib.suppress(ConnectionError):
                while connection.recv(65_536):
                    pass

    with network.tcp_socket("h2") as listening:
        listening.bind((SINK_IP, SINK_PORT))
        listening.listen()
        receiver = threading.Thread(target=receive)
        receiver.start()
        try:
            yield
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            receiver.join()


@pytest.fixture(scope="module")
def sluice(
    onos: Controller, network: Network, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Controller]:
    """ONOS with the application, a guest behind a connected agent, and a sink."""
    directory = tmp_path_factory.mktemp("hypervisor")
    keys = agent.make_keys(directory, network.controller_address)
    with (
        _sink(network),
        hypervisor.running(network, directory, LINK_PORT),
        installed(onos),
    ):
        set_properties(onos, agentLinkPort=str(LINK_PORT), **keys)

        def is_attached() -> bool:
            network.send_arp_from(GUEST, hypervisor.GUEST_IP, hypervisor.GUEST_MAC, SINK_IP)
            network.send_arp("h2", hypervisor.GUEST_IP)
            return any(
                hypervisor.GUEST_IP in each["ips"] and each["attachment"]
                for each in onos.get(f"{REST}/endpoints")["endpoints"]
            )

        eventually("the guest", is_attached, 60)
        yield onos


def _register(onos: Controller, source_port: int) -> dict:
    request = {
        "source": hypervisor.GUEST_IP,
        "sourcePort": source_port,
        "destination": SINK_IP,
        "destinationPort": SINK_PORT,
        "sizeBytes": SIZE_BYTES,
        "dueInMillis": DUE_MILLIS,
    }
    status, made = onos.request("POST", f"{REST}/flows", request)
    assert (status, made["state"], made["promised"]) == (201, "waiting", True), made
    return made


def _await(onos: Controller, flow: dict, **expected: object) -> None:
    """Waits until a registration has these values."""

    def matches() -> bool:
        current = onos.get(f"{REST}/flows/{flow['id']}")
        return {name: current[name] for name in expected} == expected

    eventually(f"{expected}", matches, SOON)


def _connect(network: Network, source_port: int) -> socket.socket:
    connection = network.tcp_socket(GUEST)
    connection.settimeout(SOON)
    connection.bind((hypervisor.GUEST_IP, source_port))
    connection.connect((SINK_IP, SINK_PORT))
    return connection


def _rules(network: Network) -> list[str]:
    """The rules by which switches report connections."""
    return [
        rule
        for bridge in ("s1", "s2")
        for rule in network.ofctl("dump-flows", bridge).splitlines()
        if "priority=30000" in rule
    ]


def _await_rules(network: Network, count: int) -> list[str]:
    eventually(f"{count} rules", lambda: len(_rules(network)) == count, SOON)
    return _rules(network)


def _seen(onos: Controller) -> tuple[int, int]:
    counts = onos.get(f"{REST}/deadlines")["seenBySwitches"]
    return counts["beginnings"], counts["ends"]


def _await_seen(onos: Controller, beginnings: int, ends: int) -> None:
    eventually(
        f"{beginnings} beginnings, {ends} ends", lambda: _seen(onos) == (beginnings, ends), SOON
    )


@pytest.fixture
def by_switches(sluice: Controller, network: Network) -> Iterator[Controller]:
    set_properties(sluice, flows="switch")
    yield sluice
    set_properties(sluice, flows="host")
    _await_rules(network, 0)


@pytest.mark.parametrize(("port", "aborted"), [(41_001, False), (41_002, True)])
def test_a_switch_reports_when_a_registered_flow_begins_and_ends(
    by_switches: Controller, network: Network, port: int, aborted: bool
):
    onos = by_switches
    beginnings, ends = _seen(onos)
    flow = _register(onos, port)
    (rule,) = _await_rules(network, 1)
    for word in (
        f"in_port={hypervisor.PORT}",
        f"nw_src={hypervisor.GUEST_IP}",
        f"nw_dst={SINK_IP}",
        f"tp_src={port}",
        f"tp_dst={SINK_PORT}",
        "nw_ecn=1",
        "CONTROLLER",
    ):
        assert word in rule
    with _connect(network, port) as connection:
        _await(onos, flow, state="sending")
        _await_seen(onos, beginnings + 1, ends)
        connection.sendall(bytes(100_000))
        _await(onos, flow, remainingBytes=SIZE_BYTES - 100_000)
        eventually("the SYN alone", lambda: "n_packets=1," in _rules(network)[0], SOON)
        assert _seen(onos) == (beginnings + 1, ends)
        if aborted:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)
    _await_seen(onos, beginnings + 1, ends + 1)
    _await(onos, flow, state="closed-early")
    _await_rules(network, 0)


def test_a_flow_reported_by_its_switch_meets_its_deadline(
    by_switches: Controller, network: Network
):
    beginnings, _ = _seen(by_switches)
    flow = _register(by_switches, 41_003)
    _await_rules(network, 1)
    with _connect(network, 41_003) as connection:
        connection.sendall(bytes(SIZE_BYTES))
        _await(by_switches, flow, state="met", remainingBytes=0)
    assert _seen(by_switches)[0] == beginnings + 1


def test_a_rule_is_removed_with_its_registration_or_the_setting(
    by_switches: Controller, network: Network
):
    first, second = (_register(by_switches, port) for port in (41_004, 41_005))
    _await_rules(network, 2)
    by_switches.request("DELETE", f"{REST}/flows/{first['id']}")
    (rule,) = _await_rules(network, 1)
    assert "tp_src=41005" in rule
    set_properties(by_switches, flows="host")
    _await_rules(network, 0)
    with _connect(network, 41_005):
        _await(by_switches, second, state="sending")
    _await(by_switches, second, state="closed-early")


def _row(page: Page, source_port: int) -> Row:
    return page.row("Deadlines", f"{hypervisor.GUEST_IP}:{source_port} → {SINK_IP}:{SINK_PORT}")


def test_the_page_follows_registered_flows(sluice: Controller, network: Network):
    with opened(sluice) as page:
        page.show("Deadlines")
        flow = _register(sluice, 42_001)
        row = _row(page, 42_001)
        row.shows("State", "waiting")
        row.shows("Tenant", "default")
        row.shows("Arrived", "0 B of 400 kB")
        row.shows("Due", "in ")
        with _connect(network, 42_001) as connection:
            row.shows("State", "sending")
            connection.sendall(bytes(100_000))
            row.shows("Arrived", "100 kB of 400 kB")
        row.shows("State", "closed early")
        _await(sluice, flow, state="closed-early")

        removed = _register(sluice, 42_002)
        other = _row(page, 42_002)
        other.shows("State", "waiting")
        assert sluice.request("DELETE", f"{REST}/flows/{removed['id']}")[0] == 204
        other.shows("State", "removed")
        page.has_no_errors()


def test_no_rule_outlives_the_application(sluice: Controller, network: Network):
    """The last one here: it deactivates the application."""
    set_properties(sluice, flows="switch")
    _register(sluice, 41_006)
    _await_rules(network, 1)
    assert sluice.request("DELETE", f"v1/applications/{APPLICATION}/active")[0] < 300
    _await_rules(network, 0)
