# SPDX-License-Identifier: Apache-2.0
"""The report on short flows: expectations, table, document and plot."""

from testbed.experiments.short_flows.turns import LAW, LEVELS, MODES, OFF, mean_cpu_use, summary
from testbed.report import plots
from testbed.report.expectations import below, verdict, within
from testbed.report.plots import plt

REQUEST_TIME_BELOW = 0.60  # of what it is without Sluice
BACKGROUND_DEVIATION = 0.10
COLOURS = {OFF: "#8a8a8a", LAW: "#edae49", LEVELS: "#0b6e99"}


def expected(turns):
    """With levels requests take at most so much of what they took, and nobody pays for it."""
    return _against_off(LEVELS, turns)


def aims(turns):
    """The same of the law alone: reported without deciding."""
    return _against_off(LAW, turns)


def _against_off(mode, turns):
    before, after = summary(OFF, turns), summary(mode, turns)
    return [
        below(
            f"{mode.name}: median request time / without Sluice",
            _ratio(after.median_millis, before.median_millis),
            REQUEST_TIME_BELOW,
        ),
        below(
            f"{mode.name}: p99 request time / without Sluice",
            _ratio(after.p99_millis, before.p99_millis),
            REQUEST_TIME_BELOW,
        ),
        within(
            f"{mode.name}: background goodput / without Sluice",
            _ratio(after.background_mbps, before.background_mbps),
            1 - BACKGROUND_DEVIATION,
            1 + BACKGROUND_DEVIATION,
        ),
    ]


def _ratio(value, reference):
    return None if value is None or not reference else value / reference


def document(experiment, onos_version, turns, leftovers, further):
    """The document of `--json FILE`."""
    judged = expected(turns)
    cpu = mean_cpu_use(turns)
    return {
        "experiment": experiment,
        "onosVersion": onos_version,
        **cpu.as_json(),
        **further,
        "modes": [_summary_as_json(summary(mode, turns)) for mode in MODES],
        "turns": [_turn_as_json(turn) for turn in turns],
        "leftovers": leftovers,
        "expectations": [each.as_json() for each in judged],
        "aims": [each.as_json() for each in aims(turns)],
        "verdict": verdict(judged, leftovers, cpu),
    }


def _summary_as_json(result):
    return {
        "name": result.mode.name,
        "enforcement": "on" if result.mode.enforced else "off",
        "levels": result.mode.levels,
        "requests": result.requests,
        "unanswered": result.unanswered,
        "medianMillis": _rounded(result.median_millis),
        "p95Millis": _rounded(result.p95_millis),
        "p99Millis": _rounded(result.p99_millis),
        "backgroundMbps": _rounded(result.background_mbps),
    }


def _turn_as_json(turn):
    return {
        "name": turn.mode.name,
        "round": turn.number,
        "seconds": turn.seconds,
        **turn.cpu.as_json(),
        "requestMillis": [_rounded(time) for time in turn.request_millis],
        "unanswered": turn.unanswered,
        "backgroundMbps": {host: _rounded(rate) for host, rate in turn.background_mbps.items()},
        "queue": turn.queue,
        "levels": turn.levels,
    }


def _rounded(value):
    return None if value is None else round(value, 3)


def table(turns):
    """A row per mode."""
    lines = [
        f"{'':<12}{'requests':>9}{'median, ms':>12}{'p95, ms':>9}{'p99, ms':>9}"
        f"{'background, Mbit/s':>20}{'queue p50':>11}{'p99':>5}"
    ]
    for mode in MODES:
        result = summary(mode, turns)
        queues = [turn.queue for turn in turns if turn.mode == mode]
        middle, high = (max(queue[key] or 0 for queue in queues) for key in QUEUE_KEYS)
        lines.append(
            f"{mode.name:<12}{result.requests:>9}{_shown(result.median_millis):>12}"
            f"{_shown(result.p95_millis):>9}{_shown(result.p99_millis):>9}"
            f"{result.background_mbps:>20.2f}{middle:>11}{high:>5}"
        )
    lines.append(
        "queue: packets that an arriving one found in its queue, the greatest of all turns"
    )
    return "\n".join(lines)


QUEUE_KEYS = ("p50Packets", "p99Packets")


def _shown(millis):
    return "-" if millis is None else f"{millis:.1f}"


def draw(turns, title, path):
    """The part of requests that took at most so long, for each mode."""
    figure, axes = plt.subplots(figsize=(7.5, 4.4), dpi=130)
    for mode in MODES:
        times = [time for turn in turns if turn.mode == mode for time in turn.request_millis]
        background = summary(mode, turns).background_mbps
        label = f"{mode.name} (background {background:.1f} Mbit/s)"
        plots.draw_parts(axes, times, color=COLOURS[mode], label=label)
    plots.label_request_times(axes)
    axes.legend(frameon=False, loc="lower right")
    figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    figure.tight_layout()
    plots.save(figure, path)
