# SPDX-License-Identifier: Apache-2.0
"""Short flows: how turns are summed up and judged."""

import pytest

from testbed.experiments.short_flows import report, turns
from testbed.experiments.short_flows.turns import LAW, LEVELS, OFF
from testbed.programs import open_loop
from testbed.system.processors import CpuUse

MILLI = 1_000_000


def turn(mode, request_millis, *, number=1, background=6.0, unanswered=0, idle=0.5):
    return turns.Turn(
        mode=mode,
        number=number,
        seconds=12,
        request_millis=request_millis,
        unanswered=unanswered,
        background_mbps={"h2": background, "h3": background, "h4": background},
        queue={"p50Packets": 5, "p99Packets": 9},
        levels=[],
        cpu=CpuUse(idle),
    )


def test_a_mode_is_all_its_turns():
    result = turns.summary(
        OFF,
        [
            turn(OFF, [1, 2, 3], background=5),
            turn(LAW, [100]),
            turn(OFF, [4], number=2, background=7, unanswered=1),
        ],
    )
    assert (result.times.requests, result.times.unanswered) == (4, 1)
    assert (result.times.median_millis, result.times.p95_millis) == (2, 4)
    assert result.times.p99_millis == 4
    assert result.background_mbps == pytest.approx(18)


@pytest.mark.parametrize(
    ("millis", "background", "holds"),
    [
        ([50, 59], 6.0, [True, True, True]),
        ([61, 61], 6.0, [False, False, True]),
        ([50, 61], 6.0, [True, False, True]),
        ([50, 59], 5.3, [True, True, False]),
        ([50, 59], 6.7, [True, True, False]),
        ([], 6.0, [False, False, True]),
    ],
)
def test_requests_are_faster_and_background_goodput_is_unchanged(millis, background, holds):
    ran = [turn(OFF, [100, 100]), turn(LAW, [100]), turn(LEVELS, millis, background=background)]
    assert [each.holds for each in report.expected(ran)] == holds
    assert [each.holds for each in report.aims(ran)] == [False, False, True]


def test_the_document_says_what_was_measured():
    ran = [turn(OFF, [100]), turn(LAW, [80]), turn(LEVELS, [20], idle=0.2)]
    document = report.of("short-flows", ran, {"bottleneckMbps": 20}, "title").document([])
    assert [mode["medianMillis"] for mode in document["modes"]] == [100, 80, 20]
    assert [mode["levels"] for mode in document["modes"]] == [False, False, True]
    assert document["verdict"] == "pass"
    assert document["cpuIdle"] == pytest.approx(0.4)
    assert "law+levels" in report.table(ran)


def test_a_busy_machine_decides_nothing():
    ran = [turn(mode, [20], idle=0.05) for mode in turns.MODES]
    assert report.of("short-flows", ran, {}, "title").document([])["verdict"] == "inconclusive"


def test_requests_come_at_random_instants_that_are_the_same_for_a_seed():
    def instants(seed):
        return open_loop.instants(seed, 10, 5_000 * MILLI, 105_000 * MILLI)

    assert instants(1) == instants(1) != instants(2)
    assert instants(1) == sorted(instants(1))
    assert len(instants(1)) == pytest.approx(1000, rel=0.1)
    assert 5_000 * MILLI < instants(1)[0] < instants(1)[-1] < 105_000 * MILLI
