# SPDX-License-Identifier: Apache-2.0
"""Backlog, marks and drops of the bottleneck's queue between two states of its port agent."""

from testbed.measure.quantiles import quantile_of_counts

HISTOGRAM = "backlogHistogram"


def between(before, after):
    """Backlog quantiles at packets' arrivals, and marks and drops, within a window.

    before, after: status documents of the port agent; the histogram counts arrivals by the backlog
    in packets at that time.
    """
    counts = [late - early for early, late in zip(before[HISTOGRAM], after[HISTOGRAM], strict=True)]
    return {
        "p50Packets": quantile_of_counts(counts, 0.50),
        "p99Packets": quantile_of_counts(counts, 0.99),
        "markedPackets": after["markedPackets"] - before["markedPackets"],
        "droppedPackets": after["droppedPackets"] - before["droppedPackets"],
        "sentPackets": after["sentPackets"] - before["sentPackets"],
    }
