# SPDX-License-Identifier: Apache-2.0
"""Sluice's archive in a real ONOS with real switches: installed, used, refused, removed."""

import json
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import agent
import pytest
from controller import Controller
from network import Network
from sluice import APPLICATION, COMPONENT, REST, ROOT, START_SECONDS, installed, set_properties
from waiting import eventually

SWITCHES = ("s1", "s2")
LISTINGS = ("tenants", "endpoints", "ports", "hosts", "journal")
OVERLAY = "org.sluice.overlay.TopologyOverlay"
T1 = {"id": "t1", "weight": 2, "members": [{"ipPrefix": "10.1.0.0/16", "weight": 0.5}]}


@pytest.fixture(scope="module")
def before(onos: Controller, network: Network) -> dict[str, list[str]]:
    eventually("ONOS's own rules", lambda: len(network.tables()["s2"]) > 1, START_SECONDS)
    eventually("a link", lambda: len(onos.get("v1/links")["links"]) == 2, START_SECONDS)
    return network.tables()


@pytest.fixture(scope="module")
def sluice(onos: Controller, before: dict[str, list[str]]) -> Iterator[Controller]:
    with installed(onos):
        yield onos


def _tenants(onos: Controller) -> Any:
    return onos.request("GET", f"{REST}/tenants")


def _settings(onos: Controller) -> dict[str, str]:
    status, listed = onos.request("GET", f"v1/configuration/{COMPONENT}")
    return listed.get(COMPONENT, {}) if status == 200 else {}


def _tenant(onos: Controller, name: str) -> Any:
    return onos.request("GET", f"{REST}/tenants/{name}")


def test_every_component_is_satisfied(sluice: Controller):
    done = sluice.components()
    assert (done.returncode, done.stdout) == (0, "")


def test_rules_and_meters_reach_the_switches(
    sluice: Controller, network: Network, before: dict[str, list[str]]
):
    def added() -> bool:
        now = network.tables()
        return all(any("table=1" in line for line in now[name]) for name in SWITCHES) and all(
            any("meter=" in line for line in now[name]) for name in SWITCHES
        )

    eventually("rules of table 1 and the counting meter", added, START_SECONDS)


def test_packets_that_sluice_sends_leave_the_switches(sluice: Controller, network: Network):
    """Only Sluice's packet-out takes the ARP request there: no rule floods it."""
    receiver = network.await_arp("h2", "10.0.0.77")
    try:

        def is_received() -> bool:
            network.send_arp("h1", "10.0.0.77")
            return receiver.poll() is not None

        eventually("the request at h2's port", is_received, START_SECONDS)
        assert receiver.returncode == 0
    finally:
        receiver.kill()
        receiver.wait()


def test_the_notice_transport_is_configurable_and_bad_combinations_are_refused(sluice: Controller):
    def is_recorded(*words: str) -> None:
        def journaled() -> bool:
            entries = sluice.get(f"{REST}/journal?limit=20")["entries"]
            return any(all(word in json.dumps(each) for word in words) for each in entries)

        eventually(f"journal with {words}", journaled, START_SECONDS)

    set_properties(sluice, notices="in-band")
    is_recorded("setting", "notices = in-band")
    set_properties(sluice, noticeFormat="v2")
    is_recorded("refused", "noticeFormat", "v2", "use v1 or sdn-gcc")
    set_properties(sluice, forwarding="other")
    is_recorded("refused", "notices = 'in-band'", "forwarding = other", "set notices = link")
    set_properties(sluice, forwarding="own", notices="link", noticeFormat="v1")
    is_recorded("setting", "notices = link")


