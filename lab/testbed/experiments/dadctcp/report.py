# SPDX-License-Identifier: Apache-2.0
"""The report: expectations, table, document and plot."""

from testbed.experiments.dadctcp.turns import (
    BBR,
    CUBIC,
    DADCTCP,
    DCTCP,
    mean_cpu_use,
    summaries,
)
from testbed.measure import quantiles
from testbed.report import plots
from testbed.report.expectations import at_least, verdict, within
from testbed.report.plots import plt

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
    for flows in dict.fromkeys(turn.flows for turn in turns):
        pairs = _pairs([turn for turn in turns if turn.flows == flows])
        if not pairs:
            continue
        of = f"{flows} flow{'s' if flows > 1 else ''}, {{}} of {len(pairs)} runs"
        median, worst = of.format("median"), of.format("worst")
        both = [turn for pair in pairs for turn in pair]
        goodput_parts = [ours.goodput_mbps / theirs.goodput_mbps for theirs, ours in pairs]
        found += [
            within(
                f"{median}: p99 round trip beyond DCTCP's, ms",
                quantiles.median(
                    [ours.round_trip(0.99) - theirs.round_trip(0.99) for theirs, ours in pairs]
                ),
                float("-inf"),
                packet_millis,
            ),
            at_least(
                f"{median}: goodput / DCTCP's",
                quantiles.median(goodput_parts),
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
    p50, p99 = (_shown(turn.round_trip(share)) for share in (0.50, 0.99))
    return (
        f"run {turn.number}, {turn.flows} x {turn.mode.name}: {turn.goodput_mbps:.1f} Mbit/s,"
        f" round trips p50 {p50}, p99 {p99} ms, sent again {turn.retransmits},"
        f" Jain {turn.jain or 0:.3f}, CE {turn.delivered_ce}, {turn.cpu}"
    )


def _shown(millis):
    return "-" if millis is None else f"{millis:.2f}"


def table(turns):
    """A row for each number of flows and mode: medians over runs."""
    lines = [
        f"{'flows':>5} {'':<9}{'goodput, Mbit/s':>16}{'p50, ms':>9}{'p99, ms':>9}"
        f"{'worst p99':>11}{'sent again':>12}{'least Jain':>12}"
    ]
    lines += [
        f"{each.flows:>5} {each.mode.name:<9}{each.goodput_mbps:>16.2f}{each.p50_millis:>9.2f}"
        f"{each.p99_millis:>9.2f}{each.most_p99_millis:>11.2f}{each.retransmits:>12g}"
        f"{each.jain:>12.3f}"
        for each in summaries(turns)
    ]
    return "\n".join(lines)


def document(experiment, turns, leftovers, judged, further):
    """The document of `--json FILE`; further: its fields about what was chosen."""
    cpu = mean_cpu_use(turns)
    return {
        "experiment": experiment,
        **further,
        **cpu.as_json(),
        "summaries": [_summary_as_json(each) for each in summaries(turns)],
        "turns": [_turn_as_json(turn) for turn in turns],
        "expectations": [each.as_json() for each in judged],
        "leftovers": leftovers,
        "verdict": verdict(judged, leftovers, cpu),
    }


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
    p50, p99 = (turn.round_trip(share) for share in (0.50, 0.99))
    return {
        "mode": turn.mode.name,
        "flows": turn.flows,
        "run": turn.number,
        "goodputMbps": round(turn.goodput_mbps, 3),
        "p50Millis": None if p50 is None else round(p50, 3),
        "p99Millis": None if p99 is None else round(p99, 3),
        "requests": len(turn.round_trip_millis) + turn.lost_requests,
        "lostRequests": turn.lost_requests,
        "jain": None if turn.jain is None else round(turn.jain, 4),
        "queue": turn.queue,
        **turn.cpu.as_json(),
        "connections": turn.connections,
    }


def draw(turns, title, path):
    """Round trips of all runs as distributions: a panel for each number of flows."""
    numbers = list(dict.fromkeys(turn.flows for turn in turns))
    figure, panels = plt.subplots(
        *(1, len(numbers)),
        figsize=(4 * len(numbers) + 0.6, 4.2),
        dpi=130,
        sharey=True,
        squeeze=False,
    )
    for axes, flows in zip(panels[0], numbers, strict=True):
        for each in summaries([turn for turn in turns if turn.flows == flows]):
            own = [turn for turn in turns if turn.flows == flows and turn.mode == each.mode]
            millis = [value for turn in own for value in turn.round_trip_millis]
            label = f"{each.mode.name} ({each.goodput_mbps:.1f} Mbit/s)"
            plots.draw_parts(axes, millis, color=COLOURS[each.mode], label=label)
        axes.set_title(f"{flows} flow{'s' if flows > 1 else ''}", fontsize=10)
        axes.set_xscale("log")
        axes.set_xlabel("round trip, ms")
        axes.set_ylim(0, 1)
        axes.grid(color="#cfcfcf", lw=0.5)
        axes.set_axisbelow(True)
        axes.legend(frameon=False, fontsize=7, loc="lower right")
        plots.hide_spines(axes)
    panels[0][0].set_ylabel("part of the requests")
    figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    figure.tight_layout()
    plots.save(figure, path)
