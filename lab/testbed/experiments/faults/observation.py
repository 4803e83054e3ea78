# SPDX-License-Identifier: Apache-2.0
"""What happens to traffic and control while a fault is there and afterwards."""

import json
import os
import time
from dataclasses import dataclass, field

from testbed.measure import gaps
from testbed.measure.shares import fair_share_mbps
from testbed.network import addresses
from testbed.report import expectations
from testbed.report.expectations import verdict
from testbed.system import polling, processors
from testbed.system.errors import LabError
from testbed.traffic.generators import FLOOD_PORT, Traffic

SETTLING_SECONDS = 30
WINDOW_NANOS = 500_000_000
TOLERANCE = 0.25
TAIL_BYTES = 1 << 16
NO_GAP_OVER_MILLIS = 500
CONTROL_WITHIN_MILLIS = 10_000


@dataclass
class Finding:
    """What one fault did; times in milliseconds, None where there is nothing to measure."""

    cause: str
    gap_others_millis: float | None = None
    gap_affected_millis: float | None = None
    recovery_millis: float | None = None
    recovery_of: str = ""
    cpu: processors.CpuUse | None = None
    figures: dict = field(default_factory=dict)
    leftovers: list = field(default_factory=list)
    expectations: list = field(default_factory=list)

    @property
    def verdict(self):
        """pass, fail or inconclusive.

        All bounds are upper ones in time: what holds on a busy machine holds.
        """
        holds = all(each.holds for each in self.expectations)
        return verdict(self.expectations, self.leftovers, None if holds else self.cpu)

    def expect(self, *judged):
        """Add expectations; for chaining."""
        self.expectations += judged
        return self

    def expect_no_gap(self, affected_too=True):
        """The bound that holds for the service of others, and mostly for the affected one."""
        self.expect(
            expectations.below("gap of others, ms", self.gap_others_millis, NO_GAP_OVER_MILLIS)
        )
        if affected_too:
            gap = self.gap_affected_millis
            self.expect(expectations.below("gap of the affected, ms", gap, NO_GAP_OVER_MILLIS))
        return self

    def expect_recovery(self, within_millis=CONTROL_WITHIN_MILLIS):
        """The bound for control's return."""
        return self.expect(
            expectations.below(f"{self.recovery_of}, ms", self.recovery_millis, within_millis)
        )

    def as_json(self, name):
        """As it stands in the result file."""
        return {
            "name": name,
            "cause": self.cause,
            "gapOthersMillis": _rounded(self.gap_others_millis),
            "gapAffectedMillis": _rounded(self.gap_affected_millis),
            "recoveryMillis": _rounded(self.recovery_millis),
            "recoveryOf": self.recovery_of,
            **({} if self.cpu is None else self.cpu.as_json()),
            "figures": self.figures,
            "leftovers": self.leftovers,
            "expectations": [each.as_json() for each in self.expectations],
            "verdict": self.verdict,
        }


def _rounded(value):
    return None if value is None else round(value, 1)


