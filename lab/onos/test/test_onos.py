# SPDX-License-Identifier: Apache-2.0
"""What the lab's ONOS must do with a real Open vSwitch, as a stock one does."""

import json
import re
from pathlib import Path

import application
from controller import PRESET, READ_EVERY_SECONDS, Controller, launcher
from listening import listening
from network import Network
from waiting import eventually

S1, S2 = "of:0000000000000001", "of:0000000000000002"
SLACK_SECONDS = 6  # for a loaded machine
TO_HOST_2 = {
    "priority": 100,
    "timeout": 0,
    "isPermanent": True,
    "deviceId": S1,
    "tableId": 0,
    "treatment": {"instructions": [{"type": "OUTPUT", "port": "2"}]},
    "selector": {
        "criteria": [
            {"type": "ETH_TYPE", "ethType": "0x800"},
            {"type": "IPV4_DST", "ip": "10.0.0.2/32"},
        ]
    },
}
METER = {
    "deviceId": S1,
    "unit": "KB_PER_SEC",
    "burst": True,
    "bands": [{"type": "DROP", "rate": "5000", "burstSize": "1000", "prec": "0"}],
}


def _flow_states(onos: Controller, match: str) -> list[str]:
    flows = onos.get(f"v1/flows/{S1}")["flows"]
    return [each["state"] for each in flows if match in json.dumps(each)]


def _meters(onos: Controller) -> dict[str, str]:
    return {each["id"]: each["state"] for each in onos.get(f"v1/meters/{S1}")["meters"]}


def test_is_ready_with_every_component_satisfied(onos: Controller):
    status = json.loads(onos.status().stdout)
    assert status["ready"], status
    listed = onos.components()
    assert (listed.returncode, listed.stdout) == (0, "")


def test_listens_only_at_its_configured_address(onos: Controller):
    pid = json.loads(onos.status().stdout)["pid"]
    assert listening(pid) == {(onos.bind, port) for port in onos.ports.values()}


def test_switches_appear_with_ports_and_counters(onos: Controller, network: Network):
    eventually(
        "both switches available with this node as master",
        lambda: (
            sum(
                each["available"] and each["role"] == "MASTER"
                for each in onos.get("v1/devices")["devices"]
            )
            == 2
        ),
        20,
    )
    ports = onos.get(f"v1/devices/{S1}/ports")["ports"]
    assert {("1", "s1-h1", True), ("2", "s1-s2", True)} <= {
        (each["port"], each["annotations"]["portName"], each["isEnabled"]) for each in ports
    }

    def bytes_received() -> int:
        statistics = onos.get(f"v1/statistics/ports/{S1}/1")["statistics"]
        return sum(port["bytesReceived"] for each in statistics for port in each["ports"])

    before = eventually("port counters", bytes_received, 15)
    for _ in range(20):
        network.send_arp("h1", "10.0.0.9")
    eventually("counters that grow", lambda: bytes_received() >= before + 1200, 12)


def test_links_are_found_in_both_directions(onos: Controller):
    wanted = {(S1, "2", S2, "2"), (S2, "2", S1, "2")}
    eventually(
        "links",
        lambda: (
            wanted
            == {
                (
                    each["src"]["device"],
                    each["src"]["port"],
                    each["dst"]["device"],
                    each["dst"]["port"],
                )
                for each in onos.get("v1/links")["links"]
                if each["type"] == "DIRECT"
            }
        ),
        15,
    )


def test_a_host_is_learned_from_its_arp_request(onos: Controller, network: Network):
    network.send_arp("h2", "10.0.0.1")

    def found() -> list:
        return [
            each
            for each in onos.get("v1/hosts")["hosts"]
            if each["mac"].lower() == "02:00:00:00:01:02"
        ]

    host = eventually("host h2", found, 10)[0]
    assert host["ipAddresses"] == ["10.0.0.2"]
    assert [(each["elementId"], each["port"]) for each in host["locations"]] == [(S2, "1")]


