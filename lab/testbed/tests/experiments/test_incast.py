# SPDX-License-Identifier: Apache-2.0
"""The incast: its transfers, how turns are summed up and judged."""

import types

import pytest

from testbed.cli import command
from testbed.experiments.incast import counters, report, turns
from testbed.experiments.incast.turns import (
    NOTHING,
    RSED,
    RSED_PRINTED,
    RSED_PRINTED_OUT,
    SED,
    SED_PRINTED,
)
from testbed.system.processors import CpuUse

MILLI = 1_000_000
START = 7 * MILLI
HOSTS = ("h1", "h2", "h3")
COUNTED = {
    "dropped": 9,
    "reported": 8,
    "unreported": 1,
    "sentAgain": 6,
    "duplicates": 3,
    "packetOuts": 2,
}


def flow(took_millis, *, timeouts=0, promised=True):
    last = None if took_millis is None else START + MILLI + took_millis * MILLI
    found = {
        "synNanos": START + MILLI,
        "lastByteNanos": last,
        "retransmits": 2,
        "timeouts": timeouts,
        "promised": promised,
    }
    return turns.result_of(turns.IncastFlow("h1", 0, 20_000, 400), found, START)


def turn(mode, flows, *, selective=False, senders=5, counted=COUNTED, goodput=40.0):
    return turns.Turn(
        mode=mode,
        selective=selective,
        senders=senders,
        number=1,
        flows=flows,
        goodput_mbps=goodput,
        counters=counted,
        seconds=2,
        cpu=CpuUse(0.5),
    )


def failing(*done):
    return [each.name for each in report.expected(done) if not each.holds]


def test_transfers_are_the_papers_with_deadlines_for_the_capacity():
    flows = turns.incast(7, HOSTS, 50)
    assert [each.size_bytes for each in flows] == [
        *(20_000, 60_000, 100_000, 140_000, 200_000),
        *(20_000, 60_000),
    ]
    assert [each.due_millis for each in flows[:5]] == [400, 600, 700, 800, 900]
    assert [each.host for each in flows] == ["h1", "h2", "h3", "h1", "h2", "h3", "h1"]
    assert [each.connection for each in flows] == [0, 0, 0, 1, 1, 1, 2]
    # No two have the same name.
    assert len({(each.host, each.connection) for each in flows}) == 7


def test_time_begins_with_the_syn():
    assert [flow(each).is_met for each in (400, 401, None)] == [True, False, False]
    assert flow(400).late_millis == 1


def test_goodput_ends_with_the_last_byte_of_all():
    # Two times 20 kB until 101 ms after the planned instant.
    assert turns.goodput_mbps([flow(50), flow(100)], START) == pytest.approx(0.32 / 0.101)
    assert turns.goodput_mbps([flow(50), flow(None)], START) is None


def test_a_mode_is_all_its_turns_with_sack_or_without():
    found = turns.summaries(
        [
            turn(SED, [flow(100, timeouts=1), flow(500)], goodput=10),
            turn(SED, [flow(500, promised=False)], goodput=20),
            turn(SED, [flow(100)], selective=True),
            turn(SED, [flow(100)], senders=20, goodput=None),
        ]
    )
    assert [(each.selective, each.transfers) for each in found] == [(False, 4), (True, 1)]
    first = found[0]
    assert (first.missed, first.promised, first.broken) == (2, 3, 1)
    assert (first.timeouts, first.retransmits) == (1, 8)
    assert first.goodput_mbps == {5: 15, 20: None}
    assert first.counters["sentAgain"] == 18


def test_timeouts_that_the_kernel_does_not_count_are_unknown():
    assert turns.summaries([turn(SED, [flow(100, timeouts=None)])])[0].timeouts is None


