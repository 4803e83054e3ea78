# SPDX-License-Identifier: Apache-2.0
"""Micro-flow on real packets: which turns run, how they are summed up and judged."""

import pytest

from testbed.cli import command
from testbed.experiments.microflow import report, turns
from testbed.experiments.microflow.turns import (
    H2LOAD,
    LAW,
    LEVELS,
    MICROFLOW,
    MODES,
    OFF,
    OWN,
    SLUICE_CAPS,
    TUNED_LEVELS,
)
from testbed.measure.caps import Caps
from testbed.system.errors import LabError
from testbed.system.processors import CpuUse

NO_CAPS = Caps(
    samples=900,
    capped_samples=0,
    times=0,
    least_mbps=None,
    timeout_millis=0.0,
    overrun_millis=0.0,
)


def capped(**changes):
    values = {"capped_samples": 9, "times": 3, "least_mbps": 13.0, "timeout_millis": 99.0}
    return Caps(**{**vars(NO_CAPS), **values, **changes})


def turn(mode, millis, *, h2load=None, number=1, background=10.0, **changes):
    answered = {OWN: millis, H2LOAD: millis if h2load is None else h2load}
    values = {
        "requests": [turns.Requests(each, "h1", times, 0) for each, times in answered.items()],
        "background_mbps": {"h2": background, "h4": background},
        "queues": {name: {"p50Packets": 5, "p99Packets": 9} for name in ("s1-s2", "s2-s3")},
        "levels": {},
        "utilisation": {"s1-s2": 0.5, "s2-s3": 1.0},
        "caps": {"s1-s2": capped()} if mode.caps != turns.NO_CAPS else {},
        "controller": {},
        "thresholds": {"h1": {"thresholdBytes": [500, 9000, 16000], "decided": mode.tuned}},
        "machine_dscps": {"h5": {}},
        "wire_dscps": {"s1-s2": {"16": 7} if mode.levels else {}},
        "cpu": CpuUse(0.5),
    }
    return turns.Turn(mode=mode, number=number, seconds=12, **{**values, **changes})


def failing(ran):
    return [each.name for each in report.expected(ran) if not each.holds]


def test_turns_with_caps_need_a_sluice_that_has_them():
    assert turns.chosen_modes(None, {"enforcement": "on"}) == (
        [OFF, LAW, LEVELS],
        ["microflow", "sluice-caps", "tuned-levels"],
    )
    both = {"caps": "off", "levelThresholds": "agents"}
    assert turns.chosen_modes(None, both) == (list(MODES), [])
    with pytest.raises(LabError, match="'levelThresholds', which the turn 'tuned-levels' needs"):
        turns.chosen_modes(("tuned-levels",), {"caps": "off"})


def test_tuned_thresholds_reach_all_agents():
    ran = [turn(OFF, [100]), turn(LEVELS, [9]), turn(TUNED_LEVELS, [9])]
    assert failing(ran) == []
    own = {"thresholdBytes": [16384, 65536, 1048576], "decided": False}
    ran.append(turn(TUNED_LEVELS, [9], number=2, thresholds={"h1": own}))
    assert failing(ran) == ["agents with thresholds that Sluice tuned / all"]


def test_of_chosen_turns_the_first_always_runs():
    assert turns.chosen_modes(("microflow", "law"), {"caps": "off"}) == ([OFF, LAW, MICROFLOW], [])
    with pytest.raises(LabError, match="no property 'caps', which the turn 'microflow' needs"):
        turns.chosen_modes(("law", "microflow"), {})


def test_a_mode_is_all_its_turns_of_a_generator():
    ran = [
        turn(OFF, [1, 2, 3], h2load=[7], background=5),
        turn(LAW, [100]),
        turn(OFF, [4], number=2, background=7),
    ]
    result = turns.times(OFF, ran, OWN)
    assert (result.requests, result.median_millis, result.p99_millis) == (4, 2, 4)
    assert turns.times(OFF, ran, H2LOAD).requests == 2
    assert turns.background_mbps(OFF, ran) == pytest.approx(12)
    assert turns.background_mbps(LEVELS, ran) is None
    assert turns.modes_of(ran) == [OFF, LAW]


def test_unanswered_requests_of_h2load_count_with_the_time_limit():
    requests = turns.h2load_requests({"requests": 3, "micros": [1500]}, "h3", 2000.0)
    assert requests.millis == [1.5, 2000.0, 2000.0]
    assert requests.unanswered == 2


