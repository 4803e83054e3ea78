# SPDX-License-Identifier: Apache-2.0
"""SED's small scenario (figure 9 of its paper) on the testbed: its flows and their results."""

import json
from dataclasses import dataclass

from testbed.measure import transfers
from testbed.turns import turn

PAPER_MBPS = 1000
ENDLESS_HOST = "h6"
FLOOD_HOSTS = ("h2", "h3")
HALF_SECONDS, SPARE_MILLIS = 5, 500
SEGMENT_BYTES = 1448
BIN_NANOS = 100_000_000


@dataclass(frozen=True)
class DeadlineFlow:
    """A flow of the scenario: its size, and when it is due after its SYN."""

    number: int
    size_bytes: int
    due_millis: int

    @property
    def host(self):
        """Its sender: every flow has one of its own."""
        return f"h{self.number}"


def small_scenario(capacity_mbps):
    """The five flows, their sizes scaled from the paper's 1 Gbit/s, their deadlines as printed."""
    megabytes, due_millis = (8, 12, 30, 50, 64), (300, 800, 1000, 3000, 5000)
    return [
        DeadlineFlow(number, round(size * 1e6 * capacity_mbps / PAPER_MBPS), due)
        for number, (size, due) in enumerate(zip(megabytes, due_millis, strict=True), start=1)
    ]


def half_of_the_port(capacity_mbps):
    """One flow, to be beside floods: it needs half of the port, and has little time to spare."""
    size_bytes = round(capacity_mbps * 1e6 / 2 * HALF_SECONDS / 8)
    return [DeadlineFlow(1, size_bytes, HALF_SECONDS * 1000 + SPARE_MILLIS)]


@dataclass(frozen=True)
class FlowResult:
    """One flow in one repetition; took_millis: SYN to last byte, None: not within the time."""

    flow: DeadlineFlow
    took_millis: float | None
    retransmits: int | None
    promised: bool | None  # Sluice's answer; None: the flow was not registered
    final_state: str | None = None  # of the registration
    late_millis: float | None = None  # how long after the planned instant its SYN was sent

    @property
    def is_met(self):
        """Whether the last byte arrived in time."""
        return self.took_millis is not None and self.took_millis <= self.flow.due_millis


@dataclass(frozen=True)
class EndlessResult:
    """The rate of the flow without a deadline, and in how many bins it was too low."""

    mbps: float
    bins: int
    starved_bins: int
    worst_bin_share: float | None  # of a segment per round trip


@dataclass(frozen=True)
class Mode(turn.Mode):
    """Whether the flows are registered with Sluice."""

    with_sluice: bool


WITHOUT, WITH = Mode("without Sluice", False), Mode("with Sluice", True)
MODES = (WITHOUT, WITH)


@dataclass(frozen=True)
class Turn(turn.Turn):
    """The scenario run once."""

    congestion_control: str
    flows: list
    endless: EndlessResult

    @property
    def is_met(self):
        """Whether all deadlines were met."""
        return all(result.is_met for result in self.flows)


def result_of(flow, report, start_nanos, promised=None, final_state=None):
    """The result of a flow that was to begin at an instant, from its transfer's report."""
    return FlowResult(
        flow,
        transfers.took_millis(report),
        report["retransmits"],
        promised,
        final_state,
        transfers.late_millis(report, start_nanos),
    )


def read_round_trips(path):
    """The round-trip times of a sampled connection: [(instant, nanoseconds)]."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file if line.endswith("\n")]
    return [(line["tNanos"], line["roundTripMicros"] * 1000) for line in lines]


def endless(series, round_trips, begin_nanos, end_nanos):
    """Judge the endless flow between two instants: a segment per round trip in every bin.

    Whole segments count, by the longest smoothed round-trip time of its sender in the bin.
    """
    bins = starved = 0
    worst = None
    left = begin_nanos
    while left + BIN_NANOS <= end_nanos:
        right = left + BIN_NANOS
        longest = max(
            (nanos for instant, nanos in round_trips if left <= instant < right), default=None
        )
        due_bytes = BIN_NANOS // longest * SEGMENT_BYTES if longest else 0
        if due_bytes:
            share = (series.at(right) - series.at(left)) / due_bytes
            bins += 1
            starved += share < 1
            worst = share if worst is None else min(worst, share)
        left = right
    return EndlessResult(series.mbps(begin_nanos, end_nanos), bins, starved, worst)
