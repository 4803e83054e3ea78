# SPDX-License-Identifier: Apache-2.0
"""Gaps between answered pings."""

from itertools import pairwise

NOTICEABLE_SECONDS = 0.1


def instants(report):
    """When the answered requests of a ping program's report were sent."""
    return [instant for instant, _ in report["samples"]]


def longest_gap_seconds(answered_nanos, begin_nanos, end_nanos):
    """Longest time within a window without an answered request.

    answered_nanos: when the answered requests were sent. The window's edges count as answered, so
    that gaps at the beginning and the end of a stream are found.
    """
    return longest_gap(answered_nanos, begin_nanos, end_nanos)[0]


def longest_gap(answered_nanos, begin_nanos, end_nanos):
    """The same, and how long after the window's beginning it began: (seconds, seconds)."""
    inside = sorted(t for t in answered_nanos if begin_nanos < t < end_nanos)
    edges = [begin_nanos, *inside, end_nanos]
    length, since = max((later - earlier, earlier) for earlier, later in pairwise(edges))
    return length / 1e9, (since - begin_nanos) / 1e9
