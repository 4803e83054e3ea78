# SPDX-License-Identifier: Apache-2.0
"""CPU use, and waiting for an idle machine."""

from types import SimpleNamespace

import pytest

from testbed.system import processors
from testbed.system.processors import CpuTimes, CpuUse


def readings(*idle_shares):
    """CPU time readings such that each window between two of them has one of the idle shares."""
    idle = total = 0
    for share in idle_shares:
        yield CpuTimes(idle, 0, total)
        idle, total = idle + share * 100, total + 100
        yield CpuTimes(idle, 0, total)


@pytest.mark.parametrize(
    ("idle_shares", "timeout", "expected"),
    [((0.9,), 5, 0.9), ((0.1, 0.2, 0.7), 5, 0.7), ((0.1, 0.2, 0.3, 0.9), 3, 0.3)],
)
def test_waits_for_the_first_idle_window_but_not_for_ever(idle_shares, timeout, expected):
    source = readings(*idle_shares)
    slept = []
    idle = processors.wait_until_idle(
        0.6, timeout_seconds=timeout, read=lambda: next(source), sleep=slept.append
    )
    assert idle == pytest.approx(expected)
    assert len(slept) == idle_shares.index(expected) + 1


def test_use_between_two_readings():
    before = CpuTimes(idle=10, stolen=5, total=100)
    assert processors.cpu_use(before, CpuTimes(60, 8, 200)) == CpuUse(idle=0.5, stolen=0.03)
    assert processors.cpu_use(before, before) == CpuUse(idle=1.0, stolen=0.0)


def test_mean_use_goes_by_the_length_of_each():
    results = [
        SimpleNamespace(cpu=CpuUse(0.2, 0.04), seconds=10),
        SimpleNamespace(cpu=CpuUse(0.5, 0.0), seconds=5),
    ]
    mean = processors.mean_cpu_use(results)
    assert (mean.idle, mean.stolen) == pytest.approx((0.3, 0.4 / 15))


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (CpuUse(0.25, 0.001), "idle CPU 25%"),
        (CpuUse(0.25, 0.034), "idle CPU 25%, stolen 3%"),
    ],
)
def test_stolen_time_is_shown_where_there_was_any(use, text):
    assert str(use) == text


def test_readings_of_this_machine():
    now = processors.cpu_times()
    assert 0 <= now.idle + now.stolen <= now.total
