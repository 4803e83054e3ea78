# SPDX-License-Identifier: Apache-2.0
"""Congestion controls through one queue: how runs are judged and summed up."""

import argparse

import pytest

from testbed.cli import values
from testbed.experiments.dadctcp import report, turns
from testbed.experiments.dadctcp.turns import CUBIC, DADCTCP, DCTCP
from testbed.system.processors import CpuUse

LINK_MBPS, PACKET_MILLIS = 50, 0.24


def connection(mbps, ce=5):
    return {"mbps": mbps, "retransmits": 2, "timeouts": 0, "deliveredCe": ce}


def turn(mode, *, number=1, flows=1, rates=(47.0,), millis=(1.0, 2.0), ce=5):
    return turns.Turn(
        mode=mode,
        flows=flows,
        number=number,
        connections=[connection(rate, ce) for rate in rates],
        round_trip_millis=list(millis),
        lost_requests=0,
        queue={"p50Packets": 3},
        seconds=3,
        cpu=CpuUse(0.5),
    )


def failing(*done):
    judged = report.expected(done, LINK_MBPS, PACKET_MILLIS)
    return [each.name.split(": ")[1] for each in judged if not each.holds]


def test_equals_pass():
    assert failing(turn(DCTCP), turn(DADCTCP), turn(CUBIC, millis=(20.0,))) == []


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"millis": (1.0, 2.3)}, "p99 round trip beyond DCTCP's, ms"),
        ({"rates": (46.4,)}, "goodput / DCTCP's"),
        ({"ce": 0}, "packets delivered with CE"),
    ],
)
def test_what_is_worse_than_dctcp_fails(changes, name):
    assert failing(turn(DCTCP), turn(DADCTCP, **changes)) == [name]


def test_both_have_to_fill_the_link():
    slow = {"rates": (45.9,)}
    assert failing(turn(DCTCP, **slow), turn(DADCTCP, **slow)) == ["goodput of either / link"]


def test_every_run_is_judged_by_itself():
    late = turn(DADCTCP, number=2, millis=(1.0, 5.0))
    done = [turn(DCTCP), turn(DADCTCP), turn(DCTCP, number=2), late]
    assert failing(*done) == ["p99 round trip beyond DCTCP's, ms"]
    # A slow run of DCTCP excuses only the run beside it.
    done[0] = turn(DCTCP, millis=(1.0, 9.0))
    assert failing(*done) == ["p99 round trip beyond DCTCP's, ms"]


def test_numbers_of_flows_are_judged_apart():
    done = [turn(mode, flows=flows) for flows in (1, 4) for mode in (DCTCP, DADCTCP)]
    names = [each.name for each in report.expected(done, LINK_MBPS, PACKET_MILLIS)]
    assert sum(name.startswith("1 flow, ") for name in names) == 4
    assert sum(name.startswith("4 flows, ") for name in names) == 4


def test_summaries_are_medians_and_the_least_fairness():
    done = [
        turn(DCTCP, number=1, flows=2, rates=(20.0, 20.0), millis=[1.0] * 99 + [3.0]),
        turn(DCTCP, number=2, flows=2, rates=(30.0, 10.0), millis=[2.0] * 99 + [9.0]),
        turn(DCTCP, number=3, flows=2, rates=(20.0, 24.0), millis=[2.0] * 99 + [5.0]),
    ]
    (found,) = turns.summaries(done)
    assert (found.goodput_mbps, found.p50_millis, found.p99_millis) == (40.0, 2.0, 5.0)
    assert (found.most_p99_millis, found.retransmits) == (9.0, 4)
    assert found.jain == pytest.approx(0.8)


def test_the_document_has_every_run():
    done = [turn(DCTCP), turn(DADCTCP)]
    judged = report.expected(done, LINK_MBPS, PACKET_MILLIS)
    found = report.document("dadctcp", done, [], judged, {"k1Packets": 4})
    assert (found["verdict"], found["k1Packets"], len(found["turns"])) == ("pass", 4, 2)
    assert found["turns"][1]["connections"][0]["deliveredCe"] == 5
    assert "dadctcp" in report.table(done) and "2.00 ms" in report.line(done[0])


def test_the_plot_is_drawn(tmp_path):
    path = tmp_path / "out" / "dadctcp.png"
    report.draw([turn(DCTCP), turn(DADCTCP), turn(DADCTCP, flows=4)], "title", path)
    assert path.stat().st_size > 1000


@pytest.mark.parametrize("text", ["0", "65", "1,,4", "x"])
def test_flows_are_numbers_of_connections(text):
    with pytest.raises(argparse.ArgumentTypeError):
        values.flows(text)
