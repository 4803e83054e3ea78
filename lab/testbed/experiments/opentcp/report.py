# SPDX-License-Identifier: Apache-2.0
"""The report on OpenTCP: expectations, tables, document and plot."""

from testbed.experiments.opentcp.loads import FAR, INCAST
from testbed.experiments.opentcp.turns import (
    DEFAULTS,
    MODES,
    OPENTCP1,
    OPENTCP2,
    RTO_MIN_ALONE,
    WINDOW_ALONE,
    summaries,
)
from testbed.report import plots
from testbed.report.expectations import at_least, below, verdict, within
from testbed.report.plots import plt
from testbed.system import processors

TIME_LEFT = 0.70  # of what flows take with defaults, in the mean
# Beyond the cycle: counters are read before its end, and hints have a way to hosts.
ON_THE_WAY_SECONDS = 0.1
COLOURS = {
    DEFAULTS: "#8a8a8a",
    WINDOW_ALONE: "#edae49",
    RTO_MIN_ALONE: "#30638e",
    OPENTCP1: "#0b6e99",
    OPENTCP2: "#d1495b",
}
# What each is asked for: OpenTCP2 gives no hints while an incast loses packets.
JUDGED = {(FAR, OPENTCP1), (FAR, OPENTCP2), (INCAST, OPENTCP1)}


def expected(turns, reversions, remaining):
    """Hints shorten flows, end within a cycle, and leave nothing."""
    found = [each for kind, each in _times_left(turns) if kind in JUDGED]
    for cause in dict.fromkeys(each.cause for each in reversions):
        own = [each for each in reversions if each.cause == cause]
        found += [
            within(
                f"{cause}: defaults back after it is too much, s, worst",
                _worst([each.after_crossing_seconds for each in own]),
                0,
                own[0].cycle_seconds + ON_THE_WAY_SECONDS,
            ),
            at_least(
                f"{cause}: part of the times in which the other constraint was kept",
                sum(each.is_by_its_cause_alone for each in own) / len(own),
                1,
            ),
        ]
    found.append(below("machines whose routes keep hints without policies", len(remaining), 1))
    return found


def aims(turns):
    """The same of single hints, and of OpenTCP2 in an incast: reported without deciding."""
    return [each for kind, each in _times_left(turns) if kind not in JUDGED]


def _times_left(turns):
    """[((load, mode), Expectation)] of all modes but the defaults."""
    by_kind = {(each.load, each.mode): each for each in summaries(turns)}
    found = []
    for (load, mode), each in by_kind.items():
        if mode != DEFAULTS:
            before = by_kind[load, DEFAULTS].mean_millis
            left = each.mean_millis / before if each.mean_millis and before else None
            name = f"{load.name}, {mode.name}: mean completion time, of defaults'"
            found.append(((load, mode), below(name, left, TIME_LEFT)))
    return found


def _worst(values):
    return None if None in values else max(values)


def line(turn):
    """A turn in one line."""
    millis = sorted(flow.millis for flow in turn.flows)
    mean = sum(millis) / len(millis) if millis else float("nan")
    return (
        f"round {turn.number}, {turn.load.name}, {turn.mode.name}: {len(millis)} flows,"
        f" mean {mean:.1f} ms, {turn.queue['droppedPackets']} packets dropped,"
        f" hints in force {turn.hinted:.0%}; {turn.cpu}"
    )


def reversion_line(measured):
    """A Reversion in one line."""
    return (
        f"round {measured.number}, {measured.cause}: defaults back"
        f" {_seconds(measured.after_crossing_seconds)} after it was too much,"
        f" {_seconds(measured.after_beginning_seconds)} after it began; {measured.cpu}"
    )


def _seconds(value):
    return "-" if value is None else f"{value:.2f} s"


