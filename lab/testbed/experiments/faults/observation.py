# SPDX-License-Identifier: Apache-2.0
"""Traffic during and after a fault: gaps between pings, shares, and when control works again."""

import json
import os
import time

from testbed.experiments.faults.finding import Finding
from testbed.measure import gaps
from testbed.measure.shares import fair_share_mbps
from testbed.network import addresses
from testbed.programs import clock
from testbed.system import polling, processors
from testbed.system.errors import LabError
from testbed.traffic.generators import FLOOD_PORT, Traffic

SETTLING_SECONDS = 30
WINDOW_NANOS = 500_000_000
TOLERANCE = 0.25
TAIL_BYTES = 1 << 16


class Observation:
    """Context manager: pings while it is open, and floods if wanted; measured when it closes.

    others, affected: (source host, target host) pairs of machines that are to be served without
    interruption, and those that the fault is about.
    """

    def __init__(self, environment, others, affected=(), with_load=False):
        self.environment = environment
        self.traffic = Traffic(environment.network, "fault")
        self.pairs = {"others": list(others), "affected": list(affected)}
        self.with_load = with_load
        self.caused_nanos = None
        self.healed_nanos = None
        self.recovery_millis = None
        self.gap_millis = {}
        self.gaps_by_pair = {}
        self.cpu = None
        self._pings = {}
        self._cpu_before = None

    def __enter__(self):
        try:
            for group, pairs in self.pairs.items():
                self._pings[group] = [
                    self.traffic.pings(source, addresses.endpoint(target).ip)
                    for source, target in pairs
                ]
            for job in self._all_pings():
                job.wait_until_answered()
            if self.with_load:
                self._flood()
        except BaseException:
            self.traffic.end()
            raise
        self._cpu_before = processors.cpu_times()
        return self

    def __exit__(self, kind, failure, trace):
        try:
            self.cpu = processors.cpu_use(self._cpu_before, processors.cpu_times())
            end = time.monotonic_ns()
            for job in self._all_pings():
                job.interrupt()
            begin = self.caused_nanos or end
            for group, jobs in self._pings.items():
                longest = [
                    gaps.longest_gap(gaps.instants(job.report()), begin, end) for job in jobs
                ]
                for (source, target), (length, since) in zip(
                    self.pairs[group], longest, strict=True
                ):
                    self.gaps_by_pair[f"{source} -> {target}"] = {
                        "longestMillis": round(1000 * length, 1),
                        "afterMillis": round(1000 * since, 1),
                    }
                self.gap_millis[group] = (
                    1000 * max(length for length, _ in longest) if longest else None
                )
        finally:
            self.traffic.end()

    def _all_pings(self):
        return [job for jobs in self._pings.values() for job in jobs]

    def _flood(self):
        self.traffic.start_measuring()
        for host in self.environment.flooding:
            self.traffic.flood(host, self.environment.offered_mbps, start_nanos=0)
        self.change_weights()
        self.wait_until_shares_hold()

    def change_weights(self):
        """Give the flooding hosts' tenants weights that they did not have before."""
        deployment = self.environment.deployment
        for host, weight in self.environment.rotate_weights().items():
            polling.until(
                lambda h=host, w=weight: deployment.set_weight(h, w) or True,
                "Sluice to accept a weight",
                timeout_seconds=SETTLING_SECONDS,
            )

    def shares(self, more_weights=()):
        """{flooding host: its goodput in the last half second / its fair share}.

        more_weights: of those that send beside them.
        """
        weights = self.environment.weights
        all_weights = [*weights.values(), *more_weights]
        bottleneck_mbps = self.environment.bottleneck_mbps
        rates = self._rates()
        return {
            host: rates.get(host, 0.0)
            / fair_share_mbps(bottleneck_mbps, weight, all_weights, "udp")
            for host, weight in weights.items()
        }

    def mean_shares(self, windows, more_weights=()):
        """{flooding host: its mean share over so many windows of half a second from now on}."""
        sums = dict.fromkeys(self.environment.weights, 0.0)
        begin_nanos = time.monotonic_ns()
        for number in range(1, windows + 1):
            clock.sleep_until(begin_nanos + number * WINDOW_NANOS)
            for host, share in self.shares(more_weights).items():
                sums[host] += share
        return {host: round(total / windows, 3) for host, total in sums.items()}

    def _rates(self):
        samples = last_samples(self.traffic.flows_file(addresses.RECEIVER))
        if len(samples) < 2:
            return {}
        last = samples[-1]
        first = next(
            (each for each in reversed(samples) if last["tNanos"] - each["tNanos"] >= WINDOW_NANOS),
            samples[0],
        )
        passed = last["tNanos"] - first["tNanos"]
        if not passed:
            return {}
        flows = {
            host: f"udp/{addresses.endpoint(host).ip}/{FLOOD_PORT}"
            for host in self.environment.flooding
        }
        return {
            host: (last["bytes"].get(flow, 0) - first["bytes"].get(flow, 0)) * 8e3 / passed
            for host, flow in flows.items()
        }

    def shares_hold(self):
        """Whether all flooding hosts have had about their share for the last half second."""
        return all(abs(share - 1) <= TOLERANCE for share in self.shares().values())

    def wait_until_shares_hold(self, timeout_seconds=SETTLING_SECONDS):
        """Wait for that."""
        try:
            polling.until(self.shares_hold, "shares as weighted", timeout_seconds=timeout_seconds)
        except LabError as late:
            shares = ", ".join(f"{host} {share:.0%}" for host, share in self.shares().items())
            raise LabError(f"{late}: parts of their shares are {shares}") from late

    def mark_fault(self):
        """The fault begins now."""
        self.caused_nanos = time.monotonic_ns()
        return self.caused_nanos

    def mark_healed(self):
        """What had failed is restored from now on."""
        self.healed_nanos = time.monotonic_ns()
        return self.healed_nanos

    def measure_recovery(self, condition=lambda: True, what="recovery"):
        """Measure the time until a condition holds and the shares follow new weights.

        Only a new decision that takes effect proves control: hosts keep to old ones by themselves.
        """
        since = self.healed_nanos or self.caused_nanos
        polling.until(condition, what, timeout_seconds=3 * SETTLING_SECONDS, interval_seconds=0.1)
        self.change_weights()
        self.wait_until_shares_hold()
        self.recovery_millis = (time.monotonic_ns() - since) / 1e6

    def elapsed_millis(self):
        """Time since the fault began."""
        return (time.monotonic_ns() - self.caused_nanos) / 1e6

    def _healed_millis(self):
        if self.healed_nanos is None:
            return None
        return round((self.healed_nanos - self.caused_nanos) / 1e6)

    def finding(self, cause, recovery_of="", **figures):
        """The measurements; after the with block."""
        return Finding(
            cause=cause,
            gap_others_millis=self.gap_millis.get("others"),
            gap_affected_millis=self.gap_millis.get("affected"),
            recovery_millis=self.recovery_millis,
            recovery_of=recovery_of,
            cpu=self.cpu,
            figures={
                **figures,
                "healedAfterMillis": self._healed_millis(),
                "gaps": self.gaps_by_pair,
            },
        )


def last_samples(path):
    """The last complete samples of a sink's file, decoded."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - TAIL_BYTES))
        text = file.read().decode()
    lines = text.split("\n")[1 if size > TAIL_BYTES else 0 : -1]
    samples = (json.loads(line) for line in lines)
    return [sample for sample in samples if "tNanos" in sample]
