# SPDX-License-Identifier: Apache-2.0
"""When parts cross a value, from series that are known."""

import pytest

from testbed.measure.crossings import crossed_at, parts_over_time
from testbed.measure.series import CumulativeSeries

MILLI = 1_000_000


def stepping(before_mbps, after_mbps, at_millis, end_millis=1000, step_millis=10):
    """A byte counter whose rate steps at an instant."""
    series, count = CumulativeSeries([(0, 0)]), 0.0
    for instant in range(step_millis, end_millis + 1, step_millis):
        count += (before_mbps if instant <= at_millis else after_mbps) * 125 * step_millis
        series.add(instant * MILLI, count)
    return series


def test_a_step_of_two_rates_is_seen_in_the_middle_when_it_happens():
    parts = parts_over_time(
        stepping(20, 30, 400), stepping(20, 10, 400), 0, 1000 * MILLI, 50 * MILLI, 10 * MILLI
    )
    assert parts[0] == (25 * MILLI, pytest.approx(0.5))
    assert parts[-1] == (975 * MILLI, pytest.approx(0.75))
    found = crossed_at(parts, 0.625, rising=True, since_nanos=0, stay_nanos=100 * MILLI)
    assert found == pytest.approx(400 * MILLI, abs=10 * MILLI)


def test_a_value_that_does_not_stay_has_not_crossed():
    points = [(0, 0.5), (10, 0.7), (20, 0.5), (30, 0.7), (40, 0.7), (50, 0.8), (60, 0.7)]
    assert crossed_at(points, 0.6, rising=True, since_nanos=0, stay_nanos=20) == 30
    assert crossed_at(points, 0.6, rising=True, since_nanos=0, stay_nanos=40) is None


def test_a_falling_rate_crosses():
    points = [(0, 0.7), (10, 0.5), (20, 0.5)]
    assert crossed_at(points, 0.6, rising=False, since_nanos=0, stay_nanos=10) == 10


def test_a_rate_beyond_the_value_from_the_start_does_not_cross():
    beyond = [(0, 0.7), (10, 0.7), (20, 0.7)]
    assert crossed_at(beyond, 0.6, rising=True, since_nanos=0, stay_nanos=10) is None
    returning = [*beyond, (30, 0.5), (40, 0.7), (50, 0.7)]
    assert crossed_at(returning, 0.6, rising=True, since_nanos=0, stay_nanos=10) == 40


def test_intervals_without_traffic_have_no_share():
    silent = CumulativeSeries([(0, 0), (1000 * MILLI, 0)])
    assert parts_over_time(silent, silent, 0, 1000 * MILLI, 50 * MILLI, 10 * MILLI) == []
