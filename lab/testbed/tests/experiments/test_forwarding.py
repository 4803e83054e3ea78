# SPDX-License-Identifier: Apache-2.0
"""How the results of the forwarding experiments are judged."""

import argparse
import json
from types import SimpleNamespace

import pytest

from testbed.experiments.forwarding import multipath, other_forwarding
from testbed.flooding.phase_sequence import SHORT
from testbed.flooding.sequence_run import SequenceResult
from testbed.system.processors import CpuUse
from testbed.tests.builders import controller, flows_of, phase_result

EQUAL = {"h1": 11.8, "h2": 12.1, "h3": 12.2, "h4": 12.1}
ONOS = controller()


def multipath_findings(**changes):
    losses = [
        multipath.Loss("link s1 - s4", 0.22, 6, []),
        multipath.Loss("spine s4", 0.26, 6, []),
    ]
    values = {"spine_bytes": {"s3": 6_400_000, "s4": 5_000_000}, "losses": losses}
    return multipath.Findings(**{**values, **changes})


def other_forwarding_findings(**changes):
    results = [
        phase_result("flooded", {**EQUAL, "h1": 0.1}),
        phase_result("controlled", EQUAL, begin_seconds=8),
    ]
    values = {
        "sequence": SequenceResult(
            *("cubic", "sluice", SHORT.bottleneck_mbps, results, flows_of(results), [], 0, None)
        ),
        "differ": {"installed": [], "uninstalled": []},
        "estimated_entries": 3,
        "own_entries": 50,
    }
    return other_forwarding.Findings(**{**values, **changes})


@pytest.fixture
def conclude(tmp_path):
    """Concludes findings; returns (exit status, document, names of what failed)."""

    def run(experiment, findings, leftovers=(), idle=0.3):
        file = tmp_path / "result.json"
        options = argparse.Namespace(json=str(file), out=str(tmp_path))
        cpu = [CpuUse(idle)] if experiment is multipath else []
        status = experiment._conclude(findings, options, ONOS, list(leftovers), *cpu)
        document = json.loads(file.read_text(encoding="utf-8"))
        assert list(document)[-3:] == ["leftovers", "expectations", "verdict"]
        failed = [each["name"] for each in document["expectations"] if not each["holds"]]
        return SimpleNamespace(status=status, document=document, failed=failed)

    return run


@pytest.mark.parametrize(
    ("experiment", "findings"),
    [(multipath, multipath_findings()), (other_forwarding, other_forwarding_findings())],
)
def test_good_findings_pass(conclude, experiment, findings):
    concluded = conclude(experiment, findings)
    assert (concluded.failed, concluded.document["verdict"], concluded.status) == ([], "pass", 0)
    assert conclude(experiment, findings, leftovers=["link: slc-0000-m"]).status == 1


def test_a_busy_machine_is_inconclusive(conclude):
    assert conclude(multipath, multipath_findings(), idle=0.05).status == 3


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"unanswered": ["h1 -> fd00:10::3"]}, "pairs of machines without answer"),
        ({"spine_bytes": {"s3": 9_500_000, "s4": 500_000}}, "lesser used spine"),
        ({"spine_bytes": {"s3": 0, "s4": 0}}, "lesser used spine"),
        ({"losses": [multipath.Loss("spine s4", 1.2, 6, [])]}, "longest gap"),
        ({"losses": [multipath.Loss("spine s4", 0.2, 6, ["h1 -> 10.0.0.3"])]}, "after that"),
        ({"remains": ["s1: group_id=1"]}, "properties left"),
    ],
)
def test_each_fault_of_several_paths_fails_its_own_expectation(conclude, changes, text):
    (failed,) = conclude(multipath, multipath_findings(**changes)).failed
    assert text in failed


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"unanswered": ["h1 -> 10.0.0.3"]}, "pairs of machines without answer"),
        ({"modifications": ["s1: OFPT_FLOW_MOD"]}, "changes written to switches"),
        ({"differ": {"installed": ["s1: priority=1"]}}, "differ: installed"),
        ({"estimated_entries": 0}, "estimated path"),
        ({"own_entries": 0}, "own forwarding"),
    ],
)
def test_each_fault_of_other_forwarding_fails_its_own_expectation(conclude, changes, text):
    (failed,) = conclude(other_forwarding, other_forwarding_findings(**changes)).failed
    assert text in failed
