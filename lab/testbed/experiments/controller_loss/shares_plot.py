# SPDX-License-Identifier: Apache-2.0
"""The plot of shares over time, a row for each law."""

from testbed.report import plots
from testbed.report.plots import plt

COLOURS = {"TCP": "#0b6e99", "newcomer": "#8d6a9f"}


def draw(absences, path):
    """Draw what TCP and the newcomer had of their shares into a PNG file."""
    figure, rows = plt.subplots(
        len(absences), 1, figsize=(10, 3.2 * len(absences)), dpi=130, squeeze=False
    )
    for axes, absence in zip(rows[:, 0], absences, strict=True):
        at = absence.instants
        away = [(instant - at.begin) / 1e9 for instant in (at.killed, at.connected)]
        axes.axvspan(*away, color="#ece7e1", lw=0, label="no controller")
        axes.axvline((at.joined - at.begin) / 1e9, color="#8d6a9f", lw=1, ls=":")
        for name, parts in (("TCP", absence.tcp), ("newcomer", absence.newcomer)):
            axes.plot(
                [second + 0.5 for second, _ in parts],
                [part for _, part in parts],
                color=COLOURS[name],
                lw=2,
                label=name,
            )
        axes.axhline(1, color="black", lw=1, ls=plots.FAIR_SHARE_STYLE)
        highest = max(part for parts in (absence.tcp, absence.newcomer) for _, part in parts)
        axes.set_ylim(0, max(1.5, 1.05 * highest))
        axes.set_xlim(0, (at.end - at.begin) / 1e9)
        axes.set_ylabel("part of the fair share")
        axes.set_title(f"law '{absence.law}'", loc="left", fontsize=11, fontweight="bold")
        plots.hide_spines(axes)
        axes.legend(frameon=False, loc="upper right", ncols=3)
    rows[-1, 0].set_xlabel("time in seconds")
    figure.tight_layout()
    plots.save(figure, path)
