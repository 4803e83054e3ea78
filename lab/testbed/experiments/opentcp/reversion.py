# SPDX-License-Identifier: Apache-2.0
"""How soon hosts have their defaults back once the network is no longer lightly loaded."""

import time
from dataclasses import dataclass

from testbed.measure import trailing
from testbed.measure.series import CumulativeSeries
from testbed.programs import cap_sampler, clock
from testbed.system import processors

UTILISATION, DROPS = "utilisation", "drops"
MOST_UTILISATION, MOST_DROPPED = 0.70, 0.001  # OpenTCP2's
SAMPLE_NANOS = 10_000_000
LEAD_NANOS = 500_000_000
SECOND = 1_000_000_000
# How many cycles a cause lasts: it may begin anywhere in one, and then needs a whole one.
CAUSE_CYCLES = 3


@dataclass(frozen=True)
class Cause:
    """UDP floods; rate: of the wire's capacity, each; on, off: in bursts of so long, ms."""

    name: str
    hosts: tuple
    rate: float
    on_millis: int = 0
    off_millis: int = 0


CAUSES = (
    # Fits into the wire: nothing is lost.
    Cause(UTILISATION, ("h3",), 0.85),
    # A tenth of the time, at a rate that no queue has room for: little is sent.
    Cause(DROPS, ("h3", "h4"), 1.5, on_millis=20, off_millis=180),
)


@dataclass(frozen=True)
class Reversion:
    """One measurement; instants in ns of CLOCK_MONOTONIC, None: it did not happen.

    crossed: the first instant before which utilisation (drops) of a whole cycle had reached the
    constraint; other_crossed: the same of the constraint that the cause is not about.
    """

    cause: str
    number: int
    cycle_seconds: float
    began_nanos: int
    crossed_nanos: int | None
    other_crossed_nanos: int | None
    ended_nanos: int | None
    evidence: list  # of the journal's entries
    seconds: float
    cpu: processors.CpuUse

    @property
    def after_crossing_seconds(self):
        """From the crossing until no route has hints."""
        return self._until_end(self.crossed_nanos)

    @property
    def after_beginning_seconds(self):
        """From the first packet of the cause until no route has hints."""
        return self._until_end(self.began_nanos)

    @property
    def is_by_its_cause_alone(self):
        """Whether hints ended after the crossing, before the other constraint was reached."""
        if None in (self.crossed_nanos, self.ended_nanos) or self.ended_nanos < self.crossed_nanos:
            return False
        return self.other_crossed_nanos is None or self.other_crossed_nanos > self.ended_nanos

    def _until_end(self, instant):
        return None if None in (instant, self.ended_nanos) else (self.ended_nanos - instant) / 1e9


class WireCounters:
    """What the wire's port agent has counted, over time."""

    def __init__(self, capacity_mbps):
        self._bytes_per_nano = capacity_mbps / 8e3
        self.instants = []
        self.sent_bytes = CumulativeSeries()
        self.possible_bytes = CumulativeSeries()
        self.dropped_packets = CumulativeSeries()
        self.all_packets = CumulativeSeries()

    def add(self, now_nanos, status):
        """Take a status document of the port agent."""
        self.instants.append(now_nanos)
        self.sent_bytes.add(now_nanos, status["sentBytes"])
        self.possible_bytes.add(now_nanos, now_nanos * self._bytes_per_nano)
        self.dropped_packets.add(now_nanos, status["droppedPackets"])
        whole = status["sentPackets"] + status["droppedPackets"]
        self.all_packets.add(now_nanos, whole)

    def crossings(self, window_nanos):
        """{constraint: the first instant at which it had been reached over a window}."""
        whole = [each for each in self.instants if each >= self.instants[0] + window_nanos]
        pairs = {
            UTILISATION: (self.sent_bytes, self.possible_bytes, MOST_UTILISATION),
            DROPS: (self.dropped_packets, self.all_packets, MOST_DROPPED),
        }
        return {
            name: trailing.first_reached(counted, possible, whole, window_nanos, bound)
            for name, (counted, possible, bound) in pairs.items()
        }


def measure(deployment, traffic, routes, cause, number, cycle_seconds, hinted):
    """Measure once, with hints in force at the beginning.

    routes: HintedRoutes; hinted: the metrics that hints are. The network is idle otherwise.
    """
    cycle = int(cycle_seconds * SECOND)
    routes.wait_for(hinted, timeout_seconds=20 + 3 * cycle_seconds)
    capacity = deployment.bottleneck_mbps
    journal_end = deployment.sluice.journal_end()
    counters = WireCounters(capacity)
    begin = time.monotonic_ns() + LEAD_NANOS + cycle
    stop = begin + CAUSE_CYCLES * cycle
    for host in cause.hosts:
        traffic.flood(
            *(host, cause.rate * capacity),
            start_nanos=begin,
            stop_nanos=stop,
            on_millis=cause.on_millis,
            off_millis=cause.off_millis,
        )
    before = processors.cpu_times()
    socket = str(deployment.port_agent.socket)
    while (now := time.monotonic_ns()) < stop:
        counters.add(now, cap_sampler.status(socket))
        clock.sleep_until(now + SAMPLE_NANOS)
    cpu = processors.cpu_use(before, processors.cpu_times())
    crossings = counters.crossings(cycle)
    (other,) = set(crossings) - {cause.name}
    return Reversion(
        cause=cause.name,
        number=number,
        cycle_seconds=cycle_seconds,
        began_nanos=begin,
        crossed_nanos=crossings[cause.name],
        other_crossed_nanos=crossings[other],
        ended_nanos=routes.all_without_since(begin),
        evidence=[
            f"{entry['decision']}: {entry['evidence']}"
            for entry in deployment.sluice.journal(after=journal_end)
            if entry["kind"] == "policy"
        ],
        seconds=(stop - begin) / 1e9,
        cpu=cpu,
    )