def test_rsed_spares_three_of_four_timeouts_and_misses_no_more():
    def printed(mode, timeouts, took=100, counted=COUNTED):
        return turn(mode, [flow(took, timeouts=timeouts)], counted=counted)

    assert failing(printed(SED_PRINTED, 8), printed(RSED_PRINTED, 2)) == []
    kind = "rsed-printed, no SACK: "
    assert failing(printed(SED_PRINTED, 8), printed(RSED_PRINTED, 3)) == [
        f"{kind}timeouts, of sed-printed's"
    ]
    # Without timeouts to spare there must be none.
    assert failing(printed(SED_PRINTED, 0), printed(RSED_PRINTED, 1)) == [
        f"{kind}timeouts, of sed-printed's"
    ]
    assert failing(printed(SED_PRINTED, 8), printed(RSED_PRINTED, 2, took=401)) == [
        f"{kind}missed beyond sed-printed's"
    ]
    unanswered = COUNTED | {"sentAgain": 0, "duplicates": 0}
    assert failing(printed(SED_PRINTED, 8), printed(RSED_PRINTED, 2, counted=unanswered)) == [
        f"{kind}packets sent again by agents",
        f"{kind}duplicate acknowledgements",
    ]
    # By packet-out Sluice has to have sent some itself.
    by_agents = COUNTED | {"packetOuts": 0}
    assert failing(printed(SED_PRINTED, 8), printed(RSED_PRINTED_OUT, 2, counted=by_agents)) == [
        "rsed-printed-packet-out, no SACK: packets sent again by packet-out"
    ]
    # Of a kernel that counts no timeouts nothing is known.
    assert failing(printed(SED_PRINTED, None), printed(RSED_PRINTED, 2)) == [
        f"{kind}timeouts, of sed-printed's"
    ]
    # What is compared has SACK both times, or neither.
    with_sack = turn(RSED_PRINTED, [flow(100, timeouts=99)], selective=True)
    assert failing(printed(SED_PRINTED, 8), with_sack) == []


def test_promises_bind_sluices_windows_alone():
    missed = [flow(500)]
    assert failing(turn(SED, missed), turn(RSED, missed)) == [
        "sed, no SACK: promises broken",
        "rsed, no SACK: promises broken",
    ]
    assert failing(turn(SED, [flow(500, promised=False)])) == []
    assert failing(turn(SED_PRINTED, missed), turn(NOTHING, missed)) == []


def test_sluices_properties():
    assert NOTHING.properties["enforcement"] == "off"
    assert SED_PRINTED.properties["windows"] == "sed"
    assert [mode.properties["lossAnswers"] for mode in (SED, RSED)] == ["off", "on"]


def test_table_document_and_plot(tmp_path):
    done = [
        turn(NOTHING, [flow(None)], goodput=None),
        turn(RSED, [flow(100)], selective=True, senders=20),
    ]
    rows = report.table(done).split("\n")
    assert rows[1].startswith("nothing, no SACK") and rows[1].endswith("      -      -")
    assert rows[2].startswith("rsed, SACK") and rows[2].endswith("      -   40.0")
    found = report.of("incast", done, {"bufferPackets": 20}, "title").document([])
    assert found["verdict"] == "pass" and found["summaries"][1]["counters"] == COUNTED
    assert found["turns"][0]["flows"][0]["tookMillis"] is None
    report.draw(done, "title", tmp_path / "incast.png")
    assert (tmp_path / "incast.png").stat().st_size > 0


def test_counters_are_all_agents():
    def agent(status):
        return types.SimpleNamespace(status=lambda: status)

    port = {"droppedPackets": 4, "reportedLosses": 3, "unreportedLosses": 0, "resentPackets": 2}
    host = {"flows": {"duplicateAcknowledgements": 3}}
    deployment = types.SimpleNamespace(
        port_agent=agent(port),
        host_agents={"h1": agent(host), "h2": agent(host)},
        sluice=types.SimpleNamespace(deadlines=lambda: {"losses": {"packetOuts": 5}}),
    )

    now = counters.read(deployment)
    assert now == {
        "dropped": 4,
        "reported": 3,
        "unreported": 0,
        "sentAgain": 2,
        "duplicates": 6,
        "packetOuts": 5,
    }
    assert counters.between(dict.fromkeys(now, 1), now)["duplicates"] == 5


@pytest.mark.parametrize(
    "option",
    [
        ("--senders", "5,0"),
        ("--senders", "5,,7"),
        ("--senders", "301"),
        ("--buffer", "4"),
        ("--turns", "sed,none"),
    ],
)
def test_bad_options_are_named(option, capsys):
    with pytest.raises(SystemExit):
        command.parser().parse_args(["incast", *option])
    assert f"argument {option[0]}: '" in capsys.readouterr().err
