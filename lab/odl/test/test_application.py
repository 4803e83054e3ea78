# SPDX-License-Identifier: Apache-2.0
"""Sluice's archive in a real OpenDaylight with real switches: installed, used, restarted, removed.

They build on each other, in this order.
"""

import contextlib
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from network import HOSTS, Network
from opendaylight import OpenDaylight
from waiting import eventually

ROOT = Path(__file__).resolve().parents[3]
VERSION = (ROOT / "VERSION").read_text().strip()
ARCHIVE = ROOT / "app/odl/line-0.17/target" / f"sluice-odl-0.17-{VERSION}.kar"
SWITCHES = ("s1", "s2")
S1, S2 = (f"of:{number:016x}" for number in (1, 2))
# All but those that bring LLDP and ARP, which the controller has no use for while it is away.
RULES = "cookie=0x51ce000100000000/0xffffffff00000000"
# Without a change, so that it is no decision that was under way.
SETTLED_SECONDS = 3
START_SECONDS = 60
NETWORK_TOPOLOGY = "data/network-topology:network-topology"
GOLD = {"weight": 4, "members": [{"ipPrefix": "10.0.0.1/32"}]}


@pytest.fixture(scope="module")
def before(odl: OpenDaylight, network: Network) -> dict[str, list[str]]:
    return network.tables()


@pytest.fixture(scope="module")
def sluice(odl: OpenDaylight, before: dict[str, list[str]]) -> Iterator[OpenDaylight]:
    if not ARCHIVE.exists():
        pytest.fail(f"{ARCHIVE} is missing: run 'make build' first")
    done = odl.call("install", str(ARCHIVE))
    assert done.returncode == 0, done.stderr
    try:
        await_api(odl)
        yield odl
    finally:
        odl.call("uninstall", ARCHIVE.stem)  # a test has done so, unless one before it failed


def await_api(odl: OpenDaylight) -> None:
    eventually("Sluice's API", lambda: odl.sluice("GET", "tenants")[0] == 200, START_SECONDS)


def rules(network: Network) -> set[str]:
    """The rules of forwarding on both switches."""
    return {
        f"{name} {line}" for name in SWITCHES for line in network.table("dump-flows", name, RULES)
    }


def port_id(end: dict) -> str:
    return f"{end['datapath']}/{end['number']}"


def connects(network: Network) -> bool:
    """Whether h1 reaches a server of h2."""
    with network.tcp_socket("h2") as server, network.tcp_socket("h1") as client:
        server.bind((HOSTS["h2"][0], 0))
        server.listen()
        client.settimeout(1)
        return client.connect_ex(server.getsockname()) == 0


def test_rules_and_meters_reach_the_switches(sluice: OpenDaylight, network: Network):
    def added() -> bool:
        now = network.tables()
        return all(
            any(word in line for line in now[name])
            for name in SWITCHES
            for word in ("table=1,", "meter=", "dl_type=0x88cc")
        )

    eventually("rules of table 1, the counting meter, LLDP's rule", added, START_SECONDS)


def test_switches_and_links_are_in_the_api(sluice: OpenDaylight):
    def ends() -> set[tuple[str, str]]:
        links = sluice.sluice("GET", "topology")[1]["links"]
        return {(port_id(link["source"]), port_id(link["target"])) for link in links}

    there = (f"{S1}/2", f"{S2}/2")
    eventually("both directions", lambda: ends() == {there, there[::-1]}, START_SECONDS)


def test_hosts_are_seen_and_reach_each_other(sluice: OpenDaylight, network: Network):
    """Only by the controller's packets does an ARP request reach the other host."""
    eventually("h2 answers h1", lambda: connects(network), START_SECONDS)
    attachments = sluice.sluice("GET", "topology")[1]["attachments"]
    assert {port_id(each["port"]) for each in attachments} == {f"{S1}/1", f"{S2}/1"}


def test_counters_are_read_over_the_switches_own_connection(sluice: OpenDaylight):
    def fast() -> bool:
        ports = sluice.sluice("GET", "ports")[1]["ports"]
        return {each["id"] for each in ports if each["countersFrom"] == "fast"} >= {
            f"{S1}/2",
            f"{S2}/2",
        }

    eventually("counters of the link's ports", fast, START_SECONDS)


def test_shell_and_api_know_a_tenant(sluice: OpenDaylight):
    assert sluice.sluice("PUT", "tenants/gold", GOLD)[0] == 201
    listed = json.loads(sluice.cli("sluice:sluice-tenants -j"))["tenants"]
    assert {"gold"} <= {each["id"] for each in listed}
    sluice.cli("sluice:sluice-tenant-set gold --weight 5")
    assert sluice.sluice("GET", "tenants/gold")[1]["weight"] == 5


def test_the_page_is_served(sluice: OpenDaylight):
    def served() -> bool:
        status, page = sluice.page()
        return status == 200 and "<title>Sluice" in page

    eventually("the page", served, START_SECONDS)


def test_a_setting_of_the_file_holds_at_once(sluice: OpenDaylight):
    def journaled() -> bool:
        entries = sluice.sluice("GET", "journal?limit=20")[1]["entries"]
        return any("enforcement = off" in each["decision"] for each in entries)

    sluice.cli("config:property-set --pid org.sluice enforcement off")
    eventually("it is in the journal", journaled, START_SECONDS)
    sluice.cli("config:property-set --pid org.sluice enforcement on")


@contextlib.contextmanager
def watching(network: Network, standing: set[str]) -> Iterator[list[set[str]]]:
    """Lists which of the standing rules were missing, whenever some were."""
    missing: list[set[str]] = []
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(0.2):
            if gone := standing - rules(network):
                missing.append(gone)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield missing
    finally:
        ended.set()
        thread.join()


def test_over_a_restart_it_stays_with_its_tenants_and_rules_without_a_gap(
    sluice: OpenDaylight, network: Network
):
    standing = rules(network)
    assert standing
    with watching(network, standing) as missing:
        sluice.stop("--keep")
        assert network.tables(), "switches keep what they have"
        sluice.start()
        await_api(sluice)
        assert sluice.sluice("GET", "tenants/gold")[1]["weight"] == 5
        test_switches_and_links_are_in_the_api(sluice)
        assert connects(network)
    assert missing == []
    eventually("the same rules", lambda: rules(network) == standing, START_SECONDS)


def test_it_leaves_no_trace(sluice: OpenDaylight, network: Network, before: dict[str, list[str]]):
    assert sluice.sluice("DELETE", "tenants/gold")[0] == 204
    done = sluice.call("uninstall", ARCHIVE.stem)
    assert done.returncode == 0, done.stderr
    eventually("the switches as they were", lambda: network.tables() == before, START_SECONDS)
    for listing in ("bundle:list -t 0 -s", "feature:list -i", "feature:repo-list"):
        assert "sluice" not in sluice.cli(listing).replace(sluice.directory.name, ""), listing
    assert sluice.sluice("GET", "tenants")[0] == 401, "OpenDaylight itself"
    topologies = f"{NETWORK_TOPOLOGY}?content="
    assert "sluice-" not in json.dumps(sluice.restconf("GET", f"{topologies}nonconfig"))
    kept = sluice.restconf("GET", f"{topologies}config")[1]["network-topology:network-topology"]
    assert [each["topology-id"] for each in kept["topology"]] == ["sluice-tenants"]
