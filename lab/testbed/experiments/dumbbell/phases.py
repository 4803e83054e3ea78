# SPDX-License-Identifier: Apache-2.0
"""Phases: what runs in each, and what is measured from it.

Every phase opens a fresh TCP connection half a second after its beginning, and is judged on that
one over its last N-2 seconds: a connection that was starved before sits in retransmission back-off
for seconds whatever anybody does. A long-lived connection (a thin paced stream, so that it does not
compete with the judged one) is watched beside it.
"""

import time
from dataclasses import dataclass, field

from testbed.measure import bottleneck_queue, shares
from testbed.measure.quantiles import quantile
from testbed.network import addresses
from testbed.system import processors
from testbed.traffic.generators import FLOOD_PORT, FRESH_TCP_PORTS, LONG_LIVED_PORT

FRESH_AFTER_NANOS = 500_000_000
SETTLING_NANOS = 2_000_000_000
TCP_HOST = "h1"
PROBE_HOST = "h2"
FLOODING_HOSTS = ("h2", "h3", "h4")
LOST_PROBE_MILLIS = 1000.0


@dataclass(frozen=True)
class Phase:
    """A part of an experiment with fixed senders and weights."""

    name: str
    seconds: float
    flooding: bool
    weights: dict = field(default_factory=lambda: dict.fromkeys(addresses.SENDERS, 1))

    @property
    def senders(self):
        """Hosts that send in this phase."""
        return (TCP_HOST, *FLOODING_HOSTS) if self.flooding else (TCP_HOST,)


@dataclass(frozen=True)
class EndpointResult:
    """What one endpoint got in a phase."""

    name: str
    transport: str
    weight: float
    goodput_mbps: float
    fair_share_mbps: float

    @property
    def share(self):
        """Goodput as a part of the fair share."""
        return self.goodput_mbps / self.fair_share_mbps


@dataclass(frozen=True)
class PhaseWindow:
    """When a phase ran, by CLOCK_MONOTONIC."""

    phase: Phase
    begin_nanos: int
    fresh_port: int
    ip_version: int = 4

    @property
    def judged_from_nanos(self):
        """Where judging begins."""
        return self.begin_nanos + SETTLING_NANOS

    @property
    def end_nanos(self):
        """The phase's end."""
        return self.begin_nanos + int(self.phase.seconds * 1e9)


@dataclass(frozen=True)
class PhaseResult:
    """All that is known of a phase after it."""

    window: PhaseWindow
    utilisation: float
    jain: float | None
    endpoints: list
    cpu: processors.CpuUse
    fresh_connection: dict
    long_lived: dict
    probe: dict
    queue: dict

    @property
    def name(self):
        """The phase's name."""
        return self.window.phase.name

    def endpoint(self, host):
        """The result of one sender."""
        return next(result for result in self.endpoints if result.name == host)


def mean_cpu_use(results):
    """machine.CpuUse over several phases."""
    return processors.mean_cpu_use(
        [result.cpu for result in results], [result.window.phase.seconds for result in results]
    )


