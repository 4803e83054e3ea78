# SPDX-License-Identifier: Apache-2.0
"""SED's small case (figure 9 of its paper) on the testbed: its flows, and what came of them."""

import json
from dataclasses import dataclass

PAPER_MBPS = 1000
ENDLESS_HOST = "h6"
SEGMENT_BYTES = 1448
BIN_NANOS = 100_000_000


@dataclass(frozen=True)
class DeadlineFlow:
    """A flow of the case: who sends how much, and how soon it is due after its SYN."""

    number: int
    size_bytes: int
    due_millis: int

    @property
    def host(self):
        """Its sender: every flow has a machine of its own."""
        return f"h{self.number}"


def small_case(capacity_mbps):
    """The five flows, their sizes scaled from the paper's 1 Gbit/s, their deadlines as printed."""
    megabytes, due_millis = (8, 12, 30, 50, 64), (300, 800, 1000, 3000, 5000)
    return [
        DeadlineFlow(number, round(size * 1e6 * capacity_mbps / PAPER_MBPS), due)
        for number, (size, due) in enumerate(zip(megabytes, due_millis, strict=True), start=1)
    ]


@dataclass(frozen=True)
class FlowResult:
    """One flow in one repetition; took_millis: SYN to last byte, None: not within the time."""

    flow: DeadlineFlow
    took_millis: float | None
    retransmits: int | None
    promised: bool | None  # what Sluice had answered; None: it was not asked
    told: str | None = None  # the state that Sluice names in the end
    late_millis: float | None = None  # how long after the planned instant its SYN went

    @property
    def is_met(self):
        """Whether the last byte was there in time."""
        return self.took_millis is not None and self.took_millis <= self.flow.due_millis


@dataclass(frozen=True)
class EndlessResult:
    """What the flow without a deadline got: per 100 ms, and how often that was too little."""

    mbps: float
    bins: int
    starved_bins: int
    least_part: float | None  # of a segment per round trip, in the worst of the bins


@dataclass(frozen=True)
class Repetition:
    """The case run once."""

    congestion_control: str
    with_sluice: bool
    flows: list
    endless: EndlessResult

    @property
    def is_met(self):
        """Whether all deadlines were met."""
        return all(result.is_met for result in self.flows)


def result_of(flow, report, start_nanos, promised=None, told=None):
    """What a transfer's report says of a flow that was to begin at an instant."""
    syn, last = report["synNanos"], report["lastByteNanos"]
    took = None if syn is None or last is None else (last - syn) / 1e6
    late = None if syn is None else (syn - start_nanos) / 1e6
    return FlowResult(flow, took, report["retransmits"], promised, told, late)


def read_round_trips(path):
    """The samples of a watched connection: [(instant, nanoseconds)]."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file if line.endswith("\n")]
    return [(line["tNanos"], line["roundTripMicros"] * 1000) for line in lines]


def endless(series, round_trips, begin_nanos, end_nanos):
    """Judge the endless flow between two instants: a segment per round trip in every bin.

    Whole segments count, by the longest smoothed round trip that its sender knew in the bin.
    """
    bins = starved = 0
    least = None
    left = begin_nanos
    while left + BIN_NANOS <= end_nanos:
        right = left + BIN_NANOS
        longest = max(
            (nanos for instant, nanos in round_trips if left <= instant < right), default=None
        )
        wanted = BIN_NANOS // longest * SEGMENT_BYTES if longest else 0
        if wanted:
            part = (series.at(right) - series.at(left)) / wanted
            bins += 1
            starved += part < 1
            least = part if least is None else min(least, part)
        left = right
    return EndlessResult(series.mbps(begin_nanos, end_nanos), bins, starved, least)
