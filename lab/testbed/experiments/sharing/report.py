# SPDX-License-Identifier: Apache-2.0
"""The report on shares: expectations, table, document and plot."""

from functools import partial

from testbed.report import expectations, plots
from testbed.report.plots import plt
from testbed.report.report import Report
from testbed.system import processors

SHARE_DEVIATION = 0.10
UTILISATION_AT_LEAST = 0.92
COLOURS = ("#0b6e99", "#d1495b", "#edae49", "#8d6a9f", "#3f8f5b", "#7a7a7a")
BAR_WIDTH = 0.7


def expected(results):
    """One expectation per part of every enforced stage, and that streams kept their wires."""
    judged = []
    for result in results:
        if not result.stage.enforced:
            continue
        judged += [
            expectations.within(
                f"{result.stage.name}: {part.name} / its share",
                part.share,
                1 - SHARE_DEVIATION,
                1 + SHARE_DEVIATION,
            )
            for part in result.parts
        ]
        for what, streams in (
            ("observed on no wire", result.unplaced),
            ("changed wires", result.moved),
        ):
            if streams:
                judged.append(
                    expectations.below(
                        f"{result.stage.name}: streams {what} ({', '.join(streams)})",
                        len(streams),
                        1,
                    )
                )
    return judged


def aims(results):
    """Utilisation of the links that the expected shares fill: reported without deciding."""
    return [
        expectations.at_least(
            f"{result.stage.name}: utilisation of {wire.name}",
            wire.utilisation,
            UTILISATION_AT_LEAST,
        )
        for result in results
        if result.stage.enforced
        for wire in result.wires
        if wire.is_saturated
    ]


def judge(results):
    """(expectations, aims)."""
    return expected(results), aims(results)


def of(experiment, results, judged, chosen, title):
    """The Report; judged: (expectations, aims); chosen: further fields of the document."""
    expectations_of_all, aims_of_all = judged
    return Report(
        experiment=experiment,
        chosen=chosen,
        measured={"phases": [_stage_as_json(result) for result in results]},
        expected=expectations_of_all,
        aims=aims_of_all,
        cpu=processors.mean_cpu_use(results),
        tables=[table(results)],
        draw=partial(draw, results, title),
    )


def _stage_as_json(result):
    return {
        "name": result.stage.name,
        "seconds": result.stage.seconds,
        "enforcement": "on" if result.stage.enforced else "off",
        **result.cpu.as_json(),
        "endpoints": [
            {
                "name": part.host,
                "transport": part.transport,
                "weight": part.weight,
                "wires": list(part.wires),
                "rateMbps": round(part.rate_mbps, 3),
                "expectedMbps": round(part.expected_mbps, 3),
            }
            for part in result.parts
        ],
        "wires": [
            {
                "name": wire.name,
                "capacityMbps": wire.capacity_mbps,
                "utilisation": round(wire.utilisation, 4),
                "saturated": wire.is_saturated,
                **wire.queue,
            }
            for wire in result.wires
        ],
        "streams": [
            {
                "name": each.stream.name,
                "transport": each.stream.transport,
                "wires": sorted(each.wires),
                "rateMbps": round(each.rate_mbps, 3),
                "connection": each.connection,
            }
            for each in result.streams
        ],
        "agents": result.agents,
        "changedWires": result.moved,
        "observedOnNoWire": result.unplaced,
    }


def table(results):
    """The table that the experiment prints."""
    lines = [
        f"{'phase':<11}{'endpoint':<9}{'transport':<10}{'over':<14}{'weight':>6}"
        f"{'Mbit/s':>8}{'max-min':>9}{'of it':>7}   the whole phase"
    ]
    for result in results:
        notes = _notes(result)
        for row in range(max(len(result.parts), len(notes))):
            left = " " * 64
            if row < len(result.parts):
                part = result.parts[row]
                left = (
                    f"{result.stage.name if row == 0 else '':<11}{part.host:<9}"
                    f"{part.transport:<10}{'+'.join(part.wires):<14}{part.weight:>6g}"
                    f"{part.rate_mbps:>8.2f}{part.expected_mbps:>9.2f}{part.share:>7.0%}"
                )
            lines.append((left + "   " + (notes[row] if row < len(notes) else "")).rstrip())
    lines.append("Mbit/s: frame bytes, as a wire counts them; max-min: the weighted max-min share")
    return "\n".join(lines)


def _notes(result):
    state = "on" if result.stage.enforced else "off"
    notes = [f"enforcement {state}, {result.cpu}"]
    notes += [
        f"{wire.name} of {wire.capacity_mbps:g} Mbit/s: used {wire.utilisation:.1%}"
        f"{'' if wire.is_saturated else ' (has room)'}, queue p50 {wire.queue['p50Packets']},"
        f" p99 {wire.queue['p99Packets']}, {wire.queue['droppedPackets']} dropped"
        for wire in result.wires
        if wire.utilisation >= 0.01
    ]
    round_trips = [
        f"{each.stream.source} {each.connection['rttMillis']:.1f}"
        for each in result.streams
        if each.connection and each.connection.get("rttMillis") is not None
    ]
    if round_trips:
        notes.append(f"TCP's round trip in ms: {', '.join(round_trips)}")
    return notes


def draw(results, title, path):
    """A panel per stage: a bar per part, its weighted max-min share as a line across."""
    figure, panels = plots.panels(len(results), 3.4, extra=1, height=4.6, sharey=True)
    hosts = sorted({part.host for result in results for part in result.parts})
    for axes, result in zip(panels, results, strict=True):
        for place, part in enumerate(result.parts):
            colour = COLOURS[hosts.index(part.host) % len(COLOURS)]
            axes.bar(place, part.rate_mbps, BAR_WIDTH, color=colour)
            axes.plot(
                *([place - 0.45, place + 0.45], [part.expected_mbps] * 2),
                color="black",
                lw=1.2,
                ls=plots.FAIR_SHARE_STYLE,
            )
        labels = [
            f"{part.host} {part.transport}\n{chr(10).join(part.wires)}\nw {part.weight:g}"
            for part in result.parts
        ]
        axes.set_xticks(range(len(labels)), labels, fontsize=7)
        state = "" if result.stage.enforced else " (not enforced)"
        axes.set_title(result.stage.name + state, fontsize=10)
        plots.draw_grid(axes, axis="y")
        plots.hide_spines(axes)
    panels[0].set_ylabel("Mbit/s of frames")
    handle = plt.Line2D([], [], color="black", lw=1.2, ls=plots.FAIR_SHARE_STYLE)
    figure.legend([handle], ["weighted max-min share"], loc="lower center", frameon=False)
    plots.finish(figure, title, path, bottom=0.06)