class PhaseRunner:
    """Runs phases one after the other on one Traffic."""

    def __init__(self, traffic, port_agent, bottleneck_mbps, congestion_control, progress):
        self.traffic = traffic
        self.port_agent = port_agent
        self.bottleneck_mbps = bottleneck_mbps
        self.congestion_control = congestion_control
        self.progress = progress
        self.windows = []

    def run(self, phase, enter=lambda: None):
        """Run one phase; enter() brings about what is new in it, as its first act."""
        self.progress.say(f"phase {phase.name}: {phase.seconds:g} s")
        window = PhaseWindow(
            *(phase, time.monotonic_ns(), FRESH_TCP_PORTS[len(self.windows)]),
            ip_version=self.traffic.ip_version,
        )
        self.windows.append(window)
        cpu_before = processors.cpu_times()
        fresh = self.traffic.tcp(
            TCP_HOST,
            window.fresh_port,
            self.congestion_control,
            start_nanos=window.begin_nanos + FRESH_AFTER_NANOS,
            stop_nanos=window.end_nanos,
        )
        probe = self.traffic.probe(PROBE_HOST, window.judged_from_nanos, window.end_nanos)
        enter()
        self._sit_out(window, window.judged_from_nanos)
        queue_before = self.port_agent.status()
        self._sit_out(window, window.end_nanos)
        cpu = processors.cpu_use(cpu_before, processors.cpu_times())
        queue = bottleneck_queue.between(queue_before, self.port_agent.status())
        return self._measure(window, cpu, queue, fresh.report(), probe.report())

    def quiet_probe(self, seconds):
        """The sparse flow on a network without other traffic: what it is later compared with."""
        self.progress.say(f"quiet: {seconds:g} s")
        begin = time.monotonic_ns()
        end = begin + int(seconds * 1e9)
        return _probe_summary(self.traffic.probe(PROBE_HOST, begin, end).report(seconds + 10))

    def _sit_out(self, window, until_nanos):
        while (remaining := until_nanos - time.monotonic_ns()) > 0:
            time.sleep(min(remaining, 2_000_000_000) / 1e9)
            now = min(time.monotonic_ns(), window.end_nanos)
            if window.end_nanos - now > 1_000_000_000:
                rates = self._goodputs(window, now - 1_000_000_000, now)
                words = ", ".join(f"{host} {rate:.1f}" for host, rate in rates.items())
                self.progress.say(f"  {window.phase.name}: {words} Mbit/s")

    def _goodputs(self, window, begin_nanos, end_nanos):
        flows = self.traffic.flows()
        return {
            host: _rate(flows, flow_of(host, window), begin_nanos, end_nanos)
            for host in window.phase.senders
        }

    def _measure(self, window, cpu, queue, fresh_report, probe_report):
        begin, end = window.judged_from_nanos, window.end_nanos
        active = [window.phase.weights[host] for host in window.phase.senders]
        endpoints = []
        for host, goodput in self._goodputs(window, begin, end).items():
            kind = "tcp" if host == TCP_HOST else "udp"
            weight = window.phase.weights[host]
            charged = shares.over(kind, window.ip_version)
            fair = shares.fair_share_mbps(self.bottleneck_mbps, weight, active, charged)
            transport = f"tcp/{self.congestion_control}" if kind == "tcp" else "udp"
            endpoints.append(EndpointResult(host, transport, weight, goodput, fair))
        return PhaseResult(
            window=window,
            utilisation=self.traffic.link().mbps(begin, end) / self.bottleneck_mbps,
            jain=shares.jain([result.share for result in endpoints]),
            endpoints=endpoints,
            cpu=cpu,
            fresh_connection=fresh_report,
            long_lived=self._long_lived(begin, end),
            probe=_probe_summary(probe_report),
            queue=queue,
        )

    def _long_lived(self, begin, end):
        flow = self.traffic.flows().get(
            _flow("tcp", TCP_HOST, LONG_LIVED_PORT, self.traffic.ip_version)
        )
        if flow is None:
            return {"goodputMbps": 0.0, "longestStandstillSeconds": (end - begin) / 1e9}
        return {
            "goodputMbps": round(flow.mbps(begin, end), 3),
            "longestStandstillSeconds": round(flow.longest_standstill_seconds(begin, end), 2),
        }


def flow_of(host, window):
    """Name in the sink's series of the flow that a sender is judged by."""
    if host == TCP_HOST:
        return _flow("tcp", host, window.fresh_port, window.ip_version)
    return _flow("udp", host, FLOOD_PORT, window.ip_version)


def _flow(kind, host, port, ip_version):
    return f"{kind}/{addresses.endpoint(host).address(ip_version)}/{port}"


def _rate(flows, name, begin, end):
    return flows[name].mbps(begin, end) if name in flows else 0.0


def _probe_summary(report):
    """p50 and p99 in milliseconds; a lost answer counts as one that took a second."""
    answered = [round_trip for _, round_trip in report["samples"]]
    lost = max(0, report["asked"] - len(answered))
    times = answered + [LOST_PROBE_MILLIS] * lost
    return {
        "asked": report["asked"],
        "lost": lost,
        "p50Millis": quantile(times, 0.50),
        "p99Millis": quantile(times, 0.99),
    }
