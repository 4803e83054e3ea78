# SPDX-License-Identifier: Apache-2.0
"""Greedy streams over one or several bottlenecks, stage by stage, against weighted max-min shares.

What is judged is a *part*: all that one endpoint sends over the same wires. Its share is in frame
bytes, which is what a wire charges. As in the dumbbell, every stage opens fresh TCP connections
half a second after its beginning and is judged over its last N-2 seconds.
"""

import time
from dataclasses import dataclass, field

from testbed.experiments.dumbbell.phases import FRESH_AFTER_NANOS, SETTLING_NANOS
from testbed.measure import bottleneck_queue, shares
from testbed.measure.max_min import Demand, saturated, weighted_max_min
from testbed.network import addresses
from testbed.system import processors
from testbed.traffic.generators import FLOOD_PORT, FRESH_TCP_PORTS

STATUS_SECONDS = 0.5  # for all agents together


@dataclass(frozen=True)
class Stream:
    """All that one endpoint sends to another by one transport ("tcp" or "udp"), greedily."""

    source: str
    target: str
    transport: str

    @property
    def name(self):
        """Such as h1>h5."""
        return f"{self.source}>{self.target}"


@dataclass(frozen=True)
class Stage:
    """A stretch of time with fixed weights ({host: weight}; one not named weighs 1)."""

    name: str
    seconds: float
    enforced: bool = True
    weights: dict = field(default_factory=dict)


@dataclass(frozen=True)
class StreamResult:
    """What one stream got, in frame bytes, and over which wires (names) it went."""

    stream: Stream
    wires: frozenset
    rate_mbps: float
    connection: dict | None  # the TCP program's report


@dataclass(frozen=True)
class PartResult:
    """What one endpoint got over the same wires."""

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
    """What one wire did."""

    name: str
    capacity_mbps: float
    utilisation: float
    is_saturated: bool  # as the expected shares have it
    queue: dict


@dataclass(frozen=True)
class StageResult:
    """All that is known of a stage after it."""

    stage: Stage
    begin_nanos: int
    streams: list
    parts: list
    wires: list
    cpu: processors.CpuUse
    moved: list  # streams that changed their wires meanwhile
    lost: list  # streams that no wire was seen to carry
    agents: dict = field(default_factory=dict)  # {host: status of its endpoint at the end}

    @property
    def end_nanos(self):
        """The stage's end."""
        return self.begin_nanos + int(self.stage.seconds * 1e9)


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


class SharingRunner:
    """Runs stages one after the other.

    placement: an object whose look() tells {stream: names of the wires that carry it now}.
    flood_mbps: what every UDP stream offers.
    """

    def __init__(self, site, traffic, streams, placement, congestion_control, flood_mbps):
        self.site = site
        self.traffic = traffic
        self.streams = streams
        self.placement = placement
        self.congestion_control = congestion_control
        self.flood_mbps = flood_mbps
        self.capacities_mbps = {
            link.name: link.capacity_mbps or site.bottleneck_mbps for link in site.network.wires
        }
        self.results = []
        self.floods = []

    def run(self, stage):
        """Run one stage and keep its result."""
        self.site.progress.say(f"phase {stage.name}: {stage.seconds:g} s")
        begin = time.monotonic_ns()
        end = begin + int(stage.seconds * 1e9)
        cpu_before = processors.cpu_times()
        port = FRESH_TCP_PORTS[len(self.results)]
        connections = {
            stream: self._connect(stream, port, begin + FRESH_AFTER_NANOS, end)
            for stream in self.streams
            if stream.transport == "tcp"
        }
        self._flood()
        self._set(stage)
        _sleep_until(begin + SETTLING_NANOS)
        queues = {link: agent.status() for link, agent in self.site.port_agents.items()}
        wires_before = self.placement.look()
        _sleep_until(end - int((self.placement.seconds + STATUS_SECONDS) * 1e9))
        told = {
            host: self.site.host_agents[host].status()["endpoints"]
            for host in dict.fromkeys(stream.source for stream in self.streams)
        }
        wires_after = self.placement.look()
        _sleep_until(end)
        cpu = processors.cpu_use(cpu_before, processors.cpu_times())
        queues = {
            link.name: bottleneck_queue.between(queues[link], agent.status())
            for link, agent in self.site.port_agents.items()
        }
        reports = {stream: job.report() for stream, job in connections.items()}
        streams = [
            StreamResult(
                *(stream, wires_after.get(stream) or wires_before.get(stream) or frozenset()),
                self._rate(stream, port, begin + SETTLING_NANOS, end),
                reports.get(stream),
            )
            for stream in self.streams
        ]
        placed = [each for each in streams if each.wires]
        parts = parts_of(placed, stage.weights, self.capacities_mbps)
        full = saturated_wires(parts, self.capacities_mbps)
        wires = [
            WireResult(
                *(link.name, self.capacities_mbps[link.name]),
                utilisation=self.traffic.link(link).mbps(begin + SETTLING_NANOS, end)
                / self.capacities_mbps[link.name],
                is_saturated=link.name in full,
                queue=queues[link.name],
            )
            for link in self.site.port_agents
        ]
        moved = [
            stream.name
            for stream in self.streams
            if stream in wires_before
            and stream in wires_after
            and wires_before[stream] != wires_after[stream]
        ]
        lost = [each.stream.name for each in streams if not each.wires]
        self.results.append(
            StageResult(stage, begin, streams, parts, wires, cpu, moved, lost, told)
        )
        self._tell(self.results[-1])

    def _connect(self, stream, port, start_nanos, stop_nanos):
        return self.traffic.tcp(
            *(stream.source, port, self.congestion_control),
            start_nanos=start_nanos,
            stop_nanos=stop_nanos,
            address=addresses.endpoint(stream.target).ip,
        )

    def _flood(self):
        """Start the floods, once: they go on from stage to stage."""
        if self.floods:
            return
        self.floods = [
            self.traffic.flood(
                stream.source,
                self.flood_mbps,
                start_nanos=time.monotonic_ns(),
                address=addresses.endpoint(stream.target).ip,
            )
            for stream in self.streams
            if stream.transport == "udp"
        ]

    def _set(self, stage):
        for host in {stream.source for stream in self.streams}:
            self.site.set_weight(host, stage.weights.get(host, 1))
        self.site.sluice.set(enforcement="on" if stage.enforced else "off")

    def series(self, stream, port):
        """The payload bytes of a stream at its receiver, so far; None before the first."""
        flow_port = port if stream.transport == "tcp" else FLOOD_PORT
        name = f"{stream.transport}/{addresses.endpoint(stream.source).ip}/{flow_port}"
        return self.traffic.flows(stream.target).get(name)

    def _rate(self, stream, port, begin_nanos, end_nanos):
        flow = self.series(stream, port)
        goodput = flow.mbps(begin_nanos, end_nanos) if flow else 0.0
        return goodput / shares.PAYLOAD_FRACTION[stream.transport]

    def _tell(self, result):
        words = ", ".join(f"{part.name} {part.share:.0%}" for part in result.parts)
        self.site.progress.say(f"  of the expected share: {words}")


def _sleep_until(instant_nanos):
    remaining = instant_nanos - time.monotonic_ns()
    if remaining > 0:
        time.sleep(remaining / 1e9)


def mean_cpu_use(results):
    """machine.CpuUse over several stages."""
    return processors.mean_cpu_use(
        [result.cpu for result in results], [result.stage.seconds for result in results]
    )
