# SPDX-License-Identifier: Apache-2.0
"""What the lab's OpenDaylight must do with a real Open vSwitch, as a stock one does."""

import gzip
from pathlib import Path

from archives import FEATURE, NAME, archive
from listening import listening
from network import PORTS, Network
from opendaylight import PRESET, OpenDaylight
from waiting import eventually

SWITCHES = {"openflow:1", "openflow:2"}
NODES = "data/opendaylight-inventory:nodes"
LINKS = "data/network-topology:network-topology/topology=flow%3A1?content=nonconfig"
RULE = {
    "id": "one",
    "table_id": 0,
    "priority": 100,
    "match": {"ethernet-match": {"ethernet-type": {"type": 2054}}},
    "instructions": {
        "instruction": [
            {
                "order": 0,
                "apply-actions": {
                    "action": [{"order": 0, "output-action": {"output-node-connector": "2"}}]
                },
            }
        ]
    },
}
MODULE = Path(__file__).resolve().parent.parent
SLACK_SECONDS = 20  # for a loaded machine


def test_is_ready(odl: OpenDaylight):
    status = odl.status()
    assert status["ready"], status
    assert "| Failure " not in odl.cli("bundle:list")


def test_its_bundles_are_those_that_resolution_is_tested_with(odl: OpenDaylight, tmp_path: Path):
    written = tmp_path / "bundles.gz"
    assert odl.call("manifests", str(written)).returncode == 0
    kept = MODULE / "resolution/src/test/resources/bundles-0.17.3.gz"
    assert gzip.decompress(written.read_bytes()) == gzip.decompress(kept.read_bytes()), (
        f"write {kept} anew by `lab/odl/odl manifests`"
    )


def test_listens_only_at_its_configured_address(odl: OpenDaylight):
    found = listening(odl.status()["pid"])
    assert {address for address, _ in found} == {odl.bind}
    # And OpenDaylight's second listener for switches, whose port nobody chooses.
    assert len(found - {(odl.bind, port) for port in odl.ports.values()}) == 1


def test_has_the_configured_properties(odl: OpenDaylight):
    component, _, setting = PRESET.partition(":")
    listed = odl.cli(f"config:property-list --pid {component}")
    assert setting in listed.replace(" ", "")


def test_switches_and_the_link_between_them_appear(odl: OpenDaylight, network: Network):
    def connected() -> bool:
        status, document = odl.restconf("GET", f"{NODES}?content=nonconfig&depth=3")
        nodes = document["opendaylight-inventory:nodes"]["node"] if status == 200 else []
        return {node["id"] for node in nodes if node.get("node-connector")} >= SWITCHES

    def linked() -> bool:
        status, document = odl.restconf("GET", LINKS)
        topology = document["network-topology:topology"][0] if status == 200 else {}
        ends = {
            (link["source"]["source-node"], link["destination"]["dest-node"])
            for link in topology.get("link", [])
        }
        return ends == {("openflow:1", "openflow:2"), ("openflow:2", "openflow:1")}

    eventually("both switches", connected, SLACK_SECONDS)
    # OpenDaylight sends probes, but leaves it to applications that they come to it.
    for switch in PORTS:
        network.ofctl("add-flow", switch, "priority=50,dl_type=0x88cc,actions=controller")
    eventually("both directions of the link", linked, SLACK_SECONDS)


def test_rules_reach_a_switch(odl: OpenDaylight, network: Network):
    rule = f"{NODES}/node=openflow%3A1/flow-node-inventory:table=0/flow=one"
    status, refusal = odl.restconf("PUT", rule, {"flow-node-inventory:flow": [RULE]})
    assert status == 201, refusal

    def present() -> bool:
        return "priority=100,arp" in network.ofctl("dump-flows", "s1")

    eventually("the rule in the switch", present, SLACK_SECONDS)
    assert odl.restconf("DELETE", rule)[0] == 204
    eventually("no rule in the switch", lambda: not present(), SLACK_SECONDS)


def test_an_application_is_installed_and_removed(odl: OpenDaylight, tmp_path: Path):
    made = archive(tmp_path / "test.kar", "Import-Package: org.slf4j")
    done = odl.call("install", str(made))
    assert done.returncode == 0, done.stderr
    assert NAME in odl.cli("bundle:list -s")
    again = odl.call("install", str(made))
    assert (again.returncode, "uninstall test first" in again.stderr) == (2, True)

    done = odl.call("uninstall", "test")
    assert done.returncode == 0, done.stderr
    assert NAME not in odl.cli("bundle:list -t 0 -s")
    assert FEATURE not in odl.cli("feature:list -i")
    unknown = odl.call("uninstall", "test")
    assert (unknown.returncode, "installed: none" in unknown.stderr) == (2, True)


def test_an_application_that_does_not_resolve_is_reported_with_the_reason(
    odl: OpenDaylight, tmp_path: Path
):
    made = archive(tmp_path / "broken.kar", "Import-Package: org.sluice.absent")
    done = odl.call("install", str(made), "--timeout", "20")
    assert done.returncode == 1
    assert "org.sluice.absent" in done.stderr
    assert NAME not in odl.cli("bundle:list -t 0 -s")


def test_nothing_is_left_after_it_ends(odl: OpenDaylight):
    pid = odl.status()["pid"]
    assert odl.call("stop").returncode == 0
    assert not odl.directory.exists()
    # Whoever adopted it may still have to reap it.
    eventually("the process is gone", lambda: not Path(f"/proc/{pid}").exists(), 20)
