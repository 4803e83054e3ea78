# SPDX-License-Identifier: Apache-2.0
"""Turns of the experiment: who sends in each, and what was measured."""

from dataclasses import dataclass

from testbed.deployment.marked_tcp import SLUICE_DADCTCP, SLUICE_DCTCP
from testbed.measure.quantiles import median, quantile
from testbed.measure.shares import jain
from testbed.turns import turn


@dataclass(frozen=True)
class Mode(turn.Mode):
    """What senders use; takes_marks: it is one of the agent's; by_slope: the queue marks so."""

    congestion_control: str
    takes_marks: bool = False
    by_slope: bool = False


CUBIC = Mode("cubic", "cubic")
BBR = Mode("bbr", "bbr")
DCTCP = Mode("dctcp", SLUICE_DCTCP, takes_marks=True)
DADCTCP = Mode("dadctcp", SLUICE_DADCTCP, takes_marks=True, by_slope=True)
MODES = (CUBIC, BBR, DCTCP, DADCTCP)


@dataclass(frozen=True)
class Turn(turn.Turn):
    """The measurements of one turn.

    connections: the kernel's state of each (programs/greedy_tcp.py); round_trip_millis: of
    requests through the same queue, every one.
    """

    flows: int
    connections: list
    round_trip_millis: list
    lost_requests: int
    queue: dict

    @property
    def goodput_mbps(self):
        """Payload of all connections."""
        return sum(each["mbps"] for each in self.connections)

    @property
    def jain(self):
        """Fairness of the connections' goodput."""
        return jain([each["mbps"] for each in self.connections])

    @property
    def retransmits(self):
        """Of all connections, from their beginning on."""
        return sum(each["retransmits"] for each in self.connections)

    @property
    def delivered_ce(self):
        """How many packets arrived with CE, and were reported back."""
        return sum(each["deliveredCe"] for each in self.connections)

    def round_trip(self, share):
        """Quantile of round trips, ms."""
        return quantile(self.round_trip_millis, share)


@dataclass(frozen=True)
class Summary:
    """All turns of a mode with so many flows: medians, and p99 round trips of each."""

    mode: Mode
    flows: int
    goodput_mbps: float
    p50_millis: float
    p99_millis: float
    most_p99_millis: float
    retransmits: int
    jain: float


def summaries(turns):
    """A Summary for each mode and number of flows, in the order of the first turns."""
    return [_summary(*kind, own) for kind, own in turn.by(turns, "flows", "mode").items()]


def _summary(flows, mode, turns):
    p99s = [each.round_trip(0.99) for each in turns]
    return Summary(
        mode,
        flows,
        goodput_mbps=median([each.goodput_mbps for each in turns]),
        p50_millis=median([each.round_trip(0.50) for each in turns]),
        p99_millis=median(p99s),
        most_p99_millis=max(p99s),
        retransmits=median([each.retransmits for each in turns]),
        jain=min(each.jain or 0 for each in turns),
    )