def test_a_tenant_is_created_read_changed_and_removed(sluice: Controller):
    status, made = sluice.request("POST", f"{REST}/tenants", T1)
    assert (status, made["weight"]) == (201, 2)
    status, changed = sluice.request("PUT", f"{REST}/tenants/t1", T1 | {"weight": 3})
    assert (status, changed["weight"]) == (200, 3)
    read = _tenant(sluice, "t1")[1]
    assert (read["weight"], read["members"]) == (3, T1["members"])
    assert (read["promisedBitsPerSecond"], read["deliveredBitsPerSecond"]) == (0, 0)
    assert sluice.request("DELETE", f"{REST}/tenants/t1")[0] == 204
    assert _tenant(sluice, "t1")[0] == 404


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"weight": 0}, "weight"),
        ({"weight": "much"}, "weight"),
        ({"wait": 1}, "wait"),
        ({"guaranteeBitsPerSecond": -1}, "guaranteeBitsPerSecond"),
        ({"members": [{"ipPrefix": "10.1.2.3/16"}]}, "members[0].ipPrefix"),
        ({"members": [{"ipPrefix": "10.1.0.0/16", "weight": 0}]}, "members[0].weight"),
    ],
)
def test_wrong_input_is_refused_by_name_and_changes_nothing(
    sluice: Controller, change: dict, field: str
):
    assert sluice.request("PUT", f"{REST}/tenants/t1", T1)[0] in (200, 201)
    status, problem = sluice.request("PUT", f"{REST}/tenants/t1", T1 | change)
    assert (status, problem["status"], problem["field"]) == (400, 400, field)
    assert problem["remedy"]
    assert _tenant(sluice, "t1")[1]["weight"] == T1["weight"]


def test_a_member_that_another_tenant_claims_is_a_conflict(sluice: Controller):
    assert sluice.request("PUT", f"{REST}/tenants/t1", T1)[0] in (200, 201)
    status, problem = sluice.request("POST", f"{REST}/tenants", T1 | {"id": "t2"})
    assert (status, problem["status"]) == (409, 409)
    assert _tenant(sluice, "t2")[0] == 404


def test_unknown_things_are_not_found(sluice: Controller):
    for path in ("tenants/none", "hosts/none", "nothing"):
        assert sluice.request("GET", f"{REST}/{path}")[0] == 404, path


def test_every_listing_answers_in_the_shell_and_by_rest(sluice: Controller):
    for name in LISTINGS:
        shell = json.loads(sluice.cli(f"sluice-{name}", "-j"))
        rest = sluice.get(f"{REST}/{name}")
        assert rest is not None, name
        assert shell is not None, name
        assert "not found" not in sluice.cli(f"sluice-{name}")


def test_highlights_in_onos_topology_view_are_a_property(sluice: Controller):
    """This ONOS has no page of its own: the bundle is there, and pushes nothing."""

    def is_enabled() -> str:
        return sluice.get(f"v1/configuration/{OVERLAY}")[OVERLAY]["enabled"]

    assert is_enabled() == "false"
    assert "no page of its own" in sluice.cli("sluice-overlay", "on")
    eventually("the property", lambda: is_enabled() == "true", START_SECONDS)
    assert sluice.cli("sluice-overlay", "off").strip() == ""
    eventually("the property", lambda: is_enabled() == "false", START_SECONDS)
    assert "Use on or off" in sluice.cli_output("sluice-overlay", "maybe")


def test_a_change_is_journaled_with_its_author(sluice: Controller):
    sluice.request("DELETE", f"{REST}/tenants/t1")  # where a test before has left it
    assert sluice.request("POST", f"{REST}/tenants", T1)[0] == 201
    sluice.cli("sluice-tenant-set", "t1", "--weight", "5", "--ceiling", "12.5")
    sluice.request("DELETE", f"{REST}/tenants/t1")
    entries = sluice.get(f"{REST}/journal?kind=tenant&tenant=t1&limit=3")["entries"]
    assert [(each["decision"], each["evidence"]) for each in entries] == [
        ("Tenant t1 removed", "requested by onos"),
        (
            "Tenant t1 changed: weight 5 (was 2), ceiling 12.5 Mbit/s (was none)",
            "requested by karaf",
        ),
        (
            "Tenant t1 created: weight 2, guarantee none, ceiling none, receive ceiling none,"
            " ECN clear, members 10.1.0.0/16=0.5",
            "requested by onos",
        ),
    ]


