# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of the benches: rates of windows, cost tables, how long bursts must last."""

from testbed.experiments.rates import mark_to_rate, rate_error
from testbed.programs import rate_meter
from testbed.system.processors import CpuUse

SECOND = 1_000_000_000


def test_rates_are_between_one_reading_and_the_next():
    readings = [(0, 0), (SECOND, 125_000), (3 * SECOND, 375_000)]
    assert rate_meter.rates(readings) == [1.0, 1.0]
    assert rate_meter.rates(readings[:1]) == []


def test_super_packets_count_as_their_frames():
    assert rate_meter.on_the_wire(10 * 1514, 10) == 10 * 1514
    assert rate_meter.on_the_wire(42 + 20 * 1472, 1) == 20 * 1514


def test_bursts_last_long_enough_for_the_samples():
    per_second = 3 / 0.65
    assert mark_to_rate._seconds_for(200) * per_second > 200
    assert mark_to_rate._seconds_for(20) * per_second > 20


def test_unanswered_marks_fail_a_path():
    row = {
        "signals": "hosts",
        "notices": "link",
        "markToRateMs": {"p50": 5.0, "p99": 20.0, "samples": 200},
        "unanswered": 40,
    }
    held = [each.holds for each in mark_to_rate._expectations(row, 200)]
    assert held == [True, False, True, True]


def test_a_rate_that_the_machine_cannot_carry_is_named():
    row = {"limitMbps": 1000, "meanMbps": 700, "meanError": -0.3, "worstError": 0.3}
    rows = [{**row, "carried": False, **CpuUse(0.0, 0.04).as_json()}]
    cost = dict.fromkeys(
        ("carriedMbpsWith", "agentPoints", "softirqPointsMore", "busyPointsMore"), 1.0
    )
    table = rate_error._table(rows, {**cost, "busyPointsWithout": 9.0})
    assert "idle CPU 0%, stolen 4%, not judged" in table
