# SPDX-License-Identifier: Apache-2.0
"""The report on deadlines: expectations, table, document and plot."""

from functools import partial

from testbed.experiments.deadlines.small_scenario import MODES, WITH, WITHOUT
from testbed.measure.quantiles import mean, median
from testbed.report import plots
from testbed.report.expectations import below, within
from testbed.report.figures import rounded, shown
from testbed.report.plots import plt
from testbed.report.report import Report
from testbed.system import processors
from testbed.turns.turn import by, of_mode

# One repetition may fail, which is reported, if there are enough for that to be an exception.
MISSES_ALLOWED, FROM_REPETITIONS = 1, 5
# A SYN, a FIN, and what leaves in one super-packet with the FIN.
MOST_PACKET_INS = 50
COLOURS = {WITHOUT: "#8a8a8a", WITH: "#0b6e99"}
OFFSETS = {WITHOUT: -0.16, WITH: 0.16}


def expected(turns):
    """Every deadline promised, and met but in one repetition; the endless flow not starved."""
    with_sluice = of_mode(WITH, turns)
    missed = sum(not each.is_met for each in with_sluice)
    allowed = MISSES_ALLOWED if len(with_sluice) >= FROM_REPETITIONS else 0
    refused = sum(not result.promised for each in with_sluice for result in each.flows)
    starved = sum(each.endless.starved_bins for each in with_sluice)
    bins = sum(each.endless.bins for each in with_sluice)
    return [
        below("with Sluice: repetitions with a missed deadline", missed, allowed + 1),
        below("with Sluice: deadlines that were not promised", refused, 1),
        below(
            "with Sluice: 100 ms in which the endless flow had less than a segment per round trip",
            starved if bins else None,
            1,
        ),
    ]


def expected_of_switches(observed):
    """A beginning and an end of every registered flow, few other packets, and no rule left."""
    count = observed["registered"]
    return [
        within("switches: connections seen to begin", observed["beginnings"], count, count),
        within("switches: connections seen to end", observed["ends"], count, count),
        below(
            "switches: packet-ins per connection", observed["packetIns"] / count, MOST_PACKET_INS
        ),
        below("switches: rules left", observed["rulesLeft"], 1),
    ]


def line(turn):
    """A turn in one line."""
    outcomes = ", ".join(
        f"{each.flow.number} {'met' if each.is_met else 'MISSED'} {shown(each.took_millis, 0)}"
        for each in turn.flows
    )
    return f"{turn.congestion_control} {turn.number}, {turn.mode.name}: {outcomes} ms"


def table(turns):
    """A row per flow: how often it was met, and how long it took; then the endless flow's."""
    lines = [
        f"{'':<8}{'':<16}{'flow':>5}{'kB':>7}{'due, ms':>9}{'met':>8}{'median':>9}{'slowest':>9}"
    ]
    for (control, mode), own in by(turns, "congestion_control", "mode").items():
        first = f"{control:<8}{mode.name:<16}"
        for results in zip(*(turn.flows for turn in own), strict=True):
            took = [each.took_millis for each in results if each.took_millis is not None]
            slowest = shown(max(took), 0) if len(took) == len(results) else "never"
            flow = results[0].flow
            met = f"{sum(each.is_met for each in results)} of {len(results)}"
            lines.append(
                f"{first:<24}{flow.number:>5}{flow.size_bytes / 1e3:>7.0f}{flow.due_millis:>9}"
                f"{met:>8}{shown(median(took), 0):>9}{slowest:>9}"
            )
            first = ""
        lines.append(f"{'':<24}{_endless_line([each.endless for each in own])}")
    return "\n".join(lines)


def _endless_line(results):
    rate = mean([each.mbps for each in results])
    starved, bins = (
        sum(getattr(each, name) for each in results) for name in ("starved_bins", "bins")
    )
    return f"endless flow: {rate:.1f} Mbit/s, starved in {starved} of {bins} times 100 ms"


def of(experiment, turns, observed, chosen, title):
    """The Report; observed: by switches, None without; chosen: the document's fields about that."""
    return Report(
        experiment=experiment,
        chosen=chosen,
        measured={
            "seenBySwitches": observed,
            "repetitions": [as_json(turn) for turn in turns],
        },
        expected=expected(turns) + (expected_of_switches(observed) if observed else []),
        cpu=processors.mean_cpu_use(turns),
        tables=[table(turns)],
        draw=partial(draw, turns, title),
    )


def as_json(turn):
    """A turn in the document of `--json FILE`."""
    endless = turn.endless
    return {
        "congestionControl": turn.congestion_control,
        "sluice": turn.mode.with_sluice,
        "met": turn.is_met,
        "flows": [
            {
                "flow": result.flow.number,
                "sizeBytes": result.flow.size_bytes,
                "dueMillis": result.flow.due_millis,
                "tookMillis": rounded(result.took_millis, 2),
                "met": result.is_met,
                "retransmits": result.retransmits,
                "promised": result.promised,
                "finalState": result.final_state,
                "beganLateMillis": rounded(result.late_millis, 2),
            }
            for result in turn.flows
        ],
        "endless": {
            "mbps": round(endless.mbps, 3),
            "bins": endless.bins,
            "starvedBins": endless.starved_bins,
            "worstBinShare": rounded(endless.worst_bin_share, 2),
        },
    }


def draw(turns, title, path):
    """A panel per congestion control: when each flow was complete, against its deadline."""
    by_control = by(turns, "congestion_control")
    figure, panels = plots.panels(len(by_control), 4.2, extra=0.6, sharey=True)
    for axes, (control, own) in zip(panels, by_control.items(), strict=True):
        _draw_panel(axes, own)
        axes.set_title(control, fontsize=10)
    panels[0].set_ylabel("flow")
    handles = [
        plt.Line2D([], [], color=COLOURS[mode], marker="o", ls="", label=mode.name)
        for mode in MODES
    ]
    handles.append(plt.Line2D([], [], color="#d1495b", lw=2, label="deadline"))
    figure.legend(handles=handles, loc="lower center", ncols=3, frameon=False)
    plots.finish(figure, title, path, bottom=0.07)


def _draw_panel(axes, turns):
    for mode, own in by(turns, "mode").items():
        arrived = [
            result for turn in own for result in turn.flows if result.took_millis is not None
        ]
        axes.plot(
            [result.took_millis for result in arrived],
            [result.flow.number + OFFSETS[mode] for result in arrived],
            "o",
            color=COLOURS[mode],
            ms=5,
            alpha=0.6,
        )
    flows = [result.flow for result in turns[0].flows]
    for flow in flows:
        ends = [flow.number - 0.36, flow.number + 0.36]
        axes.plot([flow.due_millis] * 2, ends, color="#d1495b", lw=2)
    axes.set_yticks([flow.number for flow in flows])
    axes.set_xlabel("ms from the SYN to the last byte")
    axes.set_xscale("log")
    axes.invert_yaxis()
    plots.draw_grid(axes)