def test_a_posted_flow_is_added_and_removed_when_deleted(onos: Controller, network: Network):
    status, _ = onos.request("POST", f"v1/flows/{S1}?appId=org.onosproject.rest", TO_HOST_2)
    assert status == 201
    eventually(
        "flow ADDED",
        lambda: _flow_states(onos, "10.0.0.2/32") == ["ADDED"],
        READ_EVERY_SECONDS + SLACK_SECONDS,
    )
    assert "nw_dst=10.0.0.2 actions=output:2" in network.ofctl("dump-flows", "s1")
    assert "10.0.0.2/32" in onos.cli("flows", "added", S1)

    flows = onos.get(f"v1/flows/{S1}")["flows"]
    flow = next(each for each in flows if "10.0.0.2/32" in json.dumps(each))
    assert onos.request("DELETE", f"v1/flows/{S1}/{flow['id']}")[0] == 204
    eventually(
        "flow gone from the switch",
        lambda: "nw_dst=10.0.0.2" not in network.ofctl("dump-flows", "s1"),
        SLACK_SECONDS,
    )
    eventually(
        "flow gone from ONOS",
        lambda: not _flow_states(onos, "10.0.0.2/32"),
        READ_EVERY_SECONDS + SLACK_SECONDS,
    )


def test_two_tables_a_meter_and_ecn_are_added(onos: Controller, network: Network):
    status, _ = onos.request("POST", f"v1/meters/{S1}", METER)
    assert status == 201
    meter = eventually("meter in the store", lambda: list(_meters(onos)), 5)[-1]
    onos.request(
        "POST",
        f"v1/flows/{S1}?appId=org.onosproject.rest",
        TO_HOST_2
        | {
            "priority": 50000,
            "selector": {
                "criteria": [
                    {"type": "IN_PORT", "port": "2"},
                    {"type": "ETH_TYPE", "ethType": "0x800"},
                    {"type": "IP_ECN", "ipEcn": 3},
                ]
            },
            "treatment": {
                "instructions": [
                    {"type": "METER", "meterId": meter},
                    {"type": "TABLE", "tableId": 1},
                ]
            },
        },
    )
    onos.request("POST", f"v1/flows/{S1}?appId=org.onosproject.rest", TO_HOST_2 | {"tableId": 1})
    eventually(
        "both flows ADDED",
        lambda: (
            _flow_states(onos, '"ipEcn": 3') + _flow_states(onos, "10.0.0.2/32")
            == ["ADDED", "ADDED"]
        ),
        2 * READ_EVERY_SECONDS + SLACK_SECONDS,
    )
    assert re.search(
        r"nw_ecn=3.* actions=meter:\d+,goto_table:1",
        network.ofctl("dump-flows", "s1"),
    )
    eventually(
        "meter ADDED",
        lambda: _meters(onos)[meter] == "ADDED",
        READ_EVERY_SECONDS + SLACK_SECONDS,
    )
    assert f"cellId={meter}" in onos.cli("meters")


def test_rules_and_meters_that_onos_did_not_install_are_removed(onos: Controller, network: Network):
    network.ofctl("add-flow", "s1", "priority=7,udp,tp_dst=7777,actions=drop")
    network.ofctl("add-meter", "s1", "meter=99,kbps,band=type=drop,rate=1000")
    eventually(
        "unknown flow removed",
        lambda: "tp_dst=7777" not in network.ofctl("dump-flows", "s1"),
        READ_EVERY_SECONDS + SLACK_SECONDS,
    )
    eventually(
        "unknown meter removed",
        lambda: "meter=99" not in network.ofctl("dump-meters", "s1"),
        READ_EVERY_SECONDS + SLACK_SECONDS,
    )


def test_a_select_group_is_added(onos: Controller, network: Network):
    buckets = [
        {
            "type": "SELECT",
            "weight": 1,
            "treatment": {"instructions": [{"type": "OUTPUT", "port": port}]},
        }
        for port in ("1", "2")
    ]
    group = {"type": "SELECT", "appCookie": "0x11", "groupId": "7", "buckets": buckets}
    assert onos.request("POST", f"v1/groups/{S1}", group)[0] == 201
    eventually(
        "group ADDED",
        lambda: [each["state"] for each in onos.get(f"v1/groups/{S1}")["groups"]] == ["ADDED"],
        READ_EVERY_SECONDS + SLACK_SECONDS,
    )
    assert "type=select" in network.ofctl("dump-groups", "s1")


