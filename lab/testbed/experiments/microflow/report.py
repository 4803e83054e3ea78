# SPDX-License-Identifier: Apache-2.0
"""The report on Micro-flow: expectations, table, document and plot."""

from functools import partial

from testbed.experiments.microflow.turns import (
    GENERATORS,
    H2LOAD,
    LAW,
    LEVELS,
    MICROFLOW,
    NO_CAPS,
    OFF,
    OWN,
    SLUICE_CAPS,
    TUNED_LEVELS,
    background_mbps,
    modes_of,
    request_millis,
    times,
    worst_cpu_use,
)
from testbed.report import plots
from testbed.report import table as tables
from testbed.report.expectations import at_least, below, within
from testbed.report.figures import ratio, rounded, shown
from testbed.report.report import Report
from testbed.report.table import Column, left
from testbed.system import processors
from testbed.turns.turn import of_mode

REQUEST_TIME_BELOW = 0.60  # of what it is without Sluice
BACKGROUND_DEVIATION = 0.10
TIMEOUT_BELOW_MILLIS = 101
OVERRUN_BELOW_MILLIS = 50  # the longest probing interval
COLOURS = {
    OFF: "#8a8a8a",
    LAW: "#edae49",
    LEVELS: "#3f8f5b",
    MICROFLOW: "#d1495b",
    SLUICE_CAPS: "#0b6e99",
    TUNED_LEVELS: "#7b5ea7",
}
QUEUE_KEYS = ("p50Packets", "p99Packets")
BAR_WIDTH = 0.7


def judged_modes(turns):
    """Micro-flow's: those with caps; where none ran, that with levels."""
    ran = modes_of(turns)
    return [mode for mode in ran if mode.caps != NO_CAPS] or [LEVELS] * (LEVELS in ran)


def expected(turns):
    """With Micro-flow pages take at most so much of what they took, and no other traffic loses."""
    judged = [each for mode in judged_modes(turns) for each in _against_off(mode, turns)]
    return judged + _caps(turns) + _thresholds(turns) + _dscps(turns)


def aims(turns):
    """The same of all other modes, and that there were caps: reported without deciding."""
    decided = judged_modes(turns)
    others = [mode for mode in modes_of(turns) if mode != OFF and mode not in decided]
    reported = [each for mode in others for each in _against_off(mode, turns)]
    return reported + [
        at_least(
            f"{mode.name}: times that a cap was set",
            sum(_times_capped(turn) for turn in of_mode(mode, turns)),
            1,
        )
        for mode in decided
        if mode.caps != NO_CAPS
    ]


def _against_off(mode, turns):
    judged = []
    for generator in GENERATORS:
        before, after = times(OFF, turns, generator), times(mode, turns, generator)
        for name, late, early in (
            ("median", after.median_millis, before.median_millis),
            ("p99", after.p99_millis, before.p99_millis),
        ):
            judged.append(
                below(
                    f"{mode.name}, {generator}: {name} request time / without Sluice",
                    ratio(late, early),
                    REQUEST_TIME_BELOW,
                )
            )
    judged.append(
        within(
            f"{mode.name}: background goodput / without Sluice",
            ratio(background_mbps(mode, turns), background_mbps(OFF, turns)),
            1 - BACKGROUND_DEVIATION,
            1 + BACKGROUND_DEVIATION,
        )
    )
    return judged


def _caps(turns):
    """Caps last no longer than they may; no expectation where none was set."""
    caps = [each for turn in turns for each in turn.caps.values() if each.times]
    if not caps:
        return []
    return [
        below(
            "longest timeout of a cap, ms",
            max(each.timeout_millis for each in caps),
            TIMEOUT_BELOW_MILLIS,
        ),
        below(
            "longest that a cap outlived its timeout, ms",
            max(each.overrun_millis for each in caps),
            OVERRUN_BELOW_MILLIS,
        ),
    ]


def _thresholds(turns):
    """Sluice's thresholds are in force where it tunes them."""
    hosts = [host for turn in turns if turn.mode.tuned for host in turn.thresholds.values()]
    if not hosts:
        return []
    decided = sum(host["decided"] for host in hosts)
    return [at_least("agents with thresholds that Sluice tuned / all", decided / len(hosts), 1)]


def _times_capped(turn):
    """By port agents as sampled at their queues; by meters as the journal has it."""
    sampled = sum(caps.times for caps in turn.caps.values())
    entries = turn.controller.get("journal", [])
    return sampled or sum("by a meter" in entry["decision"] for entry in entries)


def _dscps(turns):
    """No machine sees a level's DSCP; that wires do shows that it would have been counted."""
    seen = [sum(dscps.values()) for turn in turns for dscps in turn.machine_dscps.values()]
    judged = [below("packets with a DSCP that reached machines", sum(seen), 1)]
    with_levels = [turn.wire_dscps for turn in turns if turn.mode.levels]
    if with_levels:
        fewest = min(sum(dscps.values()) for wires in with_levels for dscps in wires.values())
        judged.append(at_least("packets with a DSCP on each wire, with levels", fewest, 1))
    return judged


