# SPDX-License-Identifier: Apache-2.0
"""Runners of turns call traffic, agents and Sluice as these are, and measure what they report."""

import contextlib
import types
from unittest.mock import MagicMock, create_autospec

import pytest

from testbed.experiments.compare.runner import CompareRunner
from testbed.experiments.compare.systems import SYSTEMS
from testbed.experiments.deadlines import small_scenario
from testbed.experiments.deadlines.runner import DeadlinesRunner
from testbed.experiments.incast import turns as incast_turns
from testbed.experiments.incast.runner import IncastRunner
from testbed.experiments.microflow import runner as microflow_runner
from testbed.experiments.microflow import turns as microflow_turns
from testbed.experiments.opentcp import loads
from testbed.experiments.opentcp import runner as opentcp_runner
from testbed.experiments.opentcp import turns as opentcp_turns
from testbed.experiments.short_flows import turns as short_flows_turns
from testbed.experiments.short_flows.experiment import ShortFlowsRunner
from testbed.programs import clock
from testbed.system.progress import Progress
from testbed.traffic import generators
from testbed.traffic.generators import Job, Traffic
from testbed.turns import runner as kit_runner

MILLI = 1_000_000
FLOW = {
    **{"synNanos": 1 * MILLI, "firstByteNanos": 2 * MILLI, "lastByteNanos": 5 * MILLI},
    **{"retransmits": 0, "timeouts": 0, "promised": True},
}
QUEUE = {
    **{"markedPackets": 1, "droppedPackets": 2, "sentPackets": 3, "backlogHistogram": [5, 1]},
    **{"reportedLosses": 0, "unreportedLosses": 0, "resentPackets": 0},
}
HOST = {"flows": {"duplicateAcknowledgements": 0}, "feedback": {"sent": 4}}
REPORTS = {
    "short_flows": {"flows": [FLOW, FLOW]},
    "transfer": FLOW,
    "web_requests": {"flows": [FLOW]},
    "web_load": {"requests": 1, "micros": [1500]},
    "burst": {"transfers": [FLOW] * 9},
    "count_dscps": {},
}
HOSTS = tuple(f"h{number}" for number in range(1, 9))


@pytest.fixture
def deployment(monkeypatch, tmp_path):
    """Sluice on a network of eight hosts, on which programs report at once."""
    traffic = create_autospec(Traffic, instance=True, directory=tmp_path, target="10.0.0.7")
    for program, report in REPORTS.items():
        job = create_autospec(Job, instance=True)
        job.report.return_value = report
        getattr(traffic, program).return_value = job
    traffic.flows.return_value = {}
    traffic.link.return_value.mbps.return_value = 5.0
    for module in (kit_runner, opentcp_runner):
        made = create_autospec(generators.Traffic, return_value=traffic)
        monkeypatch.setattr(module, "Traffic", made)
    monkeypatch.setattr(clock, "sleep_until", lambda instant: None)
    network = MagicMock()
    network.machines = {host: MagicMock() for host in HOSTS}
    network.wires = {}
    network.management.node.check.return_value = "[]"
    laboratory = types.SimpleNamespace(
        progress=create_autospec(Progress, instance=True),
        network=network,
        cleanup=contextlib.ExitStack(),
        leftovers=[],
    )
    made = MagicMock(laboratory=laboratory, network=network, bottleneck_mbps=50, port_agents={})
    made.port_agent.status.return_value = QUEUE
    made.host_agents = {host: MagicMock() for host in HOSTS}
    for agent in made.host_agents.values():
        agent.status.return_value = HOST
        agent.configuration = {"controllers": ["c"]}
    made.sluice.deadlines.return_value = {"losses": {"packetOuts": 0}, "tenants": []}
    made.sluice.flow.return_value = {"state": "met"}
    return made


def options(**values):
    return types.SimpleNamespace(cc="cubic", **values)


def only(runner, *each):
    (turn,) = runner.run_all([each])
    (line,) = [call.args[0] for call in runner.progress.log.call_args_list][-1:]
    assert line == f"  {runner.line(turn)}"
    return turn


def test_short_flows(deployment):
    turn = only(ShortFlowsRunner(deployment, "cubic"), 1, short_flows_turns.LEVELS)
    assert (turn.request_millis, turn.unanswered) == ([4.0, 4.0], 0)
    assert turn.background_mbps == {"h2": 0, "h3": 0, "h4": 0}
    deployment.sluice.set.assert_called_once_with(enforcement="on")


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_compare(deployment, system):
    turn = only(CompareRunner(deployment, "cubic"), 1, system)
    assert (turn.mode, turn.utilisation, turn.met) == (system, 0.1, 8)
    assert turn.promised == (8 if system.registers else None)


@pytest.mark.parametrize("mode", incast_turns.MODES, ids=lambda mode: mode.name)
def test_incast(deployment, mode):
    turn = only(IncastRunner(deployment, options(capacity=25)), 1, False, 20, mode)
    assert [each.took_millis for each in turn.flows] == [4.0] * 20
    assert turn.counters["dropped"] == 0


@pytest.mark.parametrize("mode", small_scenario.MODES, ids=lambda mode: mode.name)
def test_deadlines(deployment, mode, tmp_path):
    runner = DeadlinesRunner(deployment, None)
    (tmp_path / "round-trips-6000.jsonl").write_text("", encoding="utf-8")
    turn = only(runner, "cubic", 1, mode)
    assert turn.is_met and turn.number == 1
    assert {each.promised for each in turn.flows} == {True if mode.with_sluice else None}


def test_deadlines_beside_floods(deployment, tmp_path):
    runner = DeadlinesRunner(deployment, None, with_floods=True)
    (tmp_path / "round-trips-6000.jsonl").write_text("", encoding="utf-8")
    turn = only(runner, "cubic", 1, small_scenario.WITH)
    assert [each.flow.host for each in turn.flows] == ["h1"]
    assert not {"h1", small_scenario.ENDLESS_HOST} & set(small_scenario.FLOOD_HOSTS)


@pytest.mark.parametrize("load", loads.LOADS, ids=lambda load: load.name)
def test_opentcp(deployment, load, monkeypatch):
    routes = MagicMock()
    routes.part_with.return_value = 1.0
    monkeypatch.setattr(opentcp_runner, "HintedRoutes", lambda files: routes)
    runner = opentcp_runner.OpenTcpRunner(deployment, options(cycle=2))
    turn = only(runner, 1, load, opentcp_turns.OPENTCP1)
    assert len(turn.flows) == 2 * len(load.hosts) * len(load.sizes_bytes)
    routes.wait_for.assert_called_once_with({"initcwnd", "rto_min"}, timeout_seconds=26)


def test_microflow(deployment, monkeypatch):
    server = MagicMock()
    server.return_value.stop.return_value = ["a page"]
    monkeypatch.setattr(microflow_runner, "WebServer", server)
    chosen = options(page_bytes=10_000, background=4, requests=10, at_once=1)
    runner = microflow_runner.MicroflowRunner(deployment, chosen, 120)
    turn = only(runner, 1, microflow_turns.LAW)
    assert [(each.generator, each.millis) for each in turn.requests] == [
        *(("own", [4.0]), ("own", [4.0])),
        *(("h2load", [1.5]), ("h2load", [1.5])),
    ]
    runner.end()
    assert deployment.laboratory.leftovers == ["a page", "a page"]
