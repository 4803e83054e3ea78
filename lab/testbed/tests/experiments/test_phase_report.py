# SPDX-License-Identifier: Apache-2.0
"""The result document, the table and the plot of phases."""

import json

import pytest

from testbed.flooding import goodput_plot, phase_report
from testbed.report import expectations
from testbed.report.expectations import EXIT_STATUS
from testbed.system.processors import CpuUse
from testbed.tests.builders import BOTTLENECK_MBPS, controller, flows_of, phase_result

EQUAL = {"h1": 11.8, "h2": 12.1, "h3": 12.2, "h4": 12.1}
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def report(**changes):
    values = {
        "experiment": "dumbbell",
        "bottleneck_mbps": BOTTLENECK_MBPS,
        "controller": controller(),
        "cpu": CpuUse(0.4),
        "phases": [
            phase_result("flooded", EQUAL),
            phase_result("controlled", EQUAL, begin_seconds=8),
        ],
        "expectations": [expectations.at_least("controlled: TCP", 0.98, 0.9)],
    }
    return phase_report.PhaseReport(**{**values, **changes})


def test_document_has_exactly_the_agreed_keys():
    document = json.loads(json.dumps(report().as_json()))
    assert list(document) == [
        "experiment",
        "bottleneckMbps",
        "controller",
        "cpuIdle",
        "cpuStolen",
        "phases",
        "markToRateMs",
        "busyPhases",
        "leftovers",
        "expectations",
        "verdict",
    ]
    assert document["controller"] == {"name": "ONOS", "version": "2.5.6"}
    phase = document["phases"][0]
    assert list(phase) == [
        "name",
        "cpuIdle",
        "cpuStolen",
        "seconds",
        "utilisation",
        "jain",
        "endpoints",
    ]
    assert list(phase["endpoints"][0]) == [
        "name",
        "transport",
        "weight",
        "goodputMbps",
        "fairShareMbps",
    ]
    assert list(document["markToRateMs"]) == ["p50", "p99", "samples"]
    assert list(document["expectations"][0]) == ["name", "measured", "bound", "holds"]


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, "pass"),
        ({"expectations": [expectations.at_least("x", 0.1, 0.9)]}, "fail"),
        ({"leftovers": ["link: slc-0000-m"]}, "fail"),
        ({"cpu": CpuUse(0.05)}, "inconclusive"),
        ({"phases": [phase_result("flooded", EQUAL, cpu=CpuUse(0.05))]}, "inconclusive"),
    ],
)
def test_conclusion_writes_the_verdict_and_exits_by_it(tmp_path, capsys, changes, verdict):
    file = tmp_path / "deep" / "result.json"
    status = phase_report.conclude(report(**changes), tmp_path, file, tmp_path / "x.png")
    assert status == EXIT_STATUS[verdict]
    assert json.loads(file.read_text(encoding="utf-8"))["verdict"] == verdict
    assert f"verdict: {verdict}" in capsys.readouterr().out


def test_without_json_option_the_document_goes_to_the_output_directory(tmp_path, capsys):
    phase_report.conclude(report(), tmp_path, None, tmp_path / "x.png")
    assert (tmp_path / "dumbbell.json").exists()
    details = json.loads((tmp_path / "dumbbell-details.json").read_text(encoding="utf-8"))
    assert details["controlled"]["longLivedConnection"]["goodputMbps"] == 0.2


def test_keys_of_one_experiment_precede_the_common_ones():
    document = report(further={"tableDifferences": {}}).as_json()
    assert list(document)[-4:] == ["tableDifferences", "leftovers", "expectations", "verdict"]


def test_table_names_every_endpoint_once_a_phase():
    lines = phase_report.table(report()).splitlines()
    assert sum("h3" in line for line in lines) == 2
    assert any("98.7%" in line for line in lines), "TCP's goodput as a part of its fair share"


def test_plot(tmp_path):
    phases = report().phases
    file = tmp_path / "plots" / "dumbbell.png"
    goodput_plot.goodput_over_time(phases, flows_of(phases), BOTTLENECK_MBPS, "title", file)
    content = file.read_bytes()
    assert content.startswith(PNG_SIGNATURE)
    assert len(content) > 20_000
