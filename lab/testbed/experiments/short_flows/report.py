# SPDX-License-Identifier: Apache-2.0
"""The report on short flows: expectations, table, document and plot."""

from functools import partial

from testbed.experiments.short_flows.turns import LAW, LEVELS, MODES, OFF, request_millis, summary
from testbed.report import plots
from testbed.report.expectations import below, within
from testbed.report.figures import ratio, rounded, shown
from testbed.report.report import Report
from testbed.report.table import Column, left, lines
from testbed.system import processors
from testbed.turns.turn import of_mode

REQUEST_TIME_BELOW = 0.60  # of what it is without Sluice
BACKGROUND_DEVIATION = 0.10
COLOURS = {OFF: "#8a8a8a", LAW: "#edae49", LEVELS: "#0b6e99"}


def expected(turns):
    """With levels requests take at most so much of what they took, and no other traffic loses."""
    return _against_off(LEVELS, turns)


def aims(turns):
    """The same of the law alone: reported without deciding."""
    return _against_off(LAW, turns)


def _against_off(mode, turns):
    before, after = summary(OFF, turns), summary(mode, turns)
    return [
        below(
            f"{mode.name}: median request time / without Sluice",
            ratio(after.times.median_millis, before.times.median_millis),
            REQUEST_TIME_BELOW,
        ),
        below(
            f"{mode.name}: p99 request time / without Sluice",
            ratio(after.times.p99_millis, before.times.p99_millis),
            REQUEST_TIME_BELOW,
        ),
        within(
            f"{mode.name}: background goodput / without Sluice",
            ratio(after.background_mbps, before.background_mbps),
            1 - BACKGROUND_DEVIATION,
            1 + BACKGROUND_DEVIATION,
        ),
    ]


def of(experiment, turns, chosen, title):
    """The Report; chosen: the document's fields about what was chosen."""
    return Report(
        experiment=experiment,
        chosen=chosen,
        measured={
            "modes": [_summary_as_json(summary(mode, turns)) for mode in MODES],
            "turns": [_turn_as_json(turn) for turn in turns],
        },
        expected=expected(turns),
        aims=aims(turns),
        cpu=processors.mean_cpu_use(turns),
        tables=[table(turns)],
        draw=partial(draw, turns, title),
    )


def _summary_as_json(result):
    return {
        "name": result.mode.name,
        "enforcement": "on" if result.mode.enforced else "off",
        "levels": result.mode.levels,
        **result.times.as_json(),
        "backgroundMbps": rounded(result.background_mbps),
    }


def _turn_as_json(turn):
    return {
        "name": turn.mode.name,
        "round": turn.number,
        "seconds": turn.seconds,
        **turn.cpu.as_json(),
        "requestMillis": [rounded(time) for time in turn.request_millis],
        "unanswered": turn.unanswered,
        "backgroundMbps": {host: rounded(rate) for host, rate in turn.background_mbps.items()},
        "queue": turn.queue,
        "levels": turn.levels,
    }


def line(turn):
    """A turn in a line."""
    background = sum(turn.background_mbps.values())
    times = summary(turn.mode, [turn]).times
    return (
        f"requests {shown(times.median_millis)} ms, background {background:.1f} Mbit/s, {turn.cpu}"
    )


def table(turns):
    """A row per mode."""

    def greatest(key):
        return lambda row: max(turn.queue[key] or 0 for turn in of_mode(row.mode, turns))

    columns = (
        left("", 12, lambda row: row.mode.name),
        Column("requests", 9, lambda row: row.times.requests),
        Column("median, ms", 12, lambda row: shown(row.times.median_millis)),
        Column("p95, ms", 9, lambda row: shown(row.times.p95_millis)),
        Column("p99, ms", 9, lambda row: shown(row.times.p99_millis)),
        Column("background, Mbit/s", 20, lambda row: shown(row.background_mbps, 2)),
        Column("queue p50", 11, greatest("p50Packets")),
        Column("p99", 5, greatest("p99Packets")),
    )
    note = "queue: packets that an arriving one found in its queue, the greatest of all turns"
    return "\n".join([*lines(columns, [summary(mode, turns) for mode in MODES]), note])


def draw(turns, title, path):
    """The part of requests that took at most so long, for each mode."""
    figure, (axes,) = plots.panels(1, 7.5, height=4.4)
    curves = []
    for mode in MODES:
        background = summary(mode, turns).background_mbps
        label = f"{mode.name} (background {background:.1f} Mbit/s)"
        curves.append(
            (request_millis(of_mode(mode, turns)), {"color": COLOURS[mode], "label": label})
        )
    plots.draw_times(axes, curves, plots.REQUEST_TIMES)
    axes.legend(frameon=False, loc="lower right")
    plots.finish(figure, title, path)
