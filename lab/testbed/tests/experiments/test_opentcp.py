# SPDX-License-Identifier: Apache-2.0
"""OpenTCP on real stacks: its policies and loads, how turns and reversions are judged."""

import json

import pytest

from testbed.cli import command
from testbed.experiments.opentcp import hinted_routes, loads, report, reversion, turns
from testbed.experiments.opentcp.hinted_routes import HintedRoutes
from testbed.experiments.opentcp.loads import FAR, FAR_FRESH, INCAST
from testbed.experiments.opentcp.turns import DEFAULTS, OPENTCP1, OPENTCP2, WINDOW_ALONE
from testbed.system.processors import CpuUse
from testbed.turns.turn import named

MILLI, SECOND = 1_000_000, 1_000_000_000


def turn(load, mode, millis, *, timeouts=0, idle=0.5, dropped=0):
    return turns.Turn(
        load=load,
        mode=mode,
        number=1,
        seconds=8,
        flows=[turns.Flow(load.sizes_bytes[0], each, True, 0, timeouts) for each in millis],
        hinted=1.0,
        queue={"droppedPackets": dropped, "sentPackets": 100 - dropped},
        cpu=CpuUse(idle),
    )


def reverted(cause=reversion.DROPS, *, crossed=4.0, other=None, ended=5.0):
    def nanos(seconds):
        return None if seconds is None else int(seconds * SECOND)

    return reversion.Reversion(
        cause=cause,
        number=1,
        cycle_seconds=2,
        began_nanos=3 * SECOND,
        crossed_nanos=nanos(crossed),
        other_crossed_nanos=nanos(other),
        ended_nanos=nanos(ended),
        evidence=[],
        seconds=6,
        cpu=CpuUse(0.5),
    )


def test_policies_are_the_presets_with_the_cycle_that_is_chosen():
    assert DEFAULTS.policies(2) is None and DEFAULTS.metrics == set()
    whole = OPENTCP2.policies(2)
    assert whole["cycleSeconds"] == 2
    assert whole["policies"][0]["hints"] == {"initialWindow": 20, "rtoMinMillis": 2}
    assert OPENTCP2.metrics == {"initcwnd", "rto_min"}
    alone = WINDOW_ALONE.policies(2)
    assert alone["policies"][0]["hints"] == {"initialWindow": 20}
    assert alone["constraints"] == OPENTCP1.policies(2)["constraints"]
    assert WINDOW_ALONE.metrics == {"initcwnd"}


def test_hosts_of_an_incast_begin_at_the_same_instants():
    assert {INCAST.seed(3, place, 0) for place in range(4)} == {INCAST.seed(3, 0, 0)}
    seeds = [
        FAR.seed(number, place, kind)
        for number in (1, 2)
        for place in range(len(FAR.hosts))
        for kind in range(len(FAR.sizes_bytes))
    ]
    assert len(set(seeds)) == len(seeds)


def test_a_flow_begins_with_its_first_byte_or_in_a_new_connection_with_its_syn():
    reports = [
        {"synNanos": 1 * MILLI, "firstByteNanos": 5 * MILLI, "lastByteNanos": 9 * MILLI}
        | {"retransmits": 1, "timeouts": None},
        {"synNanos": 1 * MILLI, "firstByteNanos": None, "lastByteNanos": None}
        | {"retransmits": None, "timeouts": 2},
    ]
    kept = turns.flows_of(FAR, 8, reports, 20 * MILLI)
    assert [(flow.millis, flow.has_arrived) for flow in kept] == [(4, True), (19, False)]
    assert [flow.millis for flow in turns.flows_of(FAR_FRESH, 8, reports, 20 * MILLI)] == [8, 19]
    done = turn(FAR, DEFAULTS, [])
    done.flows.extend(kept)
    result = next(iter(turns.summaries([done, turn(INCAST, DEFAULTS, [100])])))
    assert (result.times.requests, result.times.unanswered) == (2, 1)
    assert (result.retransmits, result.timeouts) == (1, None)
    assert result.times.mean_millis == pytest.approx(11.5)


@pytest.mark.parametrize(
    ("far", "incast", "holds"),
    [(69, 69, [True, True]), (71, 69, [False, True]), (69, 71, [True, False])],
)
def test_each_load_is_judged_by_its_own_defaults(far, incast, holds):
    ran = [
        *(turn(FAR, DEFAULTS, [100, 100]), turn(INCAST, DEFAULTS, [200])),
        *(turn(FAR, OPENTCP1, [far]), turn(INCAST, OPENTCP1, [2 * incast])),
    ]
    found = report.expected(ran, [], [])
    assert [each.holds for each in found] == [*holds, True]
    assert report.aims(ran) == []


