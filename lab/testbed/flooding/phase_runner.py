# SPDX-License-Identifier: Apache-2.0
"""Running the phases of the dumbbell and measuring them."""

import time

from testbed.flooding.phases import (
    TCP_HOST,
    EndpointResult,
    PhaseResult,
    PhaseWindow,
    flow_name,
    flow_of,
)
from testbed.measure import bottleneck_queue, shares
from testbed.measure.quantiles import quantile
from testbed.system import processors
from testbed.traffic.generators import FRESH_TCP_PORTS, LONG_LIVED_PORT
from testbed.traffic.timing import FRESH_AFTER_NANOS

PROBE_HOST = "h2"
PROBE_INTERVAL_MILLIS = 10.0
LOST_PROBE_MILLIS = 1000.0


class PhaseRunner:
    """Runs phases one after the other on one Traffic."""

    def __init__(self, traffic, port_agent, bottleneck_mbps, congestion_control, progress):
        self.traffic = traffic
        self.port_agent = port_agent
        self.bottleneck_mbps = bottleneck_mbps
        self.congestion_control = congestion_control
        self.progress = progress
        self.windows = []

    def run(self, phase, enter=lambda: None, amid=lambda: None):
        """Run one phase; enter() makes the changes with which it begins, before it does.

        amid(): what happens to it once it has settled, as its judged part begins.
        """
        self.progress.log(f"phase {phase.name}: {phase.seconds:g} s")
        enter()
        window = PhaseWindow(
            *(phase, time.monotonic_ns(), FRESH_TCP_PORTS[len(self.windows)]),
            ip_version=self.traffic.ip_version,
        )
        self.windows.append(window)
        fresh = self.traffic.tcp(
            TCP_HOST,
            window.fresh_port,
            self.congestion_control,
            start_nanos=window.begin_nanos + FRESH_AFTER_NANOS,
            stop_nanos=window.end_nanos,
        )
        probe = self._probe(window.judged_from_nanos, window.end_nanos)
        self._log_goodputs_until(window, window.judged_from_nanos)
        amid()
        cpu_before = processors.cpu_times()
        queue_before = self.port_agent.status()
        self._log_goodputs_until(window, window.end_nanos)
        cpu = processors.cpu_use(cpu_before, processors.cpu_times())
        queue = bottleneck_queue.between(queue_before, self.port_agent.status())
        return self._measure(window, cpu, queue, fresh.report(), probe.report())

    def quiet_probe(self, seconds):
        """Measure the sparse flow without other traffic, for later comparison."""
        self.progress.log(f"quiet: {seconds:g} s")
        begin = time.monotonic_ns()
        end = begin + int(seconds * 1e9)
        return _probe_summary(self._probe(begin, end).report(seconds + 10))

    def _probe(self, begin_nanos, end_nanos):
        return self.traffic.probe(PROBE_HOST, begin_nanos, end_nanos, PROBE_INTERVAL_MILLIS)

    def _log_goodputs_until(self, window, until_nanos):
        while (remaining := until_nanos - time.monotonic_ns()) > 0:
            time.sleep(min(remaining, 2_000_000_000) / 1e9)
            now = min(time.monotonic_ns(), window.end_nanos)
            if window.end_nanos - now > 1_000_000_000:
                rates = self._goodputs(window, now - 1_000_000_000, now)
                words = ", ".join(f"{host} {rate:.1f}" for host, rate in rates.items())
                self.progress.log(f"  {window.phase.name}: {words} Mbit/s")

    def _goodputs(self, window, begin_nanos, end_nanos):
        flows = self.traffic.flows()
        return {
            host: _rate(flows, flow_of(host, window), begin_nanos, end_nanos)
            for host in window.phase.senders
        }

    def _measure(self, window, cpu, queue, fresh_report, probe_report):
        begin, end = window.judged_from_nanos, window.end_nanos
        parts = window.phase.parts
        active = [parts[host] for host in window.phase.senders]
        endpoints = []
        for host, goodput in self._goodputs(window, begin, end).items():
            kind = "tcp" if host == TCP_HOST else "udp"
            weight = window.phase.weights[host]
            charged = shares.payload_key(kind, window.ip_version)
            fair = shares.fair_share_mbps(self.bottleneck_mbps, parts[host], active, charged)
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
            flow_name("tcp", TCP_HOST, LONG_LIVED_PORT, self.traffic.ip_version)
        )
        if flow is None:
            return {"goodputMbps": 0.0, "longestStallSeconds": (end - begin) / 1e9}
        return {
            "goodputMbps": round(flow.mbps(begin, end), 3),
            "longestStallSeconds": round(flow.longest_stall_seconds(begin, end), 2),
        }


def _rate(flows, name, begin, end):
    return flows[name].mbps(begin, end) if name in flows else 0.0


def _probe_summary(report):
    """p50 and p99 in milliseconds; a lost answer counts as one after a second."""
    answered = [round_trip for _, round_trip in report["samples"]]
    lost = max(0, report["requests"] - len(answered))
    times = answered + [LOST_PROBE_MILLIS] * lost
    return {
        "requests": report["requests"],
        "lost": lost,
        "p50Millis": quantile(times, 0.50),
        "p99Millis": quantile(times, 0.99),
    }
