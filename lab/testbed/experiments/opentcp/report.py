# SPDX-License-Identifier: Apache-2.0
"""The report on OpenTCP: expectations, tables, document and plot."""

from functools import partial

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
from testbed.measure.quantiles import mean
from testbed.report import plots
from testbed.report.expectations import at_least, below, within
from testbed.report.figures import ratio, rounded, shown
from testbed.report.report import Report
from testbed.report.table import Column, left, lines
from testbed.system import processors
from testbed.turns.turn import by, of_mode

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
# What each must achieve: OpenTCP2 gives no hints while an incast loses packets.
JUDGED = {(FAR, OPENTCP1), (FAR, OPENTCP2), (INCAST, OPENTCP1)}


def expected(turns, reversions, remaining):
    """Hints shorten flows, end within a cycle, and leave nothing."""
    found = [each for kind, each in _times_left(turns) if kind in JUDGED]
    for cause, own in by(reversions, "cause").items():
        found += [
            within(
                f"{cause}: defaults back after it is too much, s, worst",
                _worst([each.after_crossing_seconds for each in own]),
                0,
                own[0].cycle_seconds + ON_THE_WAY_SECONDS,
            ),
            at_least(
                f"{cause}: part of the times in which the other constraint was kept",
                mean([each.is_by_its_cause_alone for each in own]),
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
            before = by_kind[load, DEFAULTS].times.mean_millis
            part = ratio(each.times.mean_millis, before)
            name = f"{load.name}, {mode.name}: mean completion time, of defaults'"
            found.append(((load, mode), below(name, part, TIME_LEFT)))
    return found


def _worst(values):
    return None if None in values else max(values)


def line(turn):
    """A turn in one line."""
    millis = [flow.millis for flow in turn.flows]
    return (
        f"round {turn.number}, {turn.load.name}, {turn.mode.name}: {len(millis)} flows,"
        f" mean {shown(mean(millis))} ms, {turn.queue['droppedPackets']} packets dropped,"
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


COLUMNS = (
    left("", 20, lambda row: f"{row.load.name}, {row.mode.name}"),
    Column("flows", 6, lambda row: row.times.requests),
    Column("mean, ms", 10, lambda row: shown(row.times.mean_millis)),
    Column("median", 8, lambda row: shown(row.times.median_millis)),
    Column("p99", 8, lambda row: shown(row.times.p99_millis)),
    Column("timeouts", 10, lambda row: shown(row.timeouts, 0)),
    Column("retransmits", 13, lambda row: row.retransmits),
    Column("dropped", 9, lambda row: f"{row.dropped:.2%}"),
    Column("hinted", 8, lambda row: f"{row.hinted:.0%}"),
    left("   mean by size, KB", 0, lambda row: f"   {_by_size(row)}"),
)


def _by_size(row):
    means = row.mean_by_size.items()
    return ", ".join(f"{size // 1000}: {shown(millis)}" for size, millis in means)


def table(turns):
    """A row for each mode with each load."""
    return "\n".join(lines(COLUMNS, summaries(turns)))


def reversion_table(reversions):
    """A row for each measurement."""
    return "\n".join(reversion_line(each) for each in reversions)


def of(experiment, turns, reversions, remaining, chosen, title):
    """The Report; chosen: the document's fields about what was chosen."""
    return Report(
        experiment=experiment,
        chosen=chosen,
        measured={
            "summaries": [_summary_as_json(each) for each in summaries(turns)],
            "turns": [_turn_as_json(each) for each in turns],
            "reversions": [_reversion_as_json(each) for each in reversions],
            "remainingHints": remaining,
        },
        expected=expected(turns, reversions, remaining),
        aims=aims(turns),
        cpu=processors.mean_cpu_use([*turns, *reversions]),
        tables=[*([table(turns)] if turns else []), reversion_table(reversions)],
        draw=partial(draw, turns, title) if turns else None,
    )


def _summary_as_json(result):
    return {
        "load": result.load.name,
        "mode": result.mode.name,
        "flows": result.times.requests,
        "missing": result.times.unanswered,
        "meanMillis": rounded(result.times.mean_millis),
        "medianMillis": rounded(result.times.median_millis),
        "p99Millis": rounded(result.times.p99_millis),
        "meanMillisBySizeBytes": {
            str(size): rounded(millis) for size, millis in result.mean_by_size.items()
        },
        "retransmits": result.retransmits,
        "timeouts": result.timeouts,
        "droppedPart": round(result.dropped, 6),
        "hintedPart": rounded(result.hinted),
    }


def _turn_as_json(turn):
    return {
        "load": turn.load.name,
        "mode": turn.mode.name,
        "round": turn.number,
        "seconds": turn.seconds,
        **turn.cpu.as_json(),
        "hintedPart": rounded(turn.hinted),
        "queue": turn.queue,
        "flows": [
            {
                "sizeBytes": flow.size_bytes,
                "millis": rounded(flow.millis),
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
        "afterCrossingSeconds": rounded(measured.after_crossing_seconds),
        "afterBeginningSeconds": rounded(measured.after_beginning_seconds),
        "byItsCauseAlone": measured.is_by_its_cause_alone,
        "evidence": measured.evidence,
        **measured.cpu.as_json(),
    }


def draw(turns, title, path):
    """The part of flows that took at most so long, for each mode, a panel for each load."""
    by_load = by(turns, "load")
    figure, panels = plots.panels(len(by_load), 5.2)
    for axes, (load, own) in zip(panels, by_load.items(), strict=True):
        curves = [
            (
                [flow.millis for turn in of_mode(mode, own) for flow in turn.flows],
                {"color": COLOURS[mode], "label": mode.name},
            )
            for mode in MODES
        ]
        plots.draw_times(axes, curves, plots.REQUEST_TIMES)
        axes.set_title(load.name, loc="left", fontsize=10)
    panels[0].legend(frameon=False, loc="lower right")
    plots.finish(figure, title, path)
