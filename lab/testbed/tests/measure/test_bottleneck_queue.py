# SPDX-License-Identifier: Apache-2.0
"""Quantiles of the bottleneck's backlog within a window."""

from testbed.measure import bottleneck_queue


def status(histogram, marked=0, dropped=0, sent=0):
    return {
        "backlogHistogram": histogram,
        "markedPackets": marked,
        "droppedPackets": dropped,
        "sentPackets": sent,
    }


def test_only_samples_between_the_readings_count():
    before = status([100, 0, 0, 0], marked=5, dropped=1, sent=99)
    after = status([150, 40, 9, 1], marked=25, dropped=2, sent=199)
    assert bottleneck_queue.between(before, after) == {
        "p50Packets": 0,
        "p99Packets": 2,
        "markedPackets": 20,
        "droppedPackets": 1,
        "sentPackets": 100,
    }


def test_without_arrivals_there_is_no_quantile():
    window = bottleneck_queue.between(status([3, 4]), status([3, 4]))
    assert window["p50Packets"] is None
    assert window["p99Packets"] is None
