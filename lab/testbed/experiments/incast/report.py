# SPDX-License-Identifier: Apache-2.0
"""The report on the incast: expectations, table, document and plot."""

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
from testbed.report import plots
from testbed.report.expectations import at_least, below, verdict
from testbed.report.plots import plt
from testbed.system import processors

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
    rate = "-" if turn.goodput_mbps is None else f"{turn.goodput_mbps:.1f}"
    counted = ", ".join(f"{key} {value}" for key, value in turn.counters.items() if value)
    return (
        f"{name(turn)}, {turn.senders} senders: {rate} Mbit/s, {missed} missed,"
        f" {timeouts} timeouts; {counted or 'nothing lost'}; {turn.cpu}"
    )


def table(turns):
    """A row for each mode with SACK and without."""
    found = summaries(turns)
    senders = list(dict.fromkeys(turn.senders for turn in turns))
    head = "".join(f"{f'{count}':>7}" for count in senders)
    lines = [
        f"{'':<34}{'missed':>12}{'broken':>12}{'timeouts':>9}{'retr.':>7}{'lost':>6}"
        f"{'again':>6}{'out':>6}{'dup.':>6}   goodput, Mbit/s:{head}"
    ]
    for each in found:
        rates = "".join(f"{_rate(each.goodput_mbps.get(count)):>7}" for count in senders)
        timeouts = "-" if each.timeouts is None else each.timeouts
        lines.append(
            f"{name(each):<34}{f'{each.missed} of {each.transfers}':>12}"
            f"{f'{each.broken} of {each.promised}':>12}{timeouts:>9}{each.retransmits:>7}"
            f"{each.counters['dropped']:>6}{each.counters['sentAgain']:>6}"
            f"{each.counters['packetOuts']:>6}"
            f"{each.counters['duplicates']:>6}{'':19}{rates}"
        )
    return "\n".join(lines)


def _rate(mbps):
    return "-" if mbps is None else f"{mbps:.1f}"


def document(experiment, version, turns, leftovers, further):
    """The document of `--json FILE`; further: its fields about what was chosen."""
    cpu = processors.mean_cpu_use([turn.cpu for turn in turns], [turn.seconds for turn in turns])
    return {
        "experiment": experiment,
        "onosVersion": version,
        **further,
        **cpu.as_json(),
        "turns": [_turn_as_json(turn) for turn in turns],
        "summaries": [_summary_as_json(each) for each in summaries(turns)],
        "expectations": [each.as_json() for each in expected(turns)],
        "leftovers": leftovers,
        "verdict": verdict(expected(turns), leftovers, cpu),
    }


def _kind_as_json(kind):
    return {"mode": kind.mode.name, "sack": kind.selective}


def _turn_as_json(turn):
    return {
        **_kind_as_json(turn),
        "senders": turn.senders,
        "round": turn.number,
        "goodputMbps": _rounded(turn.goodput_mbps),
        "counters": turn.counters,
        **turn.cpu.as_json(),
        "flows": [
            {
                "host": each.flow.host,
                "sizeBytes": each.flow.size_bytes,
                "dueMillis": each.flow.due_millis,
                "tookMillis": _rounded(each.took_millis),
                "beganLateMillis": _rounded(each.late_millis),
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
        "goodputMbps": {count: _rounded(mbps) for count, mbps in each.goodput_mbps.items()},
        "counters": each.counters,
    }


def _rounded(value):
    return None if value is None else round(value, 2)


def draw(turns, title, path):
    """A panel with SACK and one without: timeouts of a transfer, by the number of senders."""
    kinds = list(dict.fromkeys(turn.selective for turn in turns))
    figure, panels = plt.subplots(
        *(1, len(kinds)), figsize=(4.6 * len(kinds) + 0.6, 4.2), dpi=130, sharey=True, squeeze=False
    )
    for axes, selective in zip(panels[0], kinds, strict=True):
        _draw_panel(axes, [turn for turn in turns if turn.selective == selective])
        axes.set_title("SACK" if selective else "no SACK", fontsize=10)
    panels[0][0].set_ylabel("timeouts per transfer")
    handles, labels = panels[0][0].get_legend_handles_labels()
    columns = min(len(labels), LEGEND_COLUMNS) or 1
    figure.legend(handles, labels, loc="lower center", ncols=columns, frameon=False)
    figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    figure.tight_layout(rect=(0, 0.07 * -(-len(labels) // columns), 1, 1))
    plots.save(figure, path)


def _draw_panel(axes, turns):
    for mode in dict.fromkeys(turn.mode for turn in turns):
        points = {}
        for turn in turns:
            if turn.mode == mode:
                points.setdefault(turn.senders, []).extend(
                    flow.timeouts or 0 for flow in turn.flows
                )
        senders = sorted(points)
        means = [sum(points[count]) / len(points[count]) for count in senders]
        axes.plot(senders, means, marker="o", color=COLOURS.get(mode.name), label=mode.name)
    axes.set_xlabel("senders at once")
    axes.grid(color="#cfcfcf", lw=0.5)
    axes.set_axisbelow(True)