def of(experiment, turns, chosen, title):
    """The Report; chosen: the document's fields about what was chosen."""
    return Report(
        experiment=experiment,
        chosen=chosen,
        measured={
            "modes": [_mode_as_json(mode, turns) for mode in modes_of(turns)],
            "turns": [_turn_as_json(turn) for turn in turns],
        },
        expected=expected(turns),
        aims=aims(turns),
        cpu=processors.mean_cpu_use(turns),
        judged_cpu=worst_cpu_use(turns),
        tables=[table(turns)],
        draw=partial(draw, turns, title),
    )


def _mode_as_json(mode, turns):
    return {
        "name": mode.name,
        "enforcement": "on" if mode.enforced else "off",
        "levels": mode.levels,
        "caps": mode.caps,
        "tuned": mode.tuned,
        **processors.mean_cpu_use(of_mode(mode, turns)).as_json(),
        "requests": {
            generator: times(mode, turns, generator).as_json() for generator in GENERATORS
        },
        "backgroundMbps": rounded(background_mbps(mode, turns)),
    }


def _turn_as_json(turn):
    return {
        "name": turn.mode.name,
        "round": turn.number,
        "seconds": turn.seconds,
        **turn.cpu.as_json(),
        "requests": [
            {
                "generator": each.generator,
                "server": each.server,
                "millis": [rounded(time) for time in each.millis],
                "unanswered": each.unanswered,
            }
            for each in turn.requests
        ],
        "backgroundMbps": {host: rounded(rate) for host, rate in turn.background_mbps.items()},
        "utilisation": {wire: rounded(share) for wire, share in turn.utilisation.items()},
        "queues": turn.queues,
        "levels": turn.levels,
        "caps": {wire: caps.as_json() for wire, caps in turn.caps.items()},
        "controller": turn.controller,
        "thresholds": turn.thresholds,
        "dscps": {"machines": turn.machine_dscps, "wires": turn.wire_dscps},
    }


def table(turns):
    """A row per mode and generator; what concerns both is in the first one's."""

    def once(text):
        return lambda row: text(row[0]) if row[1] == OWN else ""

    def of_times(text):
        return lambda row: text(times(row[0], turns, row[1]))

    columns = [
        left("", 13, once(lambda mode: mode.name)),
        left("by", 8, lambda row: row[1]),
        Column("requests", 9, of_times(lambda found: found.requests)),
        Column("median, ms", 12, of_times(lambda found: shown(found.median_millis))),
        Column("p95, ms", 9, of_times(lambda found: shown(found.p95_millis))),
        Column("p99, ms", 9, of_times(lambda found: shown(found.p99_millis))),
        Column("background, Mbit/s", 20, once(lambda mode: shown(background_mbps(mode, turns), 2))),
        *(
            Column(
                f"queue {wire}",
                15,
                once(lambda mode, at=wire: _queue(of_mode(mode, turns), at)),
            )
            for wire in turns[0].queues
        ),
    ]
    rows = [(mode, generator) for mode in modes_of(turns) for generator in GENERATORS]
    lines = tables.lines(columns, rows)
    lines += [
        f"{turn.mode.name}, round {turn.number}, {wire}: {caps.times} times a cap,"
        f" {caps.capped_share:.1%} of the time"
        for turn in turns
        for wire, caps in turn.caps.items()
        if caps.times
    ]
    lines += [
        f"{turn.mode.name}, round {turn.number}: thresholds of"
        f" {sorted({tuple(host['thresholdBytes']) for host in turn.thresholds.values()})} bytes"
        for turn in turns
        if turn.mode.tuned
    ]
    lines += [
        "by own: from the SYN, at random instants; by h2load: from the request, at even ones",
        "queue: packets that an arriving one found in its queue, p50 / p99, greatest of all turns",
    ]
    return "\n".join(lines)


def line(turn):
    """A turn in a line, for progress."""
    parts = []
    for generator in GENERATORS:
        result = times(turn.mode, [turn], generator)
        parts.append(f"{generator} {shown(result.median_millis)} ms")
    background = sum(turn.background_mbps.values())
    return f"pages {', '.join(parts)}, background {background:.1f} Mbit/s, {turn.cpu}"


def _queue(turns, wire):
    middle, high = (max(turn.queues[wire][key] or 0 for turn in turns) for key in QUEUE_KEYS)
    return f"{middle} / {high}"


def draw(turns, title, path):
    """Left the part of requests that took at most so long, right what long flows got."""
    figure, (left_axes, right_axes) = plots.panels(2, 5, height=4.4, width_ratios=(2.4, 1))
    ran = modes_of(turns)
    curves = [
        (
            request_millis(mode, turns, generator),
            {
                "color": COLOURS[mode],
                "ls": style,
                "label": mode.name if generator == OWN else None,
            },
        )
        for mode in ran
        for generator, style in ((OWN, "-"), (H2LOAD, ":"))
    ]
    plots.draw_times(left_axes, curves, plots.REQUEST_TIMES)
    left_axes.legend(frameon=False, loc="lower right", title="dotted: h2load's, from the request")
    for place, mode in enumerate(ran):
        right_axes.bar(place, background_mbps(mode, turns), BAR_WIDTH, color=COLOURS[mode])
    right_axes.set_xticks(range(len(ran)), [mode.name for mode in ran], rotation=30, ha="right")
    right_axes.set_ylabel("goodput of long flows, Mbit/s")
    plots.draw_grid(right_axes, axis="y")
    plots.hide_spines(right_axes)
    plots.finish(figure, title, path)
