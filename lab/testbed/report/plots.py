# SPDX-License-Identifier: Apache-2.0
"""What all plots have in common: drawn without a screen, and saved as PNG files."""


class _Pyplot:
    """matplotlib.pyplot, imported when a plot is drawn: that takes half of a run's start."""

    def __getattr__(self, name):
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        return getattr(pyplot, name)


plt = _Pyplot()

FAIR_SHARE_STYLE = (0, (4, 3))


def save(figure, path):
    """Write a figure and free it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)


def hide_spines(axes, *sides):
    """Leave some sides of the frame away: by default those without a scale."""
    for side in sides or ("top", "right"):
        axes.spines[side].set_visible(False)


def draw_parts(axes, values, **style):
    """The part of the values that is at most as great, as steps (an empirical distribution)."""
    ordered = sorted(values)
    parts = [(place + 1) / len(ordered) for place in range(len(ordered))]
    axes.step(ordered, parts, where="post", **style)


def label_request_times(axes):
    """What axes with parts of requests by their times have in common."""
    axes.set_xscale("log")
    axes.set_xlabel("ms from a request's SYN to the arrival of its last byte")
    axes.set_ylabel("part of the requests")
    axes.set_ylim(0, 1)
    axes.grid(color="#cfcfcf", lw=0.5)
    axes.set_axisbelow(True)
    hide_spines(axes)