@pytest.mark.parametrize(
    ("changes", "fails"),
    [
        ({}, []),
        ({"millis": [61, 61]}, ["microflow, own: median", "microflow, own: p99"]),
        ({"h2load": [50, 61]}, ["microflow, h2load: p99"]),
        ({"background": 8.9}, ["microflow: background goodput"]),
        ({"background": 11.1}, ["microflow: background goodput"]),
        ({"caps": {"s1-s2": capped(overrun_millis=50.0)}}, ["longest that a cap outlived"]),
        ({"caps": {"s1-s2": capped(timeout_millis=150.0)}}, ["longest timeout of a cap"]),
        ({"machine_dscps": {"h5": {"16": 1}}}, ["packets with a DSCP that reached machines"]),
        ({"wire_dscps": {"s1-s2": {"16": 7}, "s2-s3": {}}}, ["packets with a DSCP on each wire"]),
    ],
)
def test_micro_flow_is_compared_with_nothing_enforced(changes, fails):
    given = {"millis": [50, 59], "h2load": [50, 59], **changes}
    ran = [turn(OFF, [100, 100]), turn(MICROFLOW, given.pop("millis"), **given)]
    found = failing(ran)
    assert len(found) == len(fails)
    assert all(name.startswith(begin) for name, begin in zip(found, fails, strict=True))


def test_levels_decide_only_where_no_turn_had_caps():
    slow = [turn(OFF, [100]), turn(LEVELS, [90])]
    assert any(name.startswith("law+levels") for name in failing(slow))
    ran = [*slow, turn(SLUICE_CAPS, [20])]
    assert failing(ran) == []
    assert any(not each.holds for each in report.aims(ran))


def test_turns_without_caps_are_reported_as_inconclusive_about_timeouts():
    ran = [turn(OFF, [100]), turn(MICROFLOW, [20], caps={"s1-s2": NO_CAPS})]
    assert failing(ran) == []
    assert not any("timeout" in each.name for each in report.expected(ran))
    (aim,) = report.aims(ran)
    assert (aim.name, aim.holds) == ("microflow: times that a cap was set", False)


def test_caps_by_meters_are_counted_by_the_journal():
    entries = [
        {"decision": "Background flows by p are capped to 12.500 Mbit/s, by a meter of its switch"},
        {"decision": "Background flows by p are not capped any longer"},
    ]
    none = {"s1-s2": NO_CAPS}
    ran = [
        turn(OFF, [100]),
        turn(MICROFLOW, [20], caps=none, controller={"journal": entries}),
    ]
    (aim,) = report.aims(ran)
    assert (aim.measured, aim.holds) == (1, True)


def test_the_document_and_the_table_say_what_was_measured(tmp_path):
    ran = [turn(OFF, [100]), turn(LAW, [80]), turn(MICROFLOW, [20], cpu=CpuUse(0.2))]
    document = report.of("microflow", ran, {"capacityMbps": 25}, "title").document([])
    assert [mode["requests"][OWN]["medianMillis"] for mode in document["modes"]] == [100, 80, 20]
    assert [mode["caps"] for mode in document["modes"]] == ["off", "off", "microflow"]
    assert document["turns"][2]["caps"]["s1-s2"]["times"] == 3
    assert document["verdict"] == "pass"
    assert document["cpuIdle"] == pytest.approx(0.4)
    assert "microflow, round 1, s1-s2: 3 times a cap, 1.0% of the time" in report.table(ran)
    report.draw(ran, "pages", tmp_path / "microflow.png")
    assert (tmp_path / "microflow.png").stat().st_size > 0


def test_a_mode_on_a_busy_machine_decides_nothing():
    ran = [turn(mode, [20], cpu=CpuUse(0.05 if mode == LAW else 0.6)) for mode in MODES]
    assert report.of("microflow", ran, {}, "title").document([])["verdict"] == "inconclusive"


@pytest.mark.parametrize(
    "option",
    [
        ("--turns", "law,all"),
        ("--background", "1"),
        ("--requests", "0"),
        ("--requests", "101"),
        ("--page-bytes", "-1"),
    ],
)
def test_values_out_of_range_are_refused(option, capsys):
    with pytest.raises(SystemExit):
        command.parser().parse_args(["microflow", *option])
    assert "is not" in capsys.readouterr().err


def test_turns_are_chosen_by_their_names():
    chosen = command.parser().parse_args(["microflow", "--turns", "law,sluice-caps"])
    assert chosen.turns == ("law", "sluice-caps")


def test_meters_replace_only_port_agents_without_a_session(capsys):
    arguments = ["microflow", "--enforcers", "meters", "--signals", "ports"]
    assert command.main(arguments) == command.NOT_RUN
    assert "leave out one of --signals ports and --enforcers meters" in capsys.readouterr().err
