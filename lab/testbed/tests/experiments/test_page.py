# SPDX-License-Identifier: Apache-2.0
"""How a weight that is changed in the page is judged."""

import pytest

from testbed.experiments.page.walk import seconds_until_in_force
from testbed.measure.series import CumulativeSeries

SECOND = 1_000_000_000
CHANGED = 10 * SECOND
END = 13 * SECOND
BIN = 50_000_000


def counter(rates):
    """A byte counter with one rate in bytes a second until each instant."""
    points, total, instant = [(0, 0)], 0.0, 0
    for until, rate in rates:
        while instant < until:
            instant += BIN
            total += rate * BIN / SECOND
            points.append((instant, total))
    return CumulativeSeries(points)


@pytest.mark.parametrize("delay_seconds", [0.1, 0.4, 0.9])
def test_a_changed_part_counts_from_the_change(delay_seconds):
    step = CHANGED + int(delay_seconds * SECOND)
    own = counter([(step, 1.0e6), (END, 2.3e6)])
    others = [counter([(step, 1.0e6), (END, 0.57e6)]) for _ in range(3)]
    after = seconds_until_in_force(own, others, CHANGED, END)
    assert after == pytest.approx(delay_seconds, abs=0.11)


def test_a_part_that_stays_is_never_in_force():
    steady = [counter([(END, 1.0e6)]) for _ in range(4)]
    assert seconds_until_in_force(steady[0], steady[1:], CHANGED, END) is None


def test_a_flow_that_never_arrived_is_never_in_force():
    floods = [counter([(END, 1.0e6)]) for _ in range(3)]
    assert seconds_until_in_force(CumulativeSeries([(0, 0)]), floods, CHANGED, END) is None