def test_in_an_incast_opentcp2_is_an_aim():
    ran = [turn(INCAST, DEFAULTS, [100]), turn(INCAST, OPENTCP2, [100], dropped=5)]
    assert len(report.expected(ran, [], [])) == 1
    assert [each.holds for each in report.aims(ran)] == [False]
    assert turns.summaries(ran)[-1].dropped == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("measured", "holds"),
    [
        (reverted(ended=6.0), [True, True]),
        (reverted(ended=6.2), [False, True]),
        (reverted(ended=3.9), [True, False]),
        (reverted(ended=None), [False, False]),
        (reverted(crossed=None), [False, False]),
        (reverted(other=4.9), [True, False]),
        (reverted(other=5.1), [True, True]),
    ],
)
def test_hints_end_within_a_cycle_for_their_cause(measured, holds):
    found = report.expected([], [reverted(), measured], [])
    assert [each.holds for each in found] == [*holds, True]


def test_hints_that_outlive_their_policies_fail():
    assert not report.expected([], [], ["h1"])[-1].holds


def test_routes_over_time(tmp_path):
    def line(at, **metrics):
        return json.dumps({"tNanos": at, "routes": {"10.0.0.0/24": metrics} if metrics else {}})

    both = {"initcwnd", "rto_min"}
    first, second = tmp_path / "1", tmp_path / "2"
    first.write_text(
        "\n".join([line(0), line(10, initcwnd=20, rto_min=2), line(30), '{"tNanos": 4']),
        encoding="utf-8",
    )
    second.write_text(line(0, initcwnd=20, rto_min=2) + "\n", encoding="utf-8")
    routes = HintedRoutes({"h1": first, "h2": second})
    assert routes.histories() == {"h1": [(0, set()), (10, both), (30, set())], "h2": [(0, both)]}
    assert routes.part_with(both, 0, 40) == pytest.approx((0.5 + 1) / 2)
    assert hinted_routes.part_with(routes.histories()["h1"], both, 20, 25) == 1
    assert routes.all_without_since(5) is None
    assert HintedRoutes({"h1": first}).all_without_since(5) == 30


def test_a_crossing_is_of_a_whole_cycle():
    counters = reversion.WireCounters(capacity_mbps=8)  # a byte in a microsecond
    for millis in range(0, 4001, 10):
        sent = max(0, millis - 2000) * 1000  # full from 2 s on
        lost = max(0, millis - 3000)
        now = millis * MILLI
        counters.add(now, {"sentBytes": sent, "sentPackets": 1000 + millis, "droppedPackets": lost})
    crossed = counters.crossings(SECOND)
    assert crossed[reversion.UTILISATION] == 2700 * MILLI
    assert crossed[reversion.DROPS] == 3010 * MILLI


def test_the_document_says_what_was_measured(tmp_path):
    ran = [turn(FAR, DEFAULTS, [100, 90]), turn(FAR, OPENTCP2, [20, 30], idle=0.3)]
    chosen = {"capacityMbps": 50}
    found = report.of("opentcp", ran, [reverted()], [], chosen, "title").document([])
    assert [each["meanMillis"] for each in found["summaries"]] == [95, 25]
    assert found["reversions"][0]["afterCrossingSeconds"] == 1
    assert found["verdict"] == "pass"
    assert "far, opentcp2" in report.table(ran)
    assert "1.00 s after" in report.reversion_table([reverted()])
    report.draw(ran, "title", tmp_path / "opentcp.png")
    assert (tmp_path / "opentcp.png").stat().st_size > 0


def options(*arguments):
    return command.parser().parse_args(["opentcp", *arguments])


def test_options_and_their_values():
    chosen = options("--loads", "far,far-fresh", "--turns", "opentcp1", "--cycle", "3")
    assert chosen.loads == ("far", "far-fresh") and chosen.cycle == 3
    assert [mode.name for mode in named(turns.MODES, chosen.turns, always=(DEFAULTS,))] == [
        "defaults",
        "opentcp1",
    ]
    assert options().loads == tuple(load.name for load in loads.DEFAULT_LOADS)


@pytest.mark.parametrize(
    "arguments",
    [("--loads", "near"), ("--turns", "none"), ("--cycle", "0"), ("--rtt", "x"), ("--rtt", "900")],
)
def test_values_out_of_range_are_refused(arguments, capsys):
    with pytest.raises(SystemExit):
        options(*arguments)
    assert arguments[1] in capsys.readouterr().err
