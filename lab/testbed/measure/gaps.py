# SPDX-License-Identifier: Apache-2.0
"""Gaps in a stream of answered pings."""

from itertools import pairwise

NOTICEABLE_SECONDS = 0.1


def instants(report):
    """Instants at which the answered requests of a ping program's report were sent."""
    return [instant for instant, _ in report["samples"]]


def longest_gap_seconds(answered_nanos, begin_nanos, end_nanos):
    """Longest time within a window without an answered request.

    answered_nanos: instants at which the answered requests were sent. The window's edges count as
    answered, so that a stream that begins or ends in a gap shows it.
    """
    return longest_gap(answered_nanos, begin_nanos, end_nanos)[0]


def longest_gap(answered_nanos, begin_nanos, end_nanos):
    """The same, and when after the window's beginning it began: (seconds, seconds)."""
    inside = sorted(t for t in answered_nanos if begin_nanos < t < end_nanos)
    edges = [begin_nanos, *inside, end_nanos]
    length, since = max((later - earlier, earlier) for earlier, later in pairwise(edges))
    return length / 1e9, (since - begin_nanos) / 1e9
