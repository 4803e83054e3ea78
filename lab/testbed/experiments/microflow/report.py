# SPDX-License-Identifier: Apache-2.0
"""The report on Micro-flow: expectations, table, document and plot."""

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
    mean_cpu_use,
    modes_of,
    request_millis,
    times,
    worst_cpu_use,
)
from testbed.report import plots
from testbed.report.expectations import at_least, below, verdict, within
from testbed.report.plots import plt

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
    """With Micro-flow pages take at most so much of what they took, and nobody pays for it."""
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
            sum(_times_capped(turn) for turn in turns if turn.mode == mode),
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
                    _ratio(late, early),
                    REQUEST_TIME_BELOW,
                )
            )
    judged.append(
        within(
            f"{mode.name}: background goodput / without Sluice",
            _ratio(background_mbps(mode, turns), background_mbps(OFF, turns)),
            1 - BACKGROUND_DEVIATION,
            1 + BACKGROUND_DEVIATION,
        )
    )
    return judged


def _caps(turns):
    """Caps last no longer than they may; says nothing where none was set."""
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


def _ratio(value, reference):
    return None if value is None or not reference else value / reference


def document(experiment, onos_version, turns, leftovers, further):
    """The document of `--json FILE`."""
    judged = expected(turns)
    return {
        "experiment": experiment,
        "onosVersion": onos_version,
        **mean_cpu_use(turns).as_json(),
        **further,
        "modes": [_mode_as_json(mode, turns) for mode in modes_of(turns)],
        "turns": [_turn_as_json(turn) for turn in turns],
        "leftovers": leftovers,
        "expectations": [each.as_json() for each in judged],
        "aims": [each.as_json() for each in aims(turns)],
        "verdict": verdict(judged, leftovers, worst_cpu_use(turns)),
    }


def _mode_as_json(mode, turns):
    return {
        "name": mode.name,
        "enforcement": "on" if mode.enforced else "off",
        "levels": mode.levels,
        "caps": mode.caps,
        "tuned": mode.tuned,
        **mean_cpu_use([turn for turn in turns if turn.mode == mode]).as_json(),
        "requests": {
            generator: _times_as_json(times(mode, turns, generator)) for generator in GENERATORS
        },
        "backgroundMbps": _rounded(background_mbps(mode, turns)),
    }


def _times_as_json(result):
    return {
        "requests": result.requests,
        "unanswered": result.unanswered,
        "medianMillis": _rounded(result.median_millis),
        "p95Millis": _rounded(result.p95_millis),
        "p99Millis": _rounded(result.p99_millis),
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
                "millis": [_rounded(time) for time in each.millis],
                "unanswered": each.unanswered,
            }
            for each in turn.requests
        ],
        "backgroundMbps": {host: _rounded(rate) for host, rate in turn.background_mbps.items()},
        "utilisation": {wire: _rounded(share) for wire, share in turn.utilisation.items()},
        "queues": turn.queues,
        "levels": turn.levels,
        "caps": {wire: caps.as_json() for wire, caps in turn.caps.items()},
        "controller": turn.controller,
        "thresholds": turn.thresholds,
        "dscps": {"machines": turn.machine_dscps, "wires": turn.wire_dscps},
    }


def _rounded(value):
    return None if value is None else round(value, 3)


def table(turns):
    """A row per mode and generator."""
    wires = list(turns[0].queues)
    lines = [
        f"{'':<13}{'by':<8}{'requests':>9}{'median, ms':>12}{'p95, ms':>9}{'p99, ms':>9}"
        f"{'background, Mbit/s':>20}" + "".join(f"{f'queue {wire}':>15}" for wire in wires)
    ]
    for mode in modes_of(turns):
        own = [turn for turn in turns if turn.mode == mode]
        for generator in GENERATORS:
            result = times(mode, turns, generator)
            line = (
                f"{mode.name if generator == OWN else '':<13}{generator:<8}{result.requests:>9}"
                f"{_shown(result.median_millis):>12}{_shown(result.p95_millis):>9}"
                f"{_shown(result.p99_millis):>9}"
            )
            if generator == OWN:
                line += f"{background_mbps(mode, turns):>20.2f}"
                line += "".join(f"{_queue(own, wire):>15}" for wire in wires)
            lines.append(line)
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
    lines.append(
        "by own: from the SYN, at random instants; by h2load: from the request, at even ones"
    )
    lines.append(
        "queue: packets that an arriving one found in its queue, p50 / p99, greatest of all turns"
    )
    return "\n".join(lines)


def line(turn):
    """A turn in a line, for progress."""
    parts = []
    for generator in GENERATORS:
        result = times(turn.mode, [turn], generator)
        parts.append(f"{generator} {_shown(result.median_millis)} ms")
    background = sum(turn.background_mbps.values())
    return f"pages {', '.join(parts)}, background {background:.1f} Mbit/s, {turn.cpu}"


def _queue(turns, wire):
    middle, high = (max(turn.queues[wire][key] or 0 for turn in turns) for key in QUEUE_KEYS)
    return f"{middle} / {high}"


def _shown(millis):
    return "-" if millis is None else f"{millis:.1f}"


def draw(turns, title, path):
    """Left the part of requests that took at most so long, right what long flows got."""
    figure, (left, right) = plt.subplots(*(1, 2), figsize=(10, 4.4), dpi=130, width_ratios=(2.4, 1))
    ran = modes_of(turns)
    for mode in ran:
        for generator, style in ((OWN, "-"), (H2LOAD, ":")):
            millis = request_millis(mode, turns, generator)
            if millis:
                label = mode.name if generator == OWN else None
                plots.draw_parts(left, millis, color=COLOURS[mode], ls=style, label=label)
    plots.label_request_times(left)
    left.legend(frameon=False, loc="lower right", title="dotted: h2load's, from the request")
    for place, mode in enumerate(ran):
        right.bar(place, background_mbps(mode, turns), BAR_WIDTH, color=COLOURS[mode])
    right.set_xticks(range(len(ran)), [mode.name for mode in ran], rotation=30, ha="right")
    right.set_ylabel("goodput of long flows, Mbit/s")
    right.grid(axis="y", color="#cfcfcf", lw=0.5)
    right.set_axisbelow(True)
    plots.hide_spines(right)
    figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    figure.tight_layout()
    plots.save(figure, path)