class Course:
    """Context manager: pings all the while, and floods if asked for; then what came of them.

    others, affected: (asking host, answering host) pairs of machines that are to be served without
    interruption, and those that the fault is about.
    """

    def __init__(self, scene, others, affected=(), with_load=False):
        self.scene = scene
        self.traffic = Traffic(scene.network, "fault")
        self.pairs = {"others": list(others), "affected": list(affected)}
        self.with_load = with_load
        self.caused_nanos = None
        self.healed_nanos = None
        self.recovery_millis = None
        self.gap_millis = {}
        self.gaps_by_pair = {}
        self.cpu = None
        self._streams = {}
        self._cpu_before = None

    def __enter__(self):
        try:
            for kind, pairs in self.pairs.items():
                self._streams[kind] = [
                    self.traffic.pings(asking, addresses.endpoint(other).ip)
                    for asking, other in pairs
                ]
            for stream in self._all_streams():
                stream.wait_until_under_way()
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
            for stream in self._all_streams():
                stream.interrupt()
            begin = self.caused_nanos or end
            for kind_of_pair, streams in self._streams.items():
                pairs = self.pairs[kind_of_pair]
                longest = [
                    gaps.longest_gap(gaps.instants(stream.report()), begin, end)
                    for stream in streams
                ]
                for (asking, other), (length, since) in zip(pairs, longest, strict=True):
                    self.gaps_by_pair[f"{asking} -> {other}"] = {
                        "longestMillis": round(1000 * length, 1),
                        "afterMillis": round(1000 * since, 1),
                    }
                self.gap_millis[kind_of_pair] = (
                    1000 * max(length for length, _ in longest) if longest else None
                )
        finally:
            self.traffic.end()

    def _all_streams(self):
        return [stream for streams in self._streams.values() for stream in streams]

    def _flood(self):
        self.traffic.start_measuring()
        for host in self.scene.flooding:
            self.traffic.flood(host, self.scene.offered_mbps, start_nanos=0)
        self.set_weights()
        self.wait_until_shares_hold()

    def set_weights(self):
        """Give the flooding hosts' tenants weights that they did not have before."""
        for host, weight in self.scene.turn_weights().items():
            polling.until(
                lambda h=host, w=weight: self.scene.site.set_weight(h, w) or True,
                "Sluice to take a weight",
                timeout_seconds=SETTLING_SECONDS,
            )

    def shares(self):
        """{flooding host: its goodput in the last half second / its fair share}."""
        weights = self.scene.weights
        rates = self._rates()
        return {
            host: rates.get(host, 0.0)
            / fair_share_mbps(self.scene.bottleneck_mbps, weight, weights.values(), "udp")
            for host, weight in weights.items()
        }

    def _rates(self):
        lines = _tail(self.traffic.flows_file(addresses.RECEIVER))
        if len(lines) < 2:
            return {}
        last = lines[-1]
        first = next(
            (line for line in reversed(lines) if last["tNanos"] - line["tNanos"] >= WINDOW_NANOS),
            lines[0],
        )
        passed = last["tNanos"] - first["tNanos"]
        if not passed:
            return {}
        flows = {
            host: f"udp/{addresses.endpoint(host).ip}/{FLOOD_PORT}" for host in self.scene.flooding
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
            told = ", ".join(f"{host} {share:.0%}" for host, share in self.shares().items())
            raise LabError(f"{late}: of their share got {told}") from late

    def cause(self):
        """The fault begins now."""
        self.caused_nanos = time.monotonic_ns()
        return self.caused_nanos

    def heal(self):
        """What was taken away comes back now."""
        self.healed_nanos = time.monotonic_ns()
        return self.healed_nanos

    def recover(self, condition=lambda: True, what="recovery"):
        """Set other weights, wait for a condition and until the shares follow, and note how long.

        Control is only proven by a decision that is carried out: hosts hold to old ones by
        themselves.
        """
        since = self.healed_nanos or self.caused_nanos
        polling.until(condition, what, timeout_seconds=3 * SETTLING_SECONDS, interval_seconds=0.1)
        self.set_weights()
        self.wait_until_shares_hold()
        self.recovery_millis = (time.monotonic_ns() - since) / 1e6

    def elapsed_millis(self):
        """Time since the cause."""
        return (time.monotonic_ns() - self.caused_nanos) / 1e6

    def _healed_millis(self):
        if self.healed_nanos is None:
            return None
        return round((self.healed_nanos - self.caused_nanos) / 1e6)

    def finding(self, cause, recovery_of="", **figures):
        """What was found; after the with block."""
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


def _tail(path):
    """The last whole samples of a sink's file, decoded."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - TAIL_BYTES))
        text = file.read().decode()
    lines = text.split("\n")[1 if size > TAIL_BYTES else 0 : -1]
    samples = (json.loads(line) for line in lines)
    return [sample for sample in samples if "tNanos" in sample]
