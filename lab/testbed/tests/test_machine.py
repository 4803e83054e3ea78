# SPDX-License-Identifier: Apache-2.0
"""Waiting for a calm machine."""

import pytest

from testbed import machine


def readings(*idle_shares):
    """CPU time readings such that each window between two of them has one of the idle shares."""
    idle = total = 0
    for share in idle_shares:
        yield idle, total
        idle, total = idle + share * 100, total + 100
        yield idle, total


@pytest.mark.parametrize(
    ("idle_shares", "timeout", "expected"),
    [((0.9,), 5, 0.9), ((0.1, 0.2, 0.7), 5, 0.7), ((0.1, 0.2, 0.3, 0.9), 3, 0.3)],
)
def test_waits_for_the_first_calm_window_but_not_for_ever(idle_shares, timeout, expected):
    source = readings(*idle_shares)
    slept = []
    idle = machine.wait_until_calm(
        0.6, timeout_seconds=timeout, read=lambda: next(source), sleep=slept.append
    )
    assert idle == pytest.approx(expected)
    assert len(slept) == idle_shares.index(expected) + 1


def test_idle_share():
    assert machine.idle_share((10, 100), (60, 200)) == pytest.approx(0.5)
    assert machine.idle_share((10, 100), (10, 100)) == 1.0
