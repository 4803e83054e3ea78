# SPDX-License-Identifier: Apache-2.0
"""Counters over time: cumulative values at instants, and rates between any two instants."""

import bisect
import json


class CumulativeSeries:
    """A counter that never falls, sampled at increasing instants of CLOCK_MONOTONIC."""

    def __init__(self, points=()):
        self._instants = []
        self._values = []
        for instant, value in points:
            self.add(instant, value)

    def add(self, instant_nanos, value):
        """Append a sample."""
        self._instants.append(instant_nanos)
        self._values.append(value)

    def at(self, instant_nanos):
        """Value at an instant, interpolated between its neighbours; 0 before the first sample."""
        after = bisect.bisect_right(self._instants, instant_nanos)
        if after == 0:
            return 0
        if after == len(self._instants):
            return self._values[-1]
        begin, end = self._instants[after - 1], self._instants[after]
        low, high = self._values[after - 1], self._values[after]
        return low + (high - low) * (instant_nanos - begin) / (end - begin)

    def mbps(self, begin_nanos, end_nanos):
        """Mean rate of a byte counter between two instants in Mbit/s."""
        return (self.at(end_nanos) - self.at(begin_nanos)) * 8e3 / (end_nanos - begin_nanos)

    def binned_mbps(self, begin_nanos, end_nanos, bin_nanos):
        """Mean rates in equal bins: [(middle of the bin in nanoseconds, Mbit/s)]."""
        rates = []
        left = begin_nanos
        while left + bin_nanos <= end_nanos:
            rates.append((left + bin_nanos // 2, self.mbps(left, left + bin_nanos)))
            left += bin_nanos
        return rates

    def longest_stall_seconds(self, begin_nanos, end_nanos):
        """Longest time in the window without growth, to the sampling interval."""
        longest = 0
        since, value = begin_nanos, self.at(begin_nanos)
        for instant, current in zip(self._instants, self._values, strict=True):
            if not begin_nanos < instant <= end_nanos:
                continue
            if current > value:
                longest = max(longest, instant - since)
                since, value = instant, current
        return max(longest, end_nanos - since) / 1e9


class ScaledSeries:
    """A counter times a constant, such as the frame bytes that payload bytes stand for."""

    def __init__(self, series, factor):
        self._series = series
        self._factor = factor

    def mbps(self, begin_nanos, end_nanos):
        """As CumulativeSeries.mbps."""
        return self._factor * self._series.mbps(begin_nanos, end_nanos)

    def binned_mbps(self, begin_nanos, end_nanos, bin_nanos):
        """As CumulativeSeries.binned_mbps."""
        binned = self._series.binned_mbps(begin_nanos, end_nanos, bin_nanos)
        return [(instant, self._factor * rate) for instant, rate in binned]


class SummedSeries:
    """Several counters together."""

    def __init__(self, series):
        self._series = list(series)

    def mbps(self, begin_nanos, end_nanos):
        """As CumulativeSeries.mbps."""
        return sum(each.mbps(begin_nanos, end_nanos) for each in self._series)


def read_flows(path):
    """Per-flow series written by the sink: {flow: CumulativeSeries}."""
    flows = {}
    previous = None
    for line in _whole_lines(path):
        sample = json.loads(line)
        if "tNanos" not in sample:
            continue
        for flow, value in sample["bytes"].items():
            if flow not in flows:
                first = [(previous, 0)] if previous is not None else []
                flows[flow] = CumulativeSeries(first)
            flows[flow].add(sample["tNanos"], value)
        previous = sample["tNanos"]
    return flows


def read_counter(path):
    """The series written by the link sampler."""
    samples = (json.loads(line) for line in _whole_lines(path))
    return CumulativeSeries((sample["tNanos"], sample["bytes"]) for sample in samples)


def _whole_lines(path):
    """Complete lines (the writer may be in the middle of one)."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.endswith("\n"):
                yield line
