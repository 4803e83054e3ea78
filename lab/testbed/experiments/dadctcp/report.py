# SPDX-License-Identifier: Apache-2.0
"""The report: expectations, table, document and plot."""

from functools import partial

from testbed.experiments.dadctcp.turns import (
    BBR,
    CUBIC,
    DADCTCP,
    DCTCP,
    summaries,
)
from testbed.measure.quantiles import median
from testbed.report import plots
from testbed.report.expectations import at_least, within
from testbed.report.figures import rounded, shown
from testbed.report.report import Report
from testbed.report.table import Column, left, lines
from testbed.system import processors
from testbed.turns.turn import by

LEAST_UTILISATION = 0.92  # goodput, of the link
LEAST_GOODPUT = 0.99  # of DCTCP's
MOST_SENT_AGAIN = 0.01
COLOURS = {CUBIC: "#8a8a8a", BBR: "#edae49", DCTCP: "#30638e", DADCTCP: "#00a08a"}


def expected(turns, capacity_mbps, packet_millis):
    """DA-DCTCP beside DCTCP by the median over repetitions; the rest has to hold in each of them.

    The turns of a repetition follow each other, so that differences are of one repetition. Pauses
    of the machine of some ms change a p99 of 3 s: the worst repetition would compare pauses.
    packet_millis: what a packet takes on the link, by less than which round trips do not differ.
    """
    found = []
    for flows, own in by(turns, "flows").items():
        pairs = _pairs(own)
        if not pairs:
            continue
        middle, worst = (
            f"{_flows(flows)}, {which} of {len(pairs)} runs" for which in ("median", "worst")
        )
        both = [turn for pair in pairs for turn in pair]
        goodput_parts = [ours.goodput_mbps / theirs.goodput_mbps for theirs, ours in pairs]
        found += [
            within(
                f"{middle}: p99 round trip beyond DCTCP's, ms",
                median([ours.round_trip(0.99) - theirs.round_trip(0.99) for theirs, ours in pairs]),
                float("-inf"),
                packet_millis,
            ),
            at_least(
                f"{middle}: goodput / DCTCP's",
                median(goodput_parts),
                LEAST_GOODPUT,
            ),
            at_least(
                f"{worst}: goodput of either / link",
                min(turn.goodput_mbps for turn in both) / capacity_mbps,
                LEAST_UTILISATION,
            ),
            within(
                f"{worst}: packets sent again by either / sent by the queue",
                max(turn.retransmits / turn.queue["sentPackets"] for turn in both),
                0,
                MOST_SENT_AGAIN,
            ),
            at_least(f"{worst}: packets delivered with CE", min(t.delivered_ce for t in both), 1),
        ]
    return found


def _pairs(turns):
    """(DCTCP's turn, DA-DCTCP's) of each repetition that has both."""
    theirs = {turn.number: turn for turn in turns if turn.mode == DCTCP}
    ours = {turn.number: turn for turn in turns if turn.mode == DADCTCP}
    return [(theirs[number], ours[number]) for number in theirs if number in ours]


def line(turn):
    """A turn in one line."""
    p50, p99 = (shown(turn.round_trip(share), 2) for share in (0.50, 0.99))
    return (
        f"run {turn.number}, {turn.flows} x {turn.mode.name}: {turn.goodput_mbps:.1f} Mbit/s,"
        f" round trips p50 {p50}, p99 {p99} ms, sent again {turn.retransmits},"
        f" Jain {turn.jain or 0:.3f}, CE {turn.delivered_ce}, {turn.cpu}"
    )


COLUMNS = (
    Column("flows", 5, lambda row: row.flows),
    left("", 10, lambda row: f" {row.mode.name}"),
    Column("goodput, Mbit/s", 16, lambda row: f"{row.goodput_mbps:.2f}"),
    Column("p50, ms", 9, lambda row: f"{row.p50_millis:.2f}"),
    Column("p99, ms", 9, lambda row: f"{row.p99_millis:.2f}"),
    Column("worst p99", 11, lambda row: f"{row.most_p99_millis:.2f}"),
    Column("sent again", 12, lambda row: row.retransmits),
    Column("least Jain", 12, lambda row: f"{row.jain:.3f}"),
)


def table(turns):
    """A row for each number of flows and mode: medians over runs."""
    return "\n".join(lines(COLUMNS, summaries(turns)))


def of(experiment, turns, judged, chosen, title):
    """The Report; judged: the expectations; chosen: the document's fields about what was chosen."""
    return Report(
        experiment=experiment,
        chosen=chosen,
        measured={
            "summaries": [_summary_as_json(each) for each in summaries(turns)],
            "turns": [_turn_as_json(turn) for turn in turns],
        },
        expected=judged,
        cpu=processors.mean_cpu_use(turns),
        tables=[table(turns)],
        draw=partial(draw, turns, title),
    )


def _summary_as_json(each):
    return {
        "mode": each.mode.name,
        "flows": each.flows,
        "goodputMbps": round(each.goodput_mbps, 3),
        "p50Millis": round(each.p50_millis, 3),
        "p99Millis": round(each.p99_millis, 3),
        "worstP99Millis": round(each.most_p99_millis, 3),
        "retransmits": each.retransmits,
        "leastJain": round(each.jain, 4),
    }


def _turn_as_json(turn):
    return {
        "mode": turn.mode.name,
        "flows": turn.flows,
        "run": turn.number,
        "goodputMbps": round(turn.goodput_mbps, 3),
        "p50Millis": rounded(turn.round_trip(0.50)),
        "p99Millis": rounded(turn.round_trip(0.99)),
        "requests": len(turn.round_trip_millis) + turn.lost_requests,
        "lostRequests": turn.lost_requests,
        "jain": rounded(turn.jain, 4),
        "queue": turn.queue,
        **turn.cpu.as_json(),
        "connections": turn.connections,
    }


def _flows(count):
    return f"{count} flow{'s' if count > 1 else ''}"


def draw(turns, title, path):
    """Round trips of all runs as distributions: a panel for each number of flows."""
    by_flows = by(turns, "flows")
    figure, panels = plots.panels(len(by_flows), 4, extra=0.6, sharey=True)
    for axes, (flows, own) in zip(panels, by_flows.items(), strict=True):
        goodputs = {each.mode: each.goodput_mbps for each in summaries(own)}
        curves = [
            (
                [millis for turn in some for millis in turn.round_trip_millis],
                {"color": COLOURS[mode], "label": f"{mode.name} ({goodputs[mode]:.1f} Mbit/s)"},
            )
            for mode, some in by(own, "mode").items()
        ]
        plots.draw_times(axes, curves, "round trip, ms")
        axes.set_title(_flows(flows), fontsize=10)
        axes.legend(frameon=False, fontsize=7, loc="lower right")
    plots.finish(figure, title, path)
