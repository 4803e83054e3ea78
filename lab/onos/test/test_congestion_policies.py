# SPDX-License-Identifier: Apache-2.0
"""Congestion control policies in a real ONOS: tried, applied, evaluated, rolled back, withdrawn."""

import json
import secrets
from collections.abc import Iterator
from typing import Any

import hypervisor
import pytest
from controller import READ_EVERY_SECONDS, Controller
from network import Network
from sluice import REST, ROOT, START_SECONDS
from waiting import eventually

POLICIES = f"{REST}/policies"
PRESET = json.loads((ROOT / "api" / "policies" / "opentcp2.json").read_text())
# ONOS reads counters twice in a cycle.
CYCLE_SECONDS = 2 * READ_EVERY_SECONDS
QUICK = PRESET | {"cycleSeconds": CYCLE_SECONDS}
# Other tests on this machine may have an agent, too.
LINK_PORT = 33_000 + secrets.randbelow(1_000)
GROUP = "of:0000000000000001"
FAST = {"initialWindow": 20, "rtoMinMillis": 2}


@pytest.fixture(scope="module")
def sluice(
    onos: Controller, network: Network, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Controller]:
    """ONOS with the application, and a guest behind a connected agent."""
    directory = tmp_path_factory.mktemp("hypervisor")
    with hypervisor.connected(onos, network, directory, LINK_PORT):
        yield onos


def _change(onos: Controller, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    return onos.request(method, f"{REST}/{path}", body)


def _decision(onos: Controller) -> dict:
    status, state = onos.request("GET", POLICIES)
    assert status == 200, state
    return state["decisions"][0] if state["decisions"] else {}


def _in_force(onos: Controller) -> dict | None:
    (host,) = onos.get(f"{POLICIES}/hosts")["hosts"]
    return host if host["state"] == "in-force" else None


def _routes(network: Network) -> str:
    """Those of the agent's own namespace."""
    return network.inside("sw", "ip", "-4", "route", "show")


def test_no_policies_at_first(sluice: Controller):
    state = sluice.get(POLICIES)
    assert (state["current"], state["decisions"], state["hints"]) == (None, [], [])
    assert sluice.get(f"{POLICIES}/history") == {"revisions": []}
    assert sluice.cli("sluice-policies").strip() == "No policies are in force."


def test_an_invalid_policy_set_is_refused_with_field_value_and_remedy(sluice: Controller):
    for method, path in (("PUT", "policies"), ("POST", "policies/dry-run")):
        status, problem = _change(sluice, method, path, QUICK | {"cycleSeconds": 0.1})
        assert (status, problem["field"], problem["value"]) == (400, "cycleSeconds", "0.1")
        assert problem["remedy"]
    status, found = _change(
        sluice, "POST", "policies/validate", QUICK | {"groups": [{"name": "a", "hosts": ["h9"]}]}
    )
    assert (status, found["findings"][0]["field"]) == (200, "groups[0].hosts[0]")


def test_a_dry_run_reports_the_effect(sluice: Controller):
    def tried() -> dict:
        status, preview = _change(sluice, "POST", "policies/dry-run", QUICK)
        assert status == 200, preview
        return preview

    preview = eventually(
        "readings of all links",
        lambda: (now := tried())["decisions"][0]["reason"] == "holds" and now,
        START_SECONDS,
    )
    assert preview["decisions"][0]["utilisationPercent"] < 70
    assert {"from": GROUP, "to": None, "hints": FAST} in preview["hints"]
    assert sluice.get(f"{POLICIES}/history") == {"revisions": []}


def test_applied_policies_are_evaluated_and_their_hints_reach_the_host(
    sluice: Controller, network: Network
):
    status, made = _change(sluice, "PUT", "policies", QUICK)
    assert (status, made["revision"], made["author"]) == (200, 1, "onos")
    decision = eventually(
        "a cycle with hints",
        lambda: (now := _decision(sluice)).get("active") and now,
        START_SECONDS,
    )
    assert decision["fullestLink"].startswith("of:"), decision
    state = sluice.get(POLICIES)
    assert state["current"] == made
    assert state["evaluatedHere"]
    assert {"from": GROUP, "to": None, "hints": FAST} in state["hints"]
    (host,) = sluice.get(f"{POLICIES}/hosts")["hosts"]
    assert (host["host"], host["group"]) == ("h1", GROUP)
    assert host["sent"] == [{"destinations": [], "hints": FAST}]
    answered = eventually("the agent's report", lambda: _in_force(sluice), START_SECONDS)
    (applied,) = answered["applied"]
    assert applied["routes"] >= 1
    assert "initcwnd 20" in _routes(network)
    assert "rto_min lock 2ms" in _routes(network)
    entries = sluice.get(f"{REST}/journal?limit=200")["entries"]
    evidence = [each["evidence"] for each in entries if "gives hints" in each["decision"]]
    assert evidence
    assert "utilisation" in evidence[0]


def test_the_shell_shows_and_changes_policies(sluice: Controller):
    shown = json.loads(sluice.cli("sluice-policies", "-j"))
    assert shown["current"] == sluice.get(POLICIES)["current"]
    assert json.loads(sluice.cli("sluice-policies", "--hosts", "-j"))["hosts"][0]["host"] == "h1"
    made = json.loads(sluice.cli("sluice-policy-apply", "opentcp1", "-j"))["revisions"][0]
    assert (made["revision"], made["set"]["name"]) == (2, "opentcp1")
    tried = json.loads(sluice.cli("sluice-policy-dry-run", "opentcp1", "-j"))
    assert tried["decisions"][0]["policy"] == "short-flows"
    assert "neither a preset" in sluice.cli_output("sluice-policy-apply", "/no/such/file")


def test_earlier_revisions_are_restored_and_policies_removed(sluice: Controller, network: Network):
    assert _change(sluice, "POST", "policies/rollback", {"revision": 99})[0] == 404
    status, back = _change(sluice, "POST", "policies/rollback", {"revision": 1})
    assert (status, back["revision"], back["rolledBackTo"]) == (200, 3, 1)
    assert back["set"]["cycleSeconds"] == CYCLE_SECONDS
    eventually("hints again", lambda: _decision(sluice).get("active"), START_SECONDS)
    assert _change(sluice, "DELETE", "policies") == (204, None)
    eventually("no hints", lambda: sluice.get(f"{POLICIES}/hosts")["hosts"] == [], START_SECONDS)
    eventually("its own routes", lambda: "initcwnd" not in _routes(network), START_SECONDS)
    revisions = sluice.get(f"{POLICIES}/history")["revisions"]
    assert [each["revision"] for each in revisions] == [4, 3, 2, 1]
    assert revisions[0]["set"] is None


def test_viewers_can_read_only(sluice: Controller):
    assert sluice.request("GET", POLICIES, user="guest:guest")[0] == 200
    assert sluice.request("PUT", POLICIES, QUICK, user="guest:guest")[0] == 403
