# SPDX-License-Identifier: Apache-2.0
"""Quantiles of small samples."""

import math


def quantile(values, share):
    """The smallest value that at least this share (0 < share <= 1) of the values do not exceed.

    None for no values. By nearest rank: the result is always a measured value.
    """
    if not values:
        return None
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
