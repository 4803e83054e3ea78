# SPDX-License-Identifier: Apache-2.0
"""The plot of a soak: memory of the processes over time, the controller's boots shaded."""

from testbed.report import plots
from testbed.report.plots import plt

SHADES = ("#f4f4f1", "#e8ebee")
CONTROLLER, AGENTS = "#0b6e99", "#d1495b"
BYTES_PER_MIB = 2**20


def draw(trend, footprints, path):
    """trend: [(boot, seconds, resident KiB of the controller, of all agents)] in order of time."""
    figure, axes = plt.subplots(figsize=(11, 4.6), dpi=130)
    seconds = [point[1] / 60 for point in trend]
    boots = sorted({point[0] for point in trend})
    for boot in boots:
        own = [point[1] / 60 for point in trend if point[0] == boot]
        axes.axvspan(own[0], own[-1], color=SHADES[boot % 2], lw=0, zorder=0)
    axes.plot(seconds, [point[2] / 1024 for point in trend], color=CONTROLLER, label="controller")
    for boot, pair in zip(boots, zip(footprints[::2], footprints[1::2], strict=True), strict=False):
        own = [point[1] / 60 for point in trend if point[0] == boot]
        heaps = [each.heap.live_bytes / BYTES_PER_MIB for each in pair]
        axes.plot(
            *([own[0], own[-1]], heaps),
            "o",
            color=CONTROLLER,
            label="its live heap" if boot == 1 else None,
        )
    axes.set_ylim(bottom=0)
    axes.set_xlabel("time in minutes")
    axes.set_ylabel("controller, MiB", color=CONTROLLER)
    right = axes.twinx()
    right.plot(
        seconds, [point[3] / 1024 for point in trend], color=AGENTS, label="agents, resident"
    )
    right.set_ylim(bottom=0)
    right.set_ylabel("all agents, MiB", color=AGENTS)
    axes.set_title("Memory over a soak", loc="left", fontsize=12, fontweight="bold")
    axes.spines["top"].set_visible(False)
    right.spines["top"].set_visible(False)
    lines = [*axes.get_legend_handles_labels()[0], *right.get_legend_handles_labels()[0]]
    axes.legend(handles=lines, ncols=3, loc="lower center", frameon=False)
    figure.tight_layout()
    plots.save(figure, path)
