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
REQUEST_TIMES = "ms from a request's SYN to the arrival of its last byte"


def save(figure, path):
    """Write a figure and free it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)


def hide_spines(axes, *sides):
    """Leave some sides of the frame away: by default those without a scale."""
    for side in sides or ("top", "right"):
        axes.spines[side].set_visible(False)


def panels(count, width, *, extra=0.0, height=4.2, dpi=130, **further):
    """A figure with panels side by side, each so wide: (figure, their axes)."""
    figure, axes = plt.subplots(
        *(1, count), figsize=(width * count + extra, height), dpi=dpi, squeeze=False, **further
    )
    return figure, axes[0]


def finish(figure, title, path, bottom=0.0, top=1.0):
    """Give a figure its title, and write it; bottom, top: between which parts of it panels are."""
    figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    figure.tight_layout(rect=(0, bottom, 1, top))
    save(figure, path)


def draw_grid(axes, axis="both"):
    """A grid behind what is drawn."""
    axes.grid(axis=axis, color="#cfcfcf", lw=0.5)
    axes.set_axisbelow(True)


def draw_parts(axes, values, **style):
    """The part of the values that is at most as great, as steps (an empirical distribution)."""
    ordered = sorted(values)
    parts = [(place + 1) / len(ordered) for place in range(len(ordered))]
    axes.step(ordered, parts, where="post", **style)


def draw_times(axes, curves, what):
    """The part of requests that took at most so long: for each of curves, (values, style)."""
    for values, style in curves:
        if values:
            draw_parts(axes, values, **style)
    axes.set_xscale("log")
    axes.set_xlabel(what)
    axes.set_ylabel("part of the requests")
    axes.set_ylim(0, 1)
    draw_grid(axes)
    hide_spines(axes)
