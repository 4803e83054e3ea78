# SPDX-License-Identifier: Apache-2.0
"""The report on the incast: expectations, table, document and plot."""

from functools import partial

from testbed.experiments.incast.turns import (
    AGENTS,
    NOTHING,
    RSED,
    RSED_OUT,
    RSED_PRINTED,
    RSED_PRINTED_OUT,
    SED,
    SED_PRINTED,
    summaries,
)
from testbed.measure.quantiles import mean
from testbed.report import plots
from testbed.report.expectations import at_least, below
from testbed.report.figures import rounded, shown
from testbed.report.report import Report
from testbed.report.table import Column, left, lines
from testbed.system import processors
from testbed.turns.turn import by

MOST_TIMEOUTS_LEFT = 0.25  # of SED's, with the windows as printed
LEGEND_COLUMNS = 4
COLOURS = {
    NOTHING.name: "#8a8a8a",
    SED_PRINTED.name: "#d1495b",
    RSED_PRINTED.name: "#edae49",
    SED.name: "#30638e",
    RSED.name: "#0b6e99",
    RSED_PRINTED_OUT.name: "#c98a0a",
    RSED_OUT.name: "#00bfa5",
}


def expected(turns):
    """RSED spares timeouts where windows as printed lose packets; Sluice's keep every promise."""
    found = []
    by_kind = {(each.mode, each.selective): each for each in summaries(turns)}
    for selective in dict.fromkeys(turn.selective for turn in turns):
        sed = by_kind.get((SED_PRINTED, selective))
        for mode in (RSED_PRINTED, RSED_PRINTED_OUT):
            rsed = by_kind.get((mode, selective))
            if sed and rsed:
                found += _expected_of_answers(sed, rsed)
        found += [
            below(f"{name(each)}: promises broken", each.broken, 1)
            for each in by_kind.values()
            if each.selective == selective and each.mode in (SED, RSED, RSED_OUT)
        ]
    return found


def _expected_of_answers(sed, rsed):
    """sed, rsed: their summaries with the windows as printed."""
    left = None
    if None not in (sed.timeouts, rsed.timeouts):
        left = rsed.timeouts / sed.timeouts if sed.timeouts else float(rsed.timeouts > 0)
    kind = name(rsed)
    by = "sentAgain" if rsed.mode.answers_by == AGENTS else "packetOuts"
    # With SACK they name what the receiver has named, which may be nothing all the time.
    duplicates = (
        []
        if rsed.selective
        else [at_least(f"{kind}: duplicate acknowledgements", rsed.counters["duplicates"], 1)]
    )
    return [
        below(f"{kind}: timeouts, of {sed.mode.name}'s", left, MOST_TIMEOUTS_LEFT + 1e-9),
        below(f"{kind}: missed beyond {sed.mode.name}'s", rsed.missed - sed.missed, 1),
        at_least(f"{kind}: packets sent again by {rsed.mode.answers_by}", rsed.counters[by], 1),
        *duplicates,
    ]


def name(kind):
    """What a Turn or a Summary is of."""
    return f"{kind.mode.name}, {'SACK' if kind.selective else 'no SACK'}"


def line(turn):
    """A turn in one line."""
    missed = sum(not flow.is_met for flow in turn.flows)
    timeouts = sum(flow.timeouts or 0 for flow in turn.flows)
    counted = ", ".join(f"{key} {value}" for key, value in turn.counters.items() if value)
    return (
        f"{name(turn)}, {turn.senders} senders: {shown(turn.goodput_mbps)} Mbit/s, {missed} missed,"
        f" {timeouts} timeouts; {counted or 'nothing lost'}; {turn.cpu}"
    )


COLUMNS = (
    left("", 34, name),
    Column("missed", 12, lambda row: f"{row.missed} of {row.transfers}"),
    Column("broken", 12, lambda row: f"{row.broken} of {row.promised}"),
    Column("timeouts", 9, lambda row: shown(row.timeouts, 0)),
    Column("retr.", 7, lambda row: row.retransmits),
    Column("lost", 6, lambda row: row.counters["dropped"]),
    Column("again", 6, lambda row: row.counters["sentAgain"]),
    Column("out", 6, lambda row: row.counters["packetOuts"]),
    Column("dup.", 6, lambda row: row.counters["duplicates"]),
    Column("goodput, Mbit/s:", 19, lambda row: ""),
)


def table(turns):
    """A row for each mode with SACK and without."""
    rates = [
        Column(senders, 7, lambda row, senders=senders: shown(row.goodput_mbps.get(senders)))
        for senders in by(turns, "senders")
    ]
    return "\n".join(lines([*COLUMNS, *rates], summaries(turns)))


def of(experiment, turns, chosen, title):
    """The Report; chosen: the document's fields about what was chosen."""
    return Report(
        experiment=experiment,
        chosen=chosen,
        measured={
            "turns": [_turn_as_json(turn) for turn in turns],
            "summaries": [_summary_as_json(each) for each in summaries(turns)],
        },
        expected=expected(turns),
        cpu=processors.mean_cpu_use(turns),
        tables=[table(turns)],
        draw=partial(draw, turns, title),
    )


def _kind_as_json(kind):
    return {"mode": kind.mode.name, "sack": kind.selective}


def _turn_as_json(turn):
    return {
        **_kind_as_json(turn),
        "senders": turn.senders,
        "round": turn.number,
        "goodputMbps": rounded(turn.goodput_mbps, 2),
        "counters": turn.counters,
        **turn.cpu.as_json(),
        "flows": [
            {
                "host": each.flow.host,
                "sizeBytes": each.flow.size_bytes,
                "dueMillis": each.flow.due_millis,
                "tookMillis": rounded(each.took_millis, 2),
                "beganLateMillis": rounded(each.late_millis, 2),
                "met": each.is_met,
                "promised": each.promised,
                "rejection": each.rejection,
                "retransmits": each.retransmits,
                "timeouts": each.timeouts,
            }
            for each in turn.flows
        ],
    }


def _summary_as_json(each):
    return {
        **_kind_as_json(each),
        "transfers": each.transfers,
        "missed": each.missed,
        "promised": each.promised,
        "promisesBroken": each.broken,
        "timeouts": each.timeouts,
        "retransmits": each.retransmits,
        "goodputMbps": {count: rounded(mbps, 2) for count, mbps in each.goodput_mbps.items()},
        "counters": each.counters,
    }


def draw(turns, title, path):
    """A panel with SACK and one without: timeouts of a transfer, by the number of senders."""
    kinds = by(turns, "selective")
    figure, panels = plots.panels(len(kinds), 4.6, extra=0.6, sharey=True)
    for axes, (selective, own) in zip(panels, kinds.items(), strict=True):
        _draw_panel(axes, own)
        axes.set_title("SACK" if selective else "no SACK", fontsize=10)
    panels[0].set_ylabel("timeouts per transfer")
    handles, labels = panels[0].get_legend_handles_labels()
    columns = min(len(labels), LEGEND_COLUMNS) or 1
    figure.legend(handles, labels, loc="lower center", ncols=columns, frameon=False)
    plots.finish(figure, title, path, bottom=0.07 * -(-len(labels) // columns))


def _draw_panel(axes, turns):
    for mode, own in by(turns, "mode").items():
        points = {
            senders: [flow.timeouts or 0 for turn in some for flow in turn.flows]
            for senders, some in sorted(by(own, "senders").items())
        }
        means = [mean(timeouts) for timeouts in points.values()]
        axes.plot(list(points), means, marker="o", color=COLOURS.get(mode.name), label=mode.name)
    axes.set_xlabel("senders at once")
    plots.draw_grid(axes)