def test_ports_have_the_names_that_the_switches_give(sluice: Controller):
    ports = sluice.get(f"{REST}/ports")["ports"]
    assert ports
    assert all(each["name"] for each in ports)
    assert f"{ports[0]['name']} ({ports[0]['id']})" in sluice.cli("sluice-ports")


def test_the_agent_link_reports_its_health(sluice: Controller, network: Network, tmp_path: Path):
    """By gRPC's health checking protocol, to the agent as its client."""
    port = 34_000 + secrets.randbelow(1_000)
    keys = agent.make_keys(tmp_path, network.controller_address)
    set_properties(sluice, agentLinkPort=str(port), **keys)
    guest = {"interface": "vm0", "mac": "02:00:00:00:09:01", "ips": ["10.0.9.1"]}
    configuration = {
        "host": "h1",
        "controllers": [f"{network.controller_address}:{port}"],
        "tls": {
            "ca": str(tmp_path / "ca.pem"),
            "certificate": str(tmp_path / "h1.pem"),
            "key": str(tmp_path / "h1.key"),
        },
        "uplink": {"interface": "up0", "capacityMbps": 1000},
        "endpoints": {"source": "static", "static": [guest]},
    }
    (tmp_path / "agent.yaml").write_text(json.dumps(configuration))

    def health() -> str:
        answer = network.inside(
            "sw", str(ROOT / "host-agent" / "bin" / "sluice-agent"), "controllers", "--json",
            "--config", str(tmp_path / "agent.yaml"), check=False,
        )  # fmt: skip
        return json.loads(answer)["controllers"][0]["health"] if answer.startswith("{") else answer

    eventually("the link's health", lambda: health() == "SERVING", START_SECONDS)


def test_the_shell_sets_and_removes_tenants(sluice: Controller):
    member = "10.7.0.0/16=2.5"
    sluice.cli("sluice-tenant-set", "shelly", "--weight", "4", "--guarantee", "3", "-m", member)
    shelly = _tenant(sluice, "shelly")[1]
    assert (shelly["weight"], shelly["promisedBitsPerSecond"]) == (4, 3_000_000)
    assert shelly["members"] == [{"ipPrefix": "10.7.0.0/16", "weight": 2.5}]
    assert member in sluice.cli("sluice-tenants")
    sluice.cli("sluice-tenant-remove", "shelly")
    assert _tenant(sluice, "shelly")[0] == 404


def test_a_parameter_changes_and_a_wrong_one_is_refused(sluice: Controller):
    def journaled(kind: str, word: str) -> bool:
        entries = sluice.get(f"{REST}/journal?limit=20")["entries"]
        return any(each["kind"] == kind and word in json.dumps(each) for each in entries)

    def change(value: str, kind: str, word: str) -> None:
        set_properties(sluice, enforcement=value)
        eventually(f"enforcement={value}", lambda: journaled(kind, word), START_SECONDS)

    change("off", "setting", "enforcement = off")
    change("perhaps", "refused", "perhaps")
    change("on", "setting", "enforcement = on")


def test_the_page_is_served(sluice: Controller):
    status, page = sluice.request("GET", "sluice/ui/index.html")
    assert status == 200
    assert "<title>Sluice" in page


def test_it_leaves_no_trace(sluice: Controller, network: Network, before: dict[str, list[str]]):
    assert _settings(sluice)
    assert sluice.request("DELETE", f"v1/applications/{APPLICATION}/active")[0] < 300
    eventually("the switches as they were", lambda: network.tables() == before, START_SECONDS)
    assert sluice.request("DELETE", f"v1/applications/{APPLICATION}")[0] < 300
    eventually("no property left", lambda: not _settings(sluice), START_SECONDS)
    assert _tenants(sluice)[0] == 404
    assert APPLICATION not in [
        each["name"] for each in sluice.get("v1/applications")["applications"]
    ]
    assert network.tables() == before
