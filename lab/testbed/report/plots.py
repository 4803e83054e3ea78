# SPDX-License-Identifier: Apache-2.0
"""What all plots have in common: drawn without a screen, and saved as PNG files."""

import matplotlib.pyplot as plt

plt.switch_backend("Agg")

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
