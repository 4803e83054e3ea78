# SPDX-License-Identifier: Apache-2.0
"""sluice-doctor in a real ONOS: its findings, and that their remedies work."""

import contextlib
import json
import secrets
import shlex
from collections.abc import Iterator
from pathlib import Path

import agent
import pytest
from controller import Controller
from network import Network
from sluice import COMPONENT, installed, set_properties
from waiting import eventually

FLOW_RULES = "org.onosproject.net.flow.impl.FlowRuleManager"
S1 = "of:0000000000000001"
S2 = "of:0000000000000002"
# Other tests on this machine may listen for switches and agents, too.
COUNTERS_PORT = 30_000 + secrets.randbelow(1_000)
LINK_PORT = COUNTERS_PORT + 1_000
# A symptom must last 20 s before it becomes a finding.
LASTING_SECONDS = 60


@pytest.fixture(scope="module")
def sluice(onos: Controller) -> Iterator[Controller]:
    """ONOS with the application, which is removed afterwards."""
    eventually("a link", lambda: len(onos.get("v1/links")["links"]) == 2, 60)
    with installed(onos):
        set_properties(onos, fastCountersPort=str(COUNTERS_PORT), agentLinkPort=str(LINK_PORT))
        # Tenants outlive the application: those of other tests would be findings here.
        for tenant in onos.get("sluice/v1/tenants")["tenants"]:
            onos.request("DELETE", f"sluice/v1/tenants/{tenant['id']}")
        # The new port is opened after it has been set; until then it is a finding.
        eventually("its port", lambda: not _about(onos, "fast counters", "cannot be bound"), 30)
        yield onos
    # Set by a remedy of these tests; other tests need ONOS's default.
    onos.request("DELETE", f"v1/configuration/{FLOW_RULES}", {"allowExtraneousRules": ""})


def _findings(onos: Controller) -> list[dict]:
    return onos.get("sluice/v1/doctor")["findings"]


def _about(onos: Controller, about: str, what: str) -> list[dict]:
    return [each for each in _findings(onos) if each["about"] == about and what in each["what"]]


@contextlib.contextmanager
def _agent(network: Network, directory: Path) -> Iterator[None]:
    """An agent whose uplink is connected to nothing."""
    interfaces = (agent.UPLINK, agent.GUEST_INTERFACE)
    for name in interfaces:
        network.inside("sw", "ip", "link", "add", name, "type", "veth", "peer", f"{name}-peer")
        network.inside("sw", "ip", "link", "set", name, "up")
    try:
        with agent.running(network, directory, LINK_PORT, "02:00:00:00:09:01", "10.0.9.1"):
            yield
    finally:
        for name in interfaces:
            network.inside("sw", "ip", "link", "delete", name)


def test_shell_and_rest_list_the_same(sluice: Controller):
    def listed_alike() -> list[dict] | None:
        found = json.loads(sluice.cli("sluice-doctor", "-j"))["findings"]
        return found if found == _findings(sluice) else None

    # What has just been set is a finding until it is done: between the two listings, too.
    shell = eventually("the same findings", listed_alike, 30)
    text = sluice.cli("sluice-doctor")
    for finding in shell:
        assert set(finding) == {"severity", "about", "what", "remedy"}
        assert f"{finding['about']}: {finding['what']}" in text
        assert f"-> {finding['remedy']}" in text
    order = [("error", "warning", "note").index(each["severity"]) for each in shell]
    assert order == sorted(order)


def test_a_link_that_is_off_is_named(sluice: Controller):
    (off,) = _about(sluice, "agent link", "is off")
    assert off["severity"] == "error"
    for name in ("agentLinkKey", "agentLinkCertificate", "agentLinkTrust"):
        assert f"cfg set {COMPONENT} {name} " in off["remedy"]


def test_the_remedy_against_lost_rules_works(sluice: Controller):
    (lost,) = _about(sluice, "ONOS", "removes flow rules")
    sluice.cli(*shlex.split(lost["remedy"]))
    eventually("ONOS keeps rules", lambda: not _about(sluice, "ONOS", "removes flow rules"), 20)


