# SPDX-License-Identifier: Apache-2.0
"""The plot of all tenants' shares over time, a panel for each phase."""

from testbed.report import plots
from testbed.report.plots import plt

COLUMNS = 4
COLOURS = ("#0b6e99", "#d1495b", "#edae49", "#8d6a9f", "#3f8f5b", "#7a7a7a", "#b07d48", "#4a4e69")
JUDGED_SHADE = "#e8ebee"


def draw(results, bottleneck_mbps, title, path):
    """Draw every phase of PhaseResults into a PNG file.

    Tenants are wide lines, endpoints of those with several thin ones; judged intervals are shaded,
    with each tenant's expected share across them.
    """
    columns = min(COLUMNS, len(results))
    rows = -(-len(results) // columns)
    figure, panels = plt.subplots(
        *(rows, columns),
        figsize=(3.6 * columns + 0.6, 2.7 * rows + 1.0),
        dpi=90,
        sharey=True,
        squeeze=False,
    )
    places = list(panels.flat)
    for axes, result in zip(places, results, strict=False):
        _draw_phase(axes, result)
        axes.set_ylim(0, bottleneck_mbps * 1.05)
    for axes in places[len(results) :]:
        axes.set_visible(False)
    for row in panels:
        row[0].set_ylabel("Mbit/s of frames")
    for axes in places[max(0, len(results) - columns) : len(results)]:
        axes.set_xlabel("seconds")
    handle = plt.Line2D([], [], color="black", lw=1, ls=plots.FAIR_SHARE_STYLE)
    figure.legend(
        *([handle], ["weighted max-min share of a tenant"]), loc="lower center", frameon=False
    )
    plots.finish(figure, title, path, bottom=0.04)


def _draw_phase(axes, result):
    for colour, tenant in zip(COLOURS, result.phase.tenants, strict=False):
        own = [result.curves[host] for host in tenant.hosts]
        seconds = [instant for instant, _ in own[0]]
        together = [sum(rates) for rates in zip(*([r for _, r in c] for c in own), strict=True)]
        axes.plot(seconds, together, color=colour, lw=1.9, label=tenant.name, zorder=4)
        if len(own) > 1:
            for curve in own:
                axes.plot(*zip(*curve, strict=True), color=colour, lw=0.7, alpha=0.7, zorder=3)
    for interval in result.intervals:
        span = [interval.interval.begin_seconds, interval.interval.end_seconds]
        axes.axvspan(*span, color=JUDGED_SHADE, lw=0, zorder=0)
        active = result.phase.active_senders(interval.interval)
        for senders in active.values():
            share = sum(interval.expected_mbps[sender.host] for sender in senders)
            axes.plot(span, [share] * 2, color="black", lw=1, ls=plots.FAIR_SHARE_STYLE, zorder=5)
    for change in result.changes:
        axes.axvline(change.change.after_seconds, color="#555555", lw=0.7, ls=":")
    axes.set_title(result.name, fontsize=9)
    plots.draw_grid(axes, axis="y")
    axes.tick_params(labelsize=7)
    plots.hide_spines(axes)
    axes.legend(fontsize=6, ncols=4, loc="upper right", frameon=False)
