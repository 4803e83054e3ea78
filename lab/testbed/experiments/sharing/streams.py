# SPDX-License-Identifier: Apache-2.0
"""Streams, the stages in which they are measured, and their weighted max-min shares.

What is judged is a *part*: all that one endpoint sends over the same wires. Its share is in frame
bytes, which is what a wire counts. As in the dumbbell, every stage opens fresh TCP connections half
a second after its beginning and is judged over its last N-2 seconds.
"""

from dataclasses import dataclass, field

from testbed.measure.max_min import Demand, saturated, weighted_max_min
from testbed.system import processors


@dataclass(frozen=True)
class Stream:
    """All that one endpoint sends to another by a transport ("tcp" or "udp"), greedily."""

    source: str
    target: str
    transport: str

    @property
    def name(self):
        """Such as h1>h5."""
        return f"{self.source}>{self.target}"


@dataclass(frozen=True)
class Stage:
    """An interval with fixed weights ({host: weight}; 1 for any other host)."""

    name: str
    seconds: float
    enforced: bool = True
    weights: dict = field(default_factory=dict)


@dataclass(frozen=True)
class StreamResult:
    """The rate of one stream in frame bytes, and the names of the wires that it crossed."""

    stream: Stream
    wires: frozenset
    rate_mbps: float
    connection: dict | None  # the TCP program's report


@dataclass(frozen=True)
class PartResult:
    """The rate of all that one endpoint sends over the same wires."""

    host: str
    transport: str
    weight: float
    wires: tuple
    rate_mbps: float
    expected_mbps: float

    @property
    def share(self):
        """Rate as a part of the weighted max-min share."""
        return self.rate_mbps / self.expected_mbps

    @property
    def name(self):
        """Such as "h1 over s1-s2"."""
        return f"{self.host} over {' + '.join(self.wires)}"


@dataclass(frozen=True)
class WireResult:
    """The utilisation and the queue of one wire."""

    name: str
    capacity_mbps: float
    utilisation: float
    is_saturated: bool  # by the expected shares
    queue: dict


@dataclass(frozen=True)
class StageResult:
    """All measurements of a stage."""

    stage: Stage
    streams: list
    parts: list
    wires: list
    cpu: processors.CpuUse
    moved: list  # streams that changed their wires during it
    unplaced: list  # streams that were observed on no wire
    agents: dict = field(default_factory=dict)  # {host: its endpoints' status at the end}

    @property
    def seconds(self):
        """How long it lasted."""
        return self.stage.seconds


def parts_of(streams, weights, capacities_mbps):
    """PartResults of StreamResults.

    weights: {host: weight}; capacities_mbps: {wire's name: Mbit/s}.
    """
    groups = {}
    for each in streams:
        groups.setdefault((each.stream.source, each.wires), []).append(each)
    demands = [Demand(key, weights.get(key[0], 1), key[1]) for key in groups]
    expected = weighted_max_min(capacities_mbps, demands)
    return [
        PartResult(
            host=host,
            transport="+".join(sorted({each.stream.transport for each in members})),
            weight=weights.get(host, 1),
            wires=tuple(name for name in capacities_mbps if name in wires),
            rate_mbps=sum(each.rate_mbps for each in members),
            expected_mbps=expected[host, wires],
        )
        for (host, wires), members in groups.items()
    ]


def saturated_wires(parts, capacities_mbps):
    """Names of the wires that the expected shares of PartResults fill."""
    demands = [Demand(part.name, part.weight, frozenset(part.wires)) for part in parts]
    expected = {part.name: part.expected_mbps for part in parts}
    return saturated(capacities_mbps, demands, expected)
