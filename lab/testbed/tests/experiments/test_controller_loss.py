# SPDX-License-Identifier: Apache-2.0
"""How shares without a controller are computed and judged."""

import time

import pytest

from testbed.control.laws import SDN_GCC, SLUICE
from testbed.experiments.controller_loss import criteria
from testbed.experiments.controller_loss.absence import (
    SECOND_NANOS,
    Absence,
    Instants,
    greatest_step,
    parts_by_second,
)
from testbed.measure.series import CumulativeSeries
from testbed.report.processor_log import ProcessorLog
from testbed.system.processors import CpuTimes

AT = Instants(*(second * SECOND_NANOS for second in (100, 108, 116, 128, 140, 150)))


def absence(law=SLUICE, tcp=None, newcomer=0.97, busy=()):
    parts = {second: 0.98 for second in range(50) if second not in (16, 17)} | (tcp or {})
    return Absence(
        law,
        AT,
        sorted(parts.items()),
        [(second, newcomer) for second in range(18, 50)],
        busy=frozenset(busy),
        cpu=None,
    )


def failing(judged):
    return [one.name for one in judged if not one.holds]


def test_a_share_is_of_those_who_send_at_that_time():
    # 15 Mbit/s over 50: of three until 116 s, of four later; 116 and 117 s settle.
    series = CumulativeSeries([(AT.begin, 0), (AT.end, 50 * 15e6 / 8)])
    parts = dict(parts_by_second(series, "tcp", AT, 50, senders_before=3))
    assert parts[0] == pytest.approx(15 / (50 / 3 * 1448 / 1514))
    assert parts[49] == pytest.approx(15 / (50 / 4 * 1448 / 1514))
    assert not {16, 17} & set(parts)
    assert {15, 18} <= set(parts)


def test_steps_are_between_neighbours():
    assert greatest_step([(3, 1.0), (4, 0.9), (5, 1.05)]) == pytest.approx(0.15)
    assert greatest_step([(3, 1.0), (4, 0.9), (7, 1.9)]) == pytest.approx(0.1)
    assert greatest_step([(3, 1.0)]) is None


def test_seconds_without_idle_cpu_are_not_judged():
    assert failing(criteria.judge(absence(tcp={30: 0.3}, busy={30}))[0]) == []
    log = ProcessorLog(read=lambda: CpuTimes(0, 0, 0))
    log.stop()
    second = SECOND_NANOS
    origin = time.monotonic_ns() + second
    for at, idle in ((0, 0), (1, 50), (2, 55), (3, 150)):
        log.add(origin + at * second, CpuTimes(idle, 0, at * 100))
    assert log.busy_seconds(origin, origin + 3 * second) == {1}


def test_sluice_is_judged_in_every_second():
    assert failing(criteria.judge(absence())[0]) == []
    assert failing(criteria.judge(absence(tcp={20: 0.85}))[0]) == [
        "sluice: TCP / its share, controller away, least second",
        "sluice: TCP / its share, throughout, least second",
    ]
    assert failing(criteria.judge(absence(tcp={45: 0.85}))[0]) == [
        "sluice: TCP / its share, throughout, least second"
    ]
    assert failing(criteria.judge(absence(tcp={20: 1.25}))[0]) == [
        "sluice: greatest step of that from second to second"
    ]
    assert failing(criteria.judge(absence(newcomer=0.5))[0]) == [
        "sluice: newcomer / its share, controller away, mean"
    ]


def test_sdn_gcc_is_judged_by_its_return():
    away = dict.fromkeys(range(10, 40), 0.01)
    expected, aims = criteria.judge(absence(SDN_GCC, away))
    assert failing(expected) == []
    assert len(failing(aims)) == 3
    gone = dict.fromkeys(range(10, 50), 0.01)
    assert len(failing(criteria.judge(absence(SDN_GCC, gone))[0])) == 1
