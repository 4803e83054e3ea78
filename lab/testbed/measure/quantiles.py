# SPDX-License-Identifier: Apache-2.0
"""Quantiles and means of samples, by one rule everywhere.

A quantile is the smallest value that at least this share (0 < share <= 1) of the values do not
exceed: nearest rank, so that it is always a measured value. A median of an even number of values is
the lower one of the two in the middle. None for no values.
"""

import itertools
import math


def quantile(values, share):
    """Of values in any order."""
    return sorted(values)[_rank(share, len(values)) - 1] if values else None


def median(values):
    """The quantile of one half."""
    return quantile(values, 0.5)


def quantile_of_counts(counts, share):
    """Of a histogram: how often each of 0, 1, 2 ... was counted."""
    if not any(counts):
        return None
    rank = _rank(share, sum(counts))
    reached = itertools.accumulate(counts)
    return next(value for value, count in enumerate(reached) if count >= rank)


def mean(values):
    """The arithmetic mean."""
    return sum(values) / len(values) if values else None


def _rank(share, count):
    return max(1, math.ceil(share * count))
