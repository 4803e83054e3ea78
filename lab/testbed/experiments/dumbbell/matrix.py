# SPDX-License-Identifier: Apache-2.0
"""The dumbbell in several settings, side by side: table, document and picture."""

from dataclasses import dataclass, field

import matplotlib.pyplot as plt

from testbed.experiments.dumbbell import criteria
from testbed.experiments.dumbbell.phases import TCP_HOST
from testbed.report.expectations import EXIT_STATUS, Expectation, worst

plt.switch_backend("Agg")

BAR_WIDTH = 0.36


@dataclass(frozen=True, eq=False)
class Sweep:
    """Which two choices a matrix goes through.

    groups, shades: what a cell's choices are called in tables; they stand side by side in the
    picture as groups of bars and as bars of one group. names: {shade: words of the legend}.
    """

    experiment: str
    groups: str
    shades: str
    names: dict
    title: str
    colours: tuple = ("#0b6e99", "#edae49")

    def label(self, cell):
        """Such as "reno under sluice": which cell this is."""
        return f"{cell.group} under {cell.shade}"


BY_LAW = Sweep(
    "dumbbell-matrix",
    "transport",
    "law",
    {"sluice": "Sluice's law", "paper": "SDN-GCC, the paper's law"},
    "One TCP tenant against three UDP floods, by transport and law (off until 'controlled')",
)
BY_SIGNALS = Sweep(
    "dumbbell-signals",
    "signals",
    "notices",
    {"link": "notices by the agent link", "in-band": "notices in band"},
    "One TCP tenant against three UDP floods, by where marks come from (off until 'controlled')",
)


@dataclass(frozen=True)
class Cell:
    """One setting with its result (a report.Result) and where it is.

    group, shade: its choices, as its Sweep goes through them.
    """

    group: str
    shade: str
    law: str
    result: object
    file: str
    more: dict = field(default_factory=dict)  # of its document

    def phase(self, name):
        """A phase's result; None where it did not run."""
        return next((phase for phase in self.result.phases if phase.name == name), None)

    def tcp_share(self, name):
        """The TCP endpoint's part of its fair share in a phase; None where it did not run."""
        phase = self.phase(name)
        return None if phase is None else phase.endpoint(TCP_HOST).share


def table(sweep, cells):
    """One line per cell."""
    lines = [
        f"{sweep.groups:<11}{sweep.shades:<8}{'flooded':>9}{'controlled':>12}{'link used':>11}"
        f"{'weighted':>10}{'released':>10}   judged by          verdict"
    ]
    for cell in cells:
        controlled, weighted = cell.phase("controlled"), cell.phase("weighted")
        values = [
            _percent(cell.tcp_share("flooded"), 9),
            _percent(cell.tcp_share("controlled"), 12),
            _percent(controlled and controlled.utilisation, 11),
            _percent(weighted and criteria.largest_deviation(weighted), 10),
            _percent(cell.tcp_share("released"), 10),
        ]
        lines.append(
            f"{cell.group:<11}{cell.shade:<8}{''.join(values)}"
            f"   {_bounds_of(cell.law):<19}{cell.result.verdict}"
        )
    lines.append(
        "flooded, controlled, released: TCP / its fair share; weighted: largest deviation from one"
    )
    return "\n".join(lines)


def _percent(value, width):
    return f"{'-' if value is None else f'{value:.1%}':>{width}}"


def _bounds_of(law):
    return "Sluice's bounds" if law == criteria.SLUICE else "the paper's bounds"


def document(sweep, cells, leftovers):
    """The summary as JSON; every expectation bears the name of its cell."""
    expected = [
        Expectation(
            f"{sweep.label(cell)}: {each.name}",
            each.measured,
            each.bound,
            each.holds,
        )
        for cell in cells
        for each in cell.result.expectations
    ]
    return {
        "experiment": sweep.experiment,
        "onosVersion": cells[0].result.onos_version,
        "cells": [
            {
                **cell.more,
                "judgedBy": _bounds_of(cell.law),
                **cell.result.cpu.as_json(),
                "verdict": cell.result.verdict,
                "file": cell.file,
            }
            for cell in cells
        ],
        "leftovers": leftovers,
        "expectations": [each.as_json() for each in expected],
        "verdict": worst(cell.result.verdict for cell in cells),
    }


def status(cells):
    """Exit status of all together."""
    return EXIT_STATUS[worst(cell.result.verdict for cell in cells)]


def draw(sweep, cells, path):
    """TCP's goodput against its fair share: a panel per phase, its bars by the sweep's choices."""
    names = [phase.name for phase in cells[0].result.phases]
    groups = list(dict.fromkeys(cell.group for cell in cells))
    shades = list(dict.fromkeys(cell.shade for cell in cells))
    colours = dict(zip(shades, sweep.colours, strict=False))
    figure, panels = plt.subplots(
        1, len(names), figsize=(2.6 * len(names) + 1, 4.4), dpi=130, sharey=True, squeeze=False
    )
    for axes, name in zip(panels[0], names, strict=True):
        for cell in cells:
            endpoint = cell.phase(name).endpoint(TCP_HOST)
            offset = (shades.index(cell.shade) - (len(shades) - 1) / 2) * BAR_WIDTH
            axes.bar(
                groups.index(cell.group) + offset,
                endpoint.goodput_mbps,
                BAR_WIDTH,
                color=colours[cell.shade],
            )
        axes.axhline(endpoint.fair_share_mbps, color="black", lw=1, ls=(0, (4, 3)))
        axes.set_xticks(range(len(groups)), groups)
        axes.set_title(name, fontsize=11)
        axes.grid(axis="y", color="#cfcfcf", lw=0.5)
        axes.set_axisbelow(True)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    panels[0][0].set_ylabel("TCP's goodput in Mbit/s")
    handles = [plt.Rectangle((0, 0), 1, 1, color=colours[shade]) for shade in shades]
    handles.append(plt.Line2D([], [], color="black", lw=1, ls=(0, (4, 3))))
    labels = [*(sweep.names[shade] for shade in shades), "fair share"]
    figure.legend(handles, labels, ncols=len(handles), loc="lower center", frameon=False)
    figure.suptitle(
        sweep.title,
        x=0.01,
        ha="left",
        fontsize=12,
        fontweight="bold",
    )
    figure.tight_layout(rect=(0, 0.07, 1, 1))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)