def test_a_tenant_without_members_is_named_until_it_is_gone(sluice: Controller):
    sluice.cli("sluice-tenant-set", "empty")
    (empty,) = _about(sluice, "tenant empty", "no members")
    sluice.cli(*shlex.split(empty["remedy"].split(", or ")[-1]))
    assert not _about(sluice, "tenant empty", "")


def test_a_switch_without_a_second_controller_is_named_until_it_has_one(
    sluice: Controller, network: Network
):
    def slow(datapath: str) -> list[dict]:
        return _about(sluice, datapath, "second controller")

    try:
        eventually("both named", lambda: slow(S1) and slow(S2), LASTING_SECONDS)
        remedy = slow(S1)[0]["remedy"]
        assert remedy.startswith("sluice-switch-setup BRIDGE")
        address = network.controller_address
        line = sluice.cli("sluice-switch-setup", "-a", address, "s1").strip()
        program, *arguments = shlex.split(line)
        assert program == "ovs-vsctl"
        network.vsctl(*arguments)
        eventually("it is not named any more", lambda: not slow(S1), LASTING_SECONDS)
        assert slow(S2), "the other one is still without"
    finally:
        network.set_controller(sluice.ports["openflow"])


def test_switches_that_support_everything_are_not_reported(sluice: Controller):
    def findings() -> list[dict]:
        return [
            each
            for each in _findings(sluice)
            if each["about"] in (S1, S2) and "second controller" not in each["what"]
        ]

    eventually("nothing about rules or meters", lambda: not findings(), LASTING_SECONDS)


def test_nothing_to_report_when_all_is_well(sluice: Controller, network: Network, tmp_path: Path):
    """As an operator would, from the first finding to the last."""
    set_properties(sluice, **agent.make_keys(tmp_path, network.controller_address))
    address = network.controller_address
    try:
        for bridge in ("s1", "s2"):
            line = sluice.cli("sluice-switch-setup", "-a", address, bridge).strip()
            network.vsctl(*shlex.split(line)[1:])

        def subjects() -> list[str]:
            return [each["about"] for each in _findings(sluice)]

        def only_the_agents() -> bool:
            named = subjects()
            assert set(named) - {"agent link"} <= {S1, S2}, named
            return named == ["agent link"]

        eventually("only the missing agents are named", only_the_agents, 90)
        (missing,) = _findings(sluice)
        assert "No agent has connected" in missing["what"]
        assert str(LINK_PORT) in missing["remedy"]
        lacking = agent.lacking()

        def only_the_kernel() -> bool:
            named = [each["what"] for each in _findings(sluice)]
            return len(named) == len(lacking) and all(
                any(what.startswith(f"It lacks {name}") for what in named) for name in lacking
            )

        with _agent(network, tmp_path):
            eventually("nothing but what the kernel lacks", only_the_kernel, 30)
            says_nothing = sluice.cli("sluice-doctor").strip() == "nothing to report"
            assert says_nothing == (not lacking)
        eventually("the stopped agent", lambda: subjects() == ["host h1"], 30)
    finally:
        network.set_controller(sluice.ports["openflow"])


def test_certificates_are_renewed_without_a_restart_at_either_end(
    sluice: Controller, network: Network, tmp_path: Path
):
    address = network.controller_address
    set_properties(sluice, **agent.make_keys(tmp_path, address))

    def ending() -> set[str]:
        return {each["about"] for each in _findings(sluice) if "ends in 19 days" in each["what"]}

    def connected() -> bool:
        hosts = sluice.get("sluice/v1/hosts")["hosts"]
        return [each["connected"] for each in hosts if each["id"] == "h1"] == [True]

    with _agent(network, tmp_path):
        eventually("the agent", connected, 30)
        assert ending() == set()
        agent.make_keys(tmp_path, address, "--renew", "--days", "20")
        eventually("both are named", lambda: ending() == {"agent link", "host h1"}, 30)
        agent.make_keys(tmp_path, address, "--renew")
        eventually("none is named", lambda: not ending() and connected(), 30)
