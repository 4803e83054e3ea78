# SPDX-License-Identifier: Apache-2.0
"""Bounds, and the verdict that follows."""

import pytest

from testbed.report.documents import judgement
from testbed.report.expectations import (
    EXIT_STATUS,
    at_least,
    below,
    busy_intervals,
    verdict,
    within,
    worst,
)
from testbed.system.processors import CpuUse

HOLDS = at_least("a", 1.0, 0.9)
FAILS = at_least("b", 0.8, 0.9)


@pytest.mark.parametrize(
    ("expectation", "holds"),
    [
        (at_least("x", 0.9, 0.9), True),
        (at_least("x", 0.8999, 0.9), False),
        (below("x", 0.0999, 0.1), True),
        (below("x", 0.1, 0.1), False),
        (within("x", 0.9, 0.9, 1.1), True),
        (within("x", 1.11, 0.9, 1.1), False),
    ],
)
def test_bounds(expectation, holds):
    assert expectation.holds is holds


@pytest.mark.parametrize(
    "expectation", [at_least("x", None, 0), below("x", None, 1), within("x", None, 0, 1)]
)
def test_nothing_measured_never_holds(expectation):
    assert not expectation.holds
    assert expectation.as_json()["measured"] is None


@pytest.mark.parametrize(
    ("expectations", "leftovers", "cpu", "expected"),
    [
        ([HOLDS], [], CpuUse(0.5), "pass"),
        ([HOLDS], [], None, "pass"),
        ([HOLDS, FAILS], [], CpuUse(0.5), "fail"),
        ([HOLDS, FAILS], [], None, "fail"),
        ([HOLDS], ["namespace: x"], CpuUse(0.5), "fail"),
        ([HOLDS], [], CpuUse(0.09), "inconclusive"),
        ([FAILS], [], CpuUse(0.09), "inconclusive"),
        ([HOLDS], ["namespace: x"], CpuUse(0.09), "fail"),
        ([HOLDS], [], CpuUse(0.10), "pass"),
        ([FAILS], [], CpuUse(0.5, stolen=0.02), "fail"),
        ([FAILS], [], CpuUse(0.5, stolen=0.03), "inconclusive"),
        ([HOLDS], [], CpuUse(0.5, stolen=0.03), "pass"),
        ([HOLDS], ["namespace: x"], CpuUse(0.5, stolen=0.03), "fail"),
    ],
)
def test_verdict(expectations, leftovers, cpu, expected):
    assert verdict(expectations, leftovers, cpu) == expected


@pytest.mark.parametrize(("controlled_idle", "expected"), [(0.10, "fail"), (0.09, "inconclusive")])
def test_one_phase_without_idle_cpu_is_not_judged(controlled_idle, expected):
    """However idle the machine was in the other phases."""
    busy = busy_intervals({"alone": CpuUse(0.9), "controlled": CpuUse(controlled_idle)})
    assert busy == (["controlled"] if expected == "inconclusive" else [])
    assert verdict([FAILS], [], CpuUse(0.5), busy) == expected
    assert ("in: controlled" in judgement([FAILS], [], expected, busy=busy)) == bool(busy)


@pytest.mark.parametrize(
    ("cpu", "reason"),
    [
        (CpuUse(0.071), "idle CPU 7.1% in all, under 10%"),
        (CpuUse(0.5, stolen=0.034), "the hypervisor gave 3.4% of the CPU time to others, over 2%"),
    ],
)
def test_an_inconclusive_verdict_says_why_and_what_to_do(cpu, reason):
    text = judgement([FAILS], [], verdict([FAILS], [], cpu), cpu=cpu)
    assert f"NOT JUDGED  {reason}" in text
    assert "end what else runs" in text or "run it again" in text
    assert "NOT JUDGED" not in judgement([HOLDS], [], "pass", cpu=CpuUse(0.5, stolen=0.034))


def test_exit_status_of_every_verdict():
    assert EXIT_STATUS == {"pass": 0, "fail": 1, "inconclusive": 3}


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        (["pass", "pass"], "pass"),
        (["pass", "inconclusive"], "inconclusive"),
        (["inconclusive", "fail"], "fail"),
        (["fail", "pass"], "fail"),
    ],
)
def test_a_failure_among_several_results_decides(verdicts, expected):
    assert worst(verdicts) == expected
