# SPDX-License-Identifier: Apache-2.0
"""The small scenario with deadlines: its flows, how they and the endless one are judged."""

import json

import pytest

from testbed.experiments.deadlines import report as deadlines_report
from testbed.experiments.deadlines import small_scenario
from testbed.measure.series import CumulativeSeries
from testbed.system.processors import CpuUse

FLOWS = small_scenario.small_scenario(50)
MILLI = 1_000_000
START = 5 * MILLI


def report(took_millis, retransmits=0):
    last = None if took_millis is None else 7 * MILLI + int(took_millis * MILLI)
    return {"synNanos": 7 * MILLI, "lastByteNanos": last, "retransmits": retransmits}


def repetition(took, *, control="cubic", with_sluice=True, promised=True, starved=0, bins=10):
    results = [
        small_scenario.result_of(flow, report(each), START, promised if with_sluice else None)
        for flow, each in zip(FLOWS, took, strict=True)
    ]
    endless = small_scenario.EndlessResult(12.5, bins, starved, 1.4)
    return small_scenario.Turn(
        mode=small_scenario.WITH if with_sluice else small_scenario.WITHOUT,
        number=1,
        seconds=6,
        cpu=CpuUse(0.5),
        congestion_control=control,
        flows=results,
        endless=endless,
    )


GOOD, LATE = (299, 700, 900, 2000, 4000), (301, 700, 900, 2000, 4000)


def test_sizes_are_scaled_and_deadlines_are_not():
    assert [flow.size_bytes for flow in FLOWS] == [
        400_000,
        600_000,
        1_500_000,
        2_500_000,
        3_200_000,
    ]
    assert [flow.due_millis for flow in FLOWS] == [300, 800, 1000, 3000, 5000]
    assert len({flow.host for flow in FLOWS} | {small_scenario.ENDLESS_HOST}) == 6


def test_a_deadline_is_met_when_the_last_byte_is_there_in_time():
    results = [
        small_scenario.result_of(FLOWS[0], report(each), START) for each in (300, 300.1, None)
    ]
    assert [result.is_met for result in results] == [True, False, False]
    assert [result.late_millis for result in results] == [2, 2, 2]


def test_one_repetition_may_fail_and_no_more():
    def holds(*repetitions):
        return [each.holds for each in deadlines_report.expected(repetitions)]

    good, late = repetition(GOOD), repetition(LATE)
    assert holds(good, good, good, good, late) == [True, True, True]
    assert holds(good, good, good, late, late) == [False, True, True]
    assert holds(good, good, good, late) == [False, True, True]  # too few for an exception
    assert holds(good, repetition(GOOD, promised=False)) == [True, False, True]
    assert holds(good, repetition(GOOD, starved=1)) == [True, True, False]
    assert holds(repetition(GOOD, bins=0)) == [True, True, False]
    # Results without Sluice are reported and decide nothing.
    assert holds(good, repetition(LATE, with_sluice=False, starved=9)) == [True, True, True]


def test_the_endless_flow_is_judged_in_every_bin_by_its_own_round_trip():
    # 10 ms of round trip: ten segments in each 100 ms. 14 kB in the second bin are too little.
    series = CumulativeSeries([(0, 0), (100 * MILLI, 20_000), (200 * MILLI, 34_000)])
    samples = [(50 * MILLI, 10 * MILLI), (150 * MILLI, 10 * MILLI)]
    judged = small_scenario.endless(series, samples, 0, 200 * MILLI)
    assert (judged.bins, judged.starved_bins) == (2, 1)
    assert judged.worst_bin_share == pytest.approx(14_000 / 14_480)
    # With a longer round trip the same is enough; a bin without a sample is not judged.
    judged = small_scenario.endless(series, [(150 * MILLI, 11 * MILLI)], 0, 200 * MILLI)
    assert (judged.bins, judged.starved_bins) == (1, 0)


def test_table_document_and_plot(tmp_path):
    repetitions = [
        repetition((350, 580, 1100, 1700, None), with_sluice=False),
        repetition(GOOD),
        repetition(GOOD, control="reno"),
    ]
    table = deadlines_report.table(repetitions)
    assert "never" in table and "5 of 5" not in table and "1 of 1" in table
    document = deadlines_report.as_json(repetitions[0])
    assert document["met"] is False and document["flows"][4]["tookMillis"] is None
    json.dumps(document)
    file = tmp_path / "deep" / "deadlines.png"
    deadlines_report.draw(repetitions, "title", file)
    assert file.stat().st_size > 10_000


def test_switches_report_every_connection_and_little_else():
    def holds(**changes):
        observed = {"registered": 5, "beginnings": 5, "ends": 5, "packetIns": 12, "rulesLeft": 0}
        return [
            each.holds for each in deadlines_report.expected_of_switches({**observed, **changes})
        ]

    assert holds() == [True, True, True, True]
    assert holds(beginnings=4) == [False, True, True, True]
    assert holds(ends=6) == [True, False, True, True]
    assert holds(packetIns=400) == [True, True, False, True]
    assert holds(rulesLeft=1) == [True, True, True, False]
