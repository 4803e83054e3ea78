# SPDX-License-Identifier: Apache-2.0
"""The comparison's systems, its table, and what its document says of them."""

import pytest

from testbed.cli import command
from testbed.experiments.compare import report, systems, turns
from testbed.measure import control_traffic
from testbed.system.processors import CpuUse
from testbed.turns.turn import named

QUEUE = {"p50Packets": 8, "p99Packets": 16}
CONTROL = {"kilobitsPerSecond": {"agents": 120.4, "switches": 30.0}, "messagesPerSecond": 12.0}


def turn(name, **changes):
    (system,) = named(systems.SYSTEMS, [name])
    measured = {
        "tcp_share": 0.5,
        "utilisation": 1.0,
        "queue": QUEUE,
        "short_millis": [10.0, 20.0, 30.0],
        "unanswered": 1,
        "met": 6,
        "promised": 5 if system.registers else None,
        "broken": 1 if system.registers else None,
        "control": CONTROL,
        "seconds": 10,
        "cpu": CpuUse(0.4),
    }
    return turns.Turn(mode=system, number=1, **measured | changes)


def test_a_system_is_a_row():
    row = report.table([turn("sluice-deadlines")]).splitlines()[-1]
    assert row == (
        "| sluice-deadlines | 0.500 | 1.00 | 8 / 16 | 20.0 / 30.0 | 2 of 3 | 6 of 8 | 5 / 1"
        " | 120 / 30 | 12 |"
    )


def test_without_registrations_nothing_is_promised():
    row = report.table([turn("nothing", short_millis=[], unanswered=0)]).splitlines()[-1]
    assert "| - / - | 0 of 0 | 6 of 8 | not registered |" in row


def test_the_document_has_all_rows_and_what_has_none():
    done = [turn("nothing", tcp_share=0.01), turn("sluice", tcp_share=0.97)]
    document = report.of("compare", done, {"opentcp": "why"}, {}).document([])
    assert [row["name"] for row in document["systems"]] == ["nothing", "sluice"]
    assert document["systems"][1]["shortFlows"]["medianMillis"] == 20.0
    assert document["notRun"] == {"opentcp": "why"}
    assert document["verdict"] == "pass"


@pytest.mark.parametrize(
    ("nothing", "sluice", "holds"),
    [(0.01, 0.97, [True, True]), (0.6, 0.97, [False, True]), (0.1, 0.05, [True, False])],
)
def test_a_comparison_fails_unless_tcp_starves_and_recovers(nothing, sluice, holds):
    done = [turn("nothing", tcp_share=nothing), turn("sluice", tcp_share=sluice)]
    assert [each.holds for each in report.expected(done)] == holds


def test_some_systems_alone_are_not_judged():
    assert report.expected([turn("hygenicc")]) == []


def test_every_row_lists_its_settings():
    for system in systems.SYSTEMS:
        settings = systems.PROPERTIES | system.properties
        assert set(settings) == {"law", "windows", "lossAnswers", "enforcement"}, system.name
        assert system.host.keys() <= systems.PLAIN_HOST.keys()
        assert system.port.keys() <= systems.PLAIN_PORT.keys()
        assert not (system.registers and not system.has_controller)


def test_da_dctcps_port_marks_as_its_page_recommends():
    (system,) = named(systems.SYSTEMS, ["da-dctcp"])
    slope = {"kind": "slope", "k1Packets": 6, "k2Packets": 9}
    marks = {"markThresholdPackets": 0, "marking": slope}
    assert marks.items() <= system.port_configuration(8).items()
    (other,) = named(systems.SYSTEMS, ["dctcp"])
    marks = {"markThresholdPackets": 8, "marking": None}
    assert marks.items() <= other.port_configuration(8).items()


def test_systems_are_chosen_by_name_in_their_own_order():
    chosen = command.parser().parse_args(["compare", "--systems", "sluice,nothing"])
    assert [each.name for each in named(systems.SYSTEMS, chosen.systems)] == ["nothing", "sluice"]


def test_control_is_rates_between_two_states():
    before = {"bytes": {"agents": 1000, "switches": 0}, "messages": 5}
    after = {"bytes": {"agents": 251_000, "switches": 5000}, "messages": 25}
    assert control_traffic.between(before, after, 10) == {
        "kilobitsPerSecond": {"agents": 200.0, "switches": 4.0},
        "messagesPerSecond": 2.0,
    }
