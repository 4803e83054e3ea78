# SPDX-License-Identifier: Apache-2.0
"""Backlog, marks and drops of the bottleneck's queue between two states of its port agent."""

HISTOGRAM = "backlogHistogram"


def between(before, after):
    """Backlog quantiles at packets' arrivals, and marks and drops, within a window.

    before, after: status documents of the port agent; the histogram counts arrivals by the backlog
    in packets at that time.
    """
    counts = [late - early for early, late in zip(before[HISTOGRAM], after[HISTOGRAM], strict=True)]
    return {
        "p50Packets": _quantile(counts, 0.50),
        "p99Packets": _quantile(counts, 0.99),
        "markedPackets": after["markedPackets"] - before["markedPackets"],
        "droppedPackets": after["droppedPackets"] - before["droppedPackets"],
        "sentPackets": after["sentPackets"] - before["sentPackets"],
    }


def _quantile(counts, share):
    """Smallest backlog that this share of the arrivals did not exceed; None without any."""
    remaining = share * sum(counts)
    if remaining <= 0:
        return None
    for backlog, count in enumerate(counts):
        remaining -= count
        if remaining <= 0:
            return backlog
    return None
