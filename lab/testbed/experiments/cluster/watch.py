# SPDX-License-Identifier: Apache-2.0
"""What traffic gets during a case, by the second, and what happens to connections and pings."""

import time

from testbed.flooding.phases import FLOODING_HOSTS, TCP_HOST, flow_name
from testbed.measure import crossings, gaps, shares
from testbed.measure.series import CumulativeSeries, SummedSeries
from testbed.network import addresses
from testbed.report.processor_log import ProcessorLog
from testbed.system import processors
from testbed.traffic.generators import FLOOD_PORT, FRESH_TCP_PORTS, Traffic

# Three together are twice what the bottleneck carries.
FLOOD_PART = 2 / 3
HORIZON_SECONDS = 3600  # no case takes that long, also on a busy machine
FULL_LINK = 0.93
SECOND_NANOS = 1_000_000_000
# A moved weight is in force once its host has crossed the middle of its part, for so long.
WINDOW_NANOS, STEP_NANOS, STAY_NANOS = 200_000_000, 20_000_000, 500_000_000
PAIRS = ((TCP_HOST, addresses.RECEIVER), ("h4", addresses.RECEIVER), ("h3", "h4"))
LOG_EVERY_SECONDS = 5
SETTLING_SECONDS = 5


class Watch:
    """Context manager: one TCP connection, three floods and pings, measured when it closes."""

    def __init__(self, site, name, congestion_control):
        self.site = site
        self.traffic = Traffic(site.network, name, horizon_seconds=HORIZON_SECONDS)
        self.congestion_control = congestion_control
        self.marks = []  # (instant, what)
        self.begin_nanos = self.end_nanos = None
        self.cpu = None
        self.flows = self.link = None
        self.resets = None
        self.gaps_seconds = {}
        self._pings = []
        self._log = None

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self.traffic.end()
            raise
        return self

    def _start(self):
        traffic = self.traffic
        traffic.start_measuring()
        rate = FLOOD_PART * self.site.deployment.bottleneck_mbps
        for host in FLOODING_HOSTS:
            traffic.flood(host, rate, start_nanos=0)
        traffic.tcp(
            *(TCP_HOST, FRESH_TCP_PORTS[0], self.congestion_control),
            start_nanos=0,
            stop_nanos=traffic.horizon_nanos,
        )
        self._pings = [
            traffic.pings(source, addresses.endpoint(target).ip) for source, target in PAIRS
        ]
        for job in self._pings:
            job.wait_until_answered()

    def begin(self):
        """What is measured begins once the floods are controlled."""
        self.hold(SETTLING_SECONDS)
        self._resets_before = self._established_resets()
        self._cpu_before = processors.cpu_times()
        self._log = ProcessorLog()
        self.begin_nanos = time.monotonic_ns()

    def mark(self, what):
        """Something happens now; the instant."""
        instant = time.monotonic_ns()
        self.site.progress.log(f"  {what}")
        self.marks.append((instant, what))
        return instant

    def hold(self, seconds):
        """Let time pass, with a line of progress now and then."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, LOG_EVERY_SECONDS))
            now = time.monotonic_ns()
            rates = {
                host: series.mbps(now - SECOND_NANOS, now)
                for host, series in self._series(self.traffic.flows()).items()
            }
            words = ", ".join(f"{host} {rate:.1f}" for host, rate in rates.items())
            self.site.progress.log(f"  {words} Mbit/s")

    def __exit__(self, kind, failure, trace):
        try:
            if kind is None:
                self._finish()
        finally:
            if self._log is not None:
                self._log.stop()
            self.traffic.end()

    def _finish(self):
        self.end_nanos = time.monotonic_ns()
        self.resets = self._established_resets() - self._resets_before
        self.cpu = processors.cpu_use(self._cpu_before, processors.cpu_times())
        self._log.stop()
        for (source, target), job in zip(PAIRS, self._pings, strict=True):
            job.interrupt()
            answered = gaps.instants(job.report())
            self.gaps_seconds[f"{source} -> {target}"] = gaps.longest_gap(
                answered, self.begin_nanos, self.end_nanos
            )
        self.flows = self._series(self.traffic.flows())
        self.link = self.traffic.link()

    def _series(self, flows):
        names = {TCP_HOST: flow_name("tcp", TCP_HOST, FRESH_TCP_PORTS[0], 4)} | {
            host: flow_name("udp", host, FLOOD_PORT, 4) for host in FLOODING_HOSTS
        }
        return {host: flows.get(name, CumulativeSeries([(0, 0)])) for host, name in names.items()}

    def _established_resets(self):
        return sum(
            established_resets(machine.check(["cat", "/proc/net/snmp"]))
            for machine in self.site.network.machines.values()
        )

    def seconds(self):
        """[(second, TCP / its due, utilisation, whether the machine was busy)]."""
        busy = self._log.busy_seconds(self.begin_nanos, self.end_nanos)
        capacity = self.site.deployment.bottleneck_mbps
        weights = [1, *self.site.weights.values()]
        due = shares.fair_share_mbps(capacity, 1, weights, "tcp")
        tcp = self.flows[TCP_HOST].binned_mbps(self.begin_nanos, self.end_nanos, SECOND_NANOS)
        link = self.link.binned_mbps(self.begin_nanos, self.end_nanos, SECOND_NANOS)
        return [
            (second, rate / due, used / capacity, second in busy)
            for second, ((_, rate), (_, used)) in enumerate(zip(tcp, link, strict=True))
        ]

    def in_force_seconds(self, host, since_nanos):
        """How long after an instant a host had its part of a weight of 2 among 1 and 1."""
        others = SummedSeries(self.flows[each] for each in FLOODING_HOSTS if each != host)
        points = crossings.parts_over_time(
            *(self.flows[host], others, since_nanos - SECOND_NANOS, self.end_nanos),
            *(WINDOW_NANOS, STEP_NANOS),
        )
        crossed = crossings.crossed_at(
            points, 3 / 8, rising=True, since_nanos=since_nanos, stay_nanos=STAY_NANOS
        )
        return None if crossed is None else (crossed - since_nanos) / SECOND_NANOS


def established_resets(snmp):
    """Connections that were reset while they were established; snmp: /proc/net/snmp."""
    names, values = (line.split() for line in snmp.splitlines() if line.startswith("Tcp:"))
    return int(dict(zip(names, values, strict=True))["EstabResets"])