def table(turns):
    """A row for each mode with each load."""
    lines = [
        f"{'':<20}{'flows':>6}{'mean, ms':>10}{'median':>8}{'p99':>8}{'timeouts':>10}"
        f"{'retransmits':>13}{'dropped':>9}{'hinted':>8}   mean by size, KB"
    ]
    for each in summaries(turns):
        sizes = ", ".join(
            f"{size // 1000}: {_shown(millis)}" for size, millis in each.mean_by_size.items()
        )
        timeouts = "-" if each.timeouts is None else each.timeouts
        lines.append(
            f"{f'{each.load.name}, {each.mode.name}':<20}{each.flows:>6}"
            f"{_shown(each.mean_millis):>10}{_shown(each.median_millis):>8}"
            f"{_shown(each.p99_millis):>8}{timeouts:>10}{each.retransmits:>13}"
            f"{each.dropped:>9.2%}{each.hinted:>8.0%}   {sizes}"
        )
    return "\n".join(lines)


def reversion_table(reversions):
    """A row for each measurement."""
    return "\n".join(reversion_line(each) for each in reversions)


def _shown(millis):
    return "-" if millis is None else f"{millis:.1f}"


def document(experiment, version, turns, reversions, remaining, leftovers, further):
    """The document of `--json FILE`; further: its fields about what was chosen."""
    measured = [*turns, *reversions]
    cpu = processors.mean_cpu_use([each.cpu for each in measured], [m.seconds for m in measured])
    judged = expected(turns, reversions, remaining)
    return {
        "experiment": experiment,
        "onosVersion": version,
        **further,
        **cpu.as_json(),
        "summaries": [_summary_as_json(each) for each in summaries(turns)],
        "turns": [_turn_as_json(each) for each in turns],
        "reversions": [_reversion_as_json(each) for each in reversions],
        "remainingHints": remaining,
        "leftovers": leftovers,
        "expectations": [each.as_json() for each in judged],
        "aims": [each.as_json() for each in aims(turns)],
        "verdict": verdict(judged, leftovers, cpu),
    }


def _summary_as_json(result):
    return {
        "load": result.load.name,
        "mode": result.mode.name,
        "flows": result.flows,
        "missing": result.missing,
        "meanMillis": _rounded(result.mean_millis),
        "medianMillis": _rounded(result.median_millis),
        "p99Millis": _rounded(result.p99_millis),
        "meanMillisBySizeBytes": {
            str(size): _rounded(millis) for size, millis in result.mean_by_size.items()
        },
        "retransmits": result.retransmits,
        "timeouts": result.timeouts,
        "droppedPart": round(result.dropped, 6),
        "hintedPart": _rounded(result.hinted),
    }


def _turn_as_json(turn):
    return {
        "load": turn.load.name,
        "mode": turn.mode.name,
        "round": turn.number,
        "seconds": turn.seconds,
        **turn.cpu.as_json(),
        "hintedPart": _rounded(turn.hinted),
        "queue": turn.queue,
        "flows": [
            {
                "sizeBytes": flow.size_bytes,
                "millis": _rounded(flow.millis),
                "arrived": flow.has_arrived,
                "retransmits": flow.retransmits,
                "timeouts": flow.timeouts,
            }
            for flow in turn.flows
        ],
    }


def _reversion_as_json(measured):
    return {
        "cause": measured.cause,
        "round": measured.number,
        "afterCrossingSeconds": _rounded(measured.after_crossing_seconds),
        "afterBeginningSeconds": _rounded(measured.after_beginning_seconds),
        "byItsCauseAlone": measured.is_by_its_cause_alone,
        "evidence": measured.evidence,
        **measured.cpu.as_json(),
    }


def _rounded(value):
    return None if value is None else round(value, 3)


def draw(turns, title, path):
    """The part of flows that took at most so long, for each mode, a panel for each load."""
    loads = list(dict.fromkeys(turn.load for turn in turns))
    figure, panels = plt.subplots(
        1, len(loads), figsize=(5.2 * len(loads), 4.2), dpi=130, squeeze=False
    )
    for axes, load in zip(panels[0], loads, strict=True):
        for mode in MODES:
            millis = [
                flow.millis
                for turn in turns
                if (turn.load, turn.mode) == (load, mode)
                for flow in turn.flows
            ]
            if millis:
                plots.draw_parts(axes, millis, color=COLOURS[mode], label=mode.name)
        plots.label_request_times(axes)
        axes.set_title(load.name, loc="left", fontsize=10)
    panels[0][0].legend(frameon=False, loc="lower right")
    figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    figure.tight_layout()
    plots.save(figure, path)
