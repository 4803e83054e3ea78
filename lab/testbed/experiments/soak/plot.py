# SPDX-License-Identifier: Apache-2.0
"""The picture of a soak: what the processes hold over time, the controller's lives shaded."""

import matplotlib.pyplot as plt

plt.switch_backend("Agg")

SHADES = ("#f4f4f1", "#e8ebee")
CONTROLLER, AGENTS = "#0b6e99", "#d1495b"
BYTES_PER_MIB = 2**20


def draw(trend, footprints, path):
    """trend: [(life, seconds, resident KiB of the controller, of all agents)] in order of time."""
    figure, axes = plt.subplots(figsize=(11, 4.6), dpi=130)
    seconds = [point[1] / 60 for point in trend]
    lives = sorted({point[0] for point in trend})
    for life in lives:
        own = [point[1] / 60 for point in trend if point[0] == life]
        axes.axvspan(own[0], own[-1], color=SHADES[life % 2], lw=0, zorder=0)
    axes.plot(seconds, [point[2] / 1024 for point in trend], color=CONTROLLER, label="controller")
    for life, pair in zip(lives, zip(footprints[::2], footprints[1::2], strict=True), strict=False):
        own = [point[1] / 60 for point in trend if point[0] == life]
        heaps = [each.heap.live_bytes / BYTES_PER_MIB for each in pair]
        axes.plot(
            *([own[0], own[-1]], heaps),
            "o",
            color=CONTROLLER,
            label="its live heap" if life == 1 else None,
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
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)
