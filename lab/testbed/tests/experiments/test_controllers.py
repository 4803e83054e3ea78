# SPDX-License-Identifier: Apache-2.0
"""The dumbbell on each of the lab's controllers, side by side."""

import json
from types import SimpleNamespace

import pytest

from testbed.cli import command
from testbed.experiments.dumbbell import experiment, matrix
from testbed.flooding.phase_report import PhaseReport
from testbed.system.errors import LabError
from testbed.system.processors import CpuUse
from testbed.tests.builders import BOTTLENECK_MBPS, controller, phase_result

SHARES = {"h1": 11.8, "h2": 12.1, "h3": 12.2, "h4": 12.1}
TOOK = {
    "bootSeconds": 23.4,
    "bootCpuSeconds": 30.1,
    "seconds": 95.2,
    "cpuSeconds": 21.0,
    "residentMib": 640,
}


def cell(marks, took, verdict="pass"):
    own = SimpleNamespace(as_json=lambda: took)
    report = PhaseReport(
        experiment="dumbbell",
        bottleneck_mbps=BOTTLENECK_MBPS,
        controller=controller(own),
        cpu=CpuUse(0.3),
        phases=[
            phase_result("flooded", {**SHARES, "h1": 0.1}),
            phase_result("controlled", SHARES),
        ],
        expectations=[],
        mark_to_rate=marks,
        further={"controllerProcessors": {"load": 0.214}},
        verdict=verdict,
    )
    return matrix.Cell("cubic", "sluice", "sluice", report, "out/dumbbell.json", {"law": "sluice"})


def options(*arguments):
    return command.parser().parse_args(["dumbbell", "--controller", "all", *arguments])


def test_each_runs_with_its_own_options_and_both_are_in_one_document(tmp_path, capsys, monkeypatch):
    runs = []

    def measure(given):
        runs.append((given.controller, given.line, given.out, given.json))
        marks = {"p50": 2.04, "p99": 6.0, "samples": 40 if given.controller == "onos" else 0}
        return [cell(marks, TOOK, "pass" if given.controller == "onos" else "inconclusive")]

    monkeypatch.setattr(experiment, "measure", measure)
    file = tmp_path / "all.json"
    chosen = options("--line", "0.20.1", "--json", str(file), "--out", str(tmp_path))
    assert chosen.run(chosen) == 3
    assert runs == [
        ("onos", None, str(tmp_path / "onos"), None),
        ("odl", "0.20.1", str(tmp_path / "odl"), None),
        ("standalone", None, str(tmp_path / "standalone"), None),
    ]
    document = json.loads(file.read_text())
    assert [each["controller"]["residentMib"] for each in document["runs"]] == [640, 640, 640]
    shown = capsys.readouterr().out
    assert "| controlled: TCP of its share | 98.7% | 98.7% | 98.7% |" in shown
    assert "| first mark to changed rate, p50 / p99, ms | 2.0 / 6.0 | - | - |" in shown
    assert "| 30 s; 21 s in 95 s | 30 s; 21 s in 95 s | 30 s; 21 s in 95 s |" in shown
    assert "| controller: of a processor, under load | 21.4% | 21.4% | 21.4% |" in shown
    assert "of a processor, idle" not in shown, "it was not measured"
    assert "weighted" not in shown, "no such phase was run"


@pytest.mark.parametrize(
    "other",
    [["--manual-rates"], ["--law", "hygenicc"], ["--keep"], ["--matrix"], ["--notices", "all"]],
)
def test_what_is_not_one_run_on_each_is_refused(other):
    chosen = options(*other)
    with pytest.raises(LabError, match="--controller all: one run on each"):
        chosen.run(chosen)


def test_a_running_onos_is_refused():
    chosen = options("--onos", "http://h:1")
    with pytest.raises(LabError, match="leave out --onos"):
        chosen.run(chosen)
