# SPDX-License-Identifier: Apache-2.0
"""The dumbbell with several settings, side by side: table, document and plot."""

from dataclasses import dataclass, field

from testbed.control.laws import SDN_GCC, SLUICE
from testbed.deployment.signals import IN_BAND, LINK
from testbed.flooding import criteria
from testbed.flooding.phases import TCP_HOST
from testbed.report import plots
from testbed.report.expectations import EXIT_STATUS, Expectation, worst
from testbed.report.plots import plt

BAR_WIDTH = 0.36


@dataclass(frozen=True, eq=False)
class Sweep:
    """The two parameters that a matrix varies.

    rows, columns: the parameters' names; in the plot, each value of the row parameter has a group
    of bars, with a bar for each value of the column parameter. legend: {column's value: its text}.
    """

    experiment: str
    rows: str
    columns: str
    legend: dict
    title: str
    colours: tuple = ("#0b6e99", "#edae49")

    def label(self, cell):
        """Such as "reno under sluice": which cell this is."""
        return f"{cell.row} under {cell.column}"


BY_LAW = Sweep(
    "dumbbell-matrix",
    "transport",
    "law",
    {SLUICE: "Sluice's law", SDN_GCC: "SDN-GCC"},
    "One TCP tenant against three UDP floods, by transport and law (off until 'controlled')",
)
BY_SIGNALS = Sweep(
    "dumbbell-signals",
    "signals",
    "notices",
    {LINK: "notices by the agent link", IN_BAND: "notices in band"},
    "One TCP tenant against three UDP floods, by where marks come from (off until 'controlled')",
)


@dataclass(frozen=True)
class Cell:
    """One setting with its PhaseReport and the file of that.

    row, column: the values of its Sweep's parameters; further: more fields of its document.
    """

    row: str
    column: str
    law: str
    report: object
    file: str
    further: dict = field(default_factory=dict)

    def phase(self, name):
        """A phase's result; None where it did not run."""
        return next((phase for phase in self.report.phases if phase.name == name), None)

    def tcp_share(self, name):
        """The TCP endpoint's part of its fair share in a phase; None where it did not run."""
        phase = self.phase(name)
        return None if phase is None else phase.endpoint(TCP_HOST).share


def table(sweep, cells):
    """One line per cell."""
    lines = [
        f"{sweep.rows:<11}{sweep.columns:<8}{'flooded':>9}{'controlled':>12}{'link used':>11}"
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
            f"{cell.row:<11}{cell.column:<8}{''.join(values)}"
            f"   {_bounds_of(cell.law):<19}{cell.report.verdict}"
        )
    lines.append(
        "flooded, controlled, released: TCP / its fair share; weighted: largest deviation from one"
    )
    return "\n".join(lines)


def _percent(value, width):
    return f"{'-' if value is None else f'{value:.1%}':>{width}}"


def _bounds_of(law):
    return "Sluice's bounds" if law == SLUICE else "SDN-GCC's bounds"


def document(sweep, cells, leftovers):
    """The summary as JSON; every expectation has its cell's name."""
    expected = [
        Expectation(
            f"{sweep.label(cell)}: {each.name}",
            each.measured,
            each.bound,
            each.holds,
        )
        for cell in cells
        for each in cell.report.expectations
    ]
    return {
        "experiment": sweep.experiment,
        "controller": cells[0].report.controller.as_json(),
        "cells": [
            {
                **cell.further,
                "judgedBy": _bounds_of(cell.law),
                **cell.report.cpu.as_json(),
                "verdict": cell.report.verdict,
                "file": cell.file,
            }
            for cell in cells
        ],
        "leftovers": leftovers,
        "expectations": [each.as_json() for each in expected],
        "verdict": worst(cell.report.verdict for cell in cells),
    }


def status(cells):
    """Exit status of all together."""
    return EXIT_STATUS[worst(cell.report.verdict for cell in cells)]


def draw(sweep, cells, path):
    """TCP's goodput against its fair share: a panel per phase, a bar per cell."""
    names = [phase.name for phase in cells[0].report.phases]
    rows = list(dict.fromkeys(cell.row for cell in cells))
    columns = list(dict.fromkeys(cell.column for cell in cells))
    colours = dict(zip(columns, sweep.colours, strict=False))
    figure, panels = plt.subplots(
        1, len(names), figsize=(2.6 * len(names) + 1, 4.4), dpi=130, sharey=True, squeeze=False
    )
    for axes, name in zip(panels[0], names, strict=True):
        for cell in cells:
            endpoint = cell.phase(name).endpoint(TCP_HOST)
            offset = (columns.index(cell.column) - (len(columns) - 1) / 2) * BAR_WIDTH
            axes.bar(
                rows.index(cell.row) + offset,
                endpoint.goodput_mbps,
                BAR_WIDTH,
                color=colours[cell.column],
            )
        axes.axhline(endpoint.fair_share_mbps, color="black", lw=1, ls=plots.FAIR_SHARE_STYLE)
        axes.set_xticks(range(len(rows)), rows)
        axes.set_title(name, fontsize=11)
        axes.grid(axis="y", color="#cfcfcf", lw=0.5)
        axes.set_axisbelow(True)
        plots.hide_spines(axes)
    panels[0][0].set_ylabel("TCP's goodput in Mbit/s")
    handles = [plt.Rectangle((0, 0), 1, 1, color=colours[column]) for column in columns]
    handles.append(plt.Line2D([], [], color="black", lw=1, ls=plots.FAIR_SHARE_STYLE))
    labels = [*(sweep.legend[column] for column in columns), "fair share"]
    figure.legend(handles, labels, ncols=len(handles), loc="lower center", frameon=False)
    figure.suptitle(
        sweep.title,
        x=0.01,
        ha="left",
        fontsize=12,
        fontweight="bold",
    )
    figure.tight_layout(rect=(0, 0.07, 1, 1))
    plots.save(figure, path)
