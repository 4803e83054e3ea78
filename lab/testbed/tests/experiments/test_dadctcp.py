# SPDX-License-Identifier: Apache-2.0
"""Congestion controls through one queue: how runs are judged and summed up."""

import argparse

import pytest

from testbed.cli import command
from testbed.experiments.dadctcp import experiment, report, turns
from testbed.experiments.dadctcp.turns import CUBIC, DADCTCP, DCTCP
from testbed.system.errors import LabError
from testbed.system.processors import CpuUse

LINK_MBPS, PACKET_MILLIS = 50, 0.24


def connection(mbps, ce=5, retransmits=2):
    return {"mbps": mbps, "retransmits": retransmits, "timeouts": 0, "deliveredCe": ce}


def turn(mode, *, number=1, flows=1, rates=(47.0,), millis=(1.0, 2.0), ce=5, retransmits=2):
    return turns.Turn(
        mode=mode,
        flows=flows,
        number=number,
        connections=[connection(rate, ce, retransmits) for rate in rates],
        round_trip_millis=list(millis),
        lost_requests=0,
        queue={"p50Packets": 3, "sentPackets": 12_000},
        seconds=3,
        cpu=CpuUse(0.5),
    )


def failing(*done):
    judged = report.expected(done, LINK_MBPS, PACKET_MILLIS)
    return [each.name.split(": ")[1] for each in judged if not each.holds]


def test_equal_results_pass():
    assert failing(turn(DCTCP), turn(DADCTCP), turn(CUBIC, millis=(20.0,))) == []


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"millis": (1.0, 2.3)}, "p99 round trip beyond DCTCP's, ms"),
        ({"rates": (46.4,)}, "goodput / DCTCP's"),
        ({"ce": 0}, "packets delivered with CE"),
        ({"retransmits": 121}, "packets sent again by either / sent by the queue"),
    ],
)
def test_results_worse_than_dctcp_fail(changes, name):
    assert failing(turn(DCTCP), turn(DADCTCP, **changes)) == [name]


def test_both_must_saturate_the_link():
    slow = {"rates": (45.9,)}
    assert failing(turn(DCTCP, **slow), turn(DADCTCP, **slow)) == ["goodput of either / link"]


def runs(millis):
    """Repetitions of both, with the greatest round trips (DCTCP's, DA-DCTCP's) of each."""
    return [
        turn(mode, number=number, millis=(1.0, greatest))
        for number, pair in enumerate(millis, start=1)
        for mode, greatest in zip((DCTCP, DADCTCP), pair, strict=True)
    ]


def test_comparisons_are_medians_of_what_differs_within_a_run():
    late = ["p99 round trip beyond DCTCP's, ms"]
    assert failing(*runs([(2.0, 2.0), (2.0, 9.0), (2.0, 2.0)])) == []
    assert failing(*runs([(2.0, 2.5), (2.0, 2.5), (2.0, 2.0)])) == late
    # A slow run of DCTCP excuses only the run beside it.
    assert failing(*runs([(2.0, 2.5), (9.0, 2.5), (2.0, 2.5)])) == late


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"rates": (45.9,)}, "goodput of either / link"),
        ({"ce": 0}, "packets delivered with CE"),
        ({"retransmits": 121}, "packets sent again by either / sent by the queue"),
    ],
)
def test_one_unstable_run_fails(changes, name):
    done = runs([(2.0, 2.0)] * 10)
    done[13] = turn(DADCTCP, number=7, **changes)
    assert failing(*done) == [name]


def test_numbers_of_flows_are_judged_apart():
    done = [turn(mode, flows=flows) for flows in (1, 4) for mode in (DCTCP, DADCTCP)]
    names = [each.name for each in report.expected(done, LINK_MBPS, PACKET_MILLIS)]
    assert sum(name.startswith("1 flow, ") for name in names) == 5
    assert sum(name.startswith("4 flows, ") for name in names) == 5


def test_summaries_are_medians_and_the_least_fairness():
    done = [
        turn(DCTCP, number=1, flows=2, rates=(20.0, 20.0), millis=[1.0] * 98 + [3.0] * 2),
        turn(DCTCP, number=2, flows=2, rates=(30.0, 10.0), millis=[2.0] * 98 + [9.0] * 2),
        turn(DCTCP, number=3, flows=2, rates=(20.0, 24.0), millis=[2.0] * 98 + [5.0] * 2),
    ]
    (found,) = turns.summaries(done)
    assert (found.goodput_mbps, found.p50_millis, found.p99_millis) == (40.0, 2.0, 5.0)
    assert (found.most_p99_millis, found.retransmits) == (9.0, 4)
    assert found.jain == pytest.approx(0.8)


def test_the_document_has_every_run():
    done = [turn(DCTCP), turn(DADCTCP)]
    judged = report.expected(done, LINK_MBPS, PACKET_MILLIS)
    found = report.of("dadctcp", done, judged, {"k1Packets": 4}, "title").document([])
    assert (found["verdict"], found["k1Packets"], len(found["turns"])) == ("pass", 4, 2)
    assert found["turns"][1]["connections"][0]["deliveredCe"] == 5
    assert "dadctcp" in report.table(done) and "2.00 ms" in report.line(done[0])


def test_the_plot_is_drawn(tmp_path):
    path = tmp_path / "out" / "dadctcp.png"
    report.draw([turn(DCTCP), turn(DADCTCP), turn(DADCTCP, flows=4)], "title", path)
    assert path.stat().st_size > 1000


def options(k1=None, k2=None):
    return argparse.Namespace(k1=k1, k2=k2)


def test_no_packet_waits_unmarked_that_dctcps_queue_would_have_marked():
    assert experiment.slope_thresholds(options(), 8) == {"k1Packets": 6, "k2Packets": 9}
    assert experiment.slope_thresholds(options(k1=8, k2=16), 8) == {"k1Packets": 8, "k2Packets": 16}


@pytest.mark.parametrize(("k1", "k2"), [(9, None), (9, 9), (2, 100)])
def test_slope_thresholds_fit_the_buffer(k1, k2):
    with pytest.raises(LabError, match=r"--k1 .* --k2"):
        experiment.slope_thresholds(options(k1, k2), 8)


@pytest.mark.parametrize("text", ["0", "65", "1,,4", "x"])
def test_flows_are_numbers_of_connections(text, capsys):
    with pytest.raises(SystemExit):
        command.parser().parse_args(["dadctcp", "--flows", text])
    assert "is not a number from 1 to 64" in capsys.readouterr().err