def test_a_flow_that_the_switch_refuses_is_not_added(onos: Controller):
    no_such_meter = {"instructions": [{"type": "METER", "meterId": "4242"}]}
    onos.request(
        "POST",
        f"v1/flows/{S1}?appId=org.onosproject.rest",
        TO_HOST_2 | {"priority": 4242, "treatment": no_such_meter},
    )
    eventually("the refusal in the log", lambda: "refused" in onos.log(), SLACK_SECONDS)
    assert "ADDED" not in _flow_states(onos, '"priority": 4242')


def test_a_property_given_at_the_start_holds(onos: Controller):
    component, _, rest = PRESET.partition(":")
    name, _, value = rest.partition("=")
    assert onos.get(f"v1/configuration/{component}")[component][name] == value


def test_component_and_network_configuration_by_rest(onos: Controller):
    component = "org.sluice.lab.onos.openflow.device.OpenFlowDeviceProvider"
    onos.request("POST", f"v1/configuration/{component}", {"portStatsPollFrequency": "3"})
    assert onos.get(f"v1/configuration/{component}")[component] == {"portStatsPollFrequency": "3"}
    onos.request("DELETE", f"v1/configuration/{component}", {"portStatsPollFrequency": ""})

    name = {"devices": {S1: {"basic": {"name": "first"}}}}
    assert onos.request("POST", "v1/network/configuration", name)[0] == 200
    assert onos.get(f"v1/network/configuration/devices/{S1}/basic") == {"name": "first"}


def test_an_application_with_a_web_bundle_can_be_installed_and_removed(onos: Controller):
    status, installed = onos.request(
        "POST", "v1/applications?activate=true", content=application.archive()
    )
    assert (status, installed["state"]) == (200, "ACTIVE"), installed
    page = application.CONTEXT.removeprefix("/onos/") + "/index.html"
    eventually("its page", lambda: onos.request("GET", page) == (200, application.PAGE), 15)
    assert onos.components().returncode == 0
    assert onos.request("DELETE", f"v1/applications/{application.NAME}")[0] == 204
    eventually("page gone", lambda: onos.request("GET", page)[0] == 404, 10)


def test_a_restart_keeps_meters_but_not_flows(onos: Controller, network: Network):
    """The last but one: it loses the rules posted above."""
    meters = _meters(onos)
    assert "ADDED" in meters.values()
    onos.stop("--keep")
    assert onos.status().returncode == 3
    assert "nw_dst=10.0.0.2" in network.ofctl("dump-flows", "s1")
    network.ofctl("add-flow", "s1", "priority=7,udp,tp_dst=7777,actions=drop")

    onos.start()
    eventually(
        "flows from before the stop removed",
        lambda: "nw_dst=10.0.0.2" not in network.ofctl("dump-flows", "s1"),
        READ_EVERY_SECONDS + 2 * SLACK_SECONDS,
    )
    assert "tp_dst=7777" not in network.ofctl("dump-flows", "s1")
    assert _meters(onos) == meters
    assert "rate=5000" in network.ofctl("dump-meters", "s1")

    manager = "org.onosproject.net.flow.impl.FlowRuleManager"
    onos.request("POST", f"v1/configuration/{manager}", {"allowExtraneousRules": "true"})
    # A poll in between would go by the setting before.
    eventually(
        "the setting in force",
        lambda: "AllowExtraneousRules is enabled" in onos.log(),
        SLACK_SECONDS,
    )
    network.ofctl("add-flow", "s1", "priority=7,udp,tp_dst=7777,actions=drop")
    assert onos.request("POST", f"v1/flows/{S1}?appId=org.onosproject.rest", TO_HOST_2)[0] == 201
    # A flow that is ADDED proves a poll, which would have removed the other one.
    eventually(
        "flow ADDED after the restart",
        lambda: _flow_states(onos, "10.0.0.2/32") == ["ADDED"],
        READ_EVERY_SECONDS + SLACK_SECONDS,
    )
    assert "tp_dst=7777" in network.ofctl("dump-flows", "s1")


def test_stop_leaves_nothing_behind(onos: Controller):
    pid = json.loads(onos.status().stdout)["pid"]
    onos.stop()
    assert not onos.directory.exists()
    executable = Path(f"/proc/{pid}/exe")
    assert not executable.exists(), "the JVM still runs"  # a zombie has no executable
    assert launcher("status", "--dir", str(onos.directory)).returncode == 1
