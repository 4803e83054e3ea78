# SPDX-License-Identifier: Apache-2.0
"""The plot of the victims' shares before and during each attack."""

from testbed.experiments.hostile.criteria import SHARE_AT_LEAST
from testbed.report import plots

BEFORE_COLOUR, DURING_COLOUR, FAILED_COLOUR = "#c3ccd3", "#0b6e99", "#d1495b"
BAR_HEIGHT = 0.38


def draw(results, title, path):
    """Draw AttackResults into a PNG file: a panel for each victim, a pair of bars an attack."""
    victims = [victim.host for victim in results[0].victims]
    figure, panels = plots.panels(
        *(len(victims), 5.2), height=0.42 * len(results) + 1.6, dpi=90, sharey=True
    )
    places = range(len(results))
    for number, axes in enumerate(panels):
        own = [result.victims[number] for result in results]
        before = [100 * victim.before for victim in own]
        during = [100 * victim.during for victim in own]
        fails = [victim.during < SHARE_AT_LEAST for victim in own]
        colours = [FAILED_COLOUR if each else DURING_COLOUR for each in fails]
        above, below = ([at + BAR_HEIGHT * side for at in places] for side in (-0.5, 0.5))
        axes.barh(above, before, BAR_HEIGHT, color=BEFORE_COLOUR, label="before")
        axes.barh(below, during, BAR_HEIGHT, color=colours, label="during")
        axes.axvline(100 * SHARE_AT_LEAST, color="black", lw=1, ls=plots.FAIR_SHARE_STYLE)
        axes.set_title(f"{victims[number]}'s TCP", fontsize=9)
        axes.set_xlabel("% of its share")
        axes.set_yticks(list(places), [result.name for result in results], fontsize=8)
        axes.tick_params(axis="x", labelsize=8)
        plots.hide_spines(axes)
    panels[0].invert_yaxis()
    panels[0].legend(fontsize=7, loc="lower right", frameon=False)
    plots.finish(figure, title, path, top=0.97)
