# SPDX-License-Identifier: Apache-2.0
"""Caps of background queues: how often, how low, and how long beyond their timeouts.

From samples of a port's kernel classes and of its agent (programs/cap_sampler.py).
"""

import json
from dataclasses import dataclass

# Rates in the kernel are whole bytes a second.
LEAST_REDUCTION = 0.999


@dataclass(frozen=True)
class Caps:
    """What was in force at a port.

    overrun_millis: the longest that a class stayed capped after the end of the last cap that its
    agent knew; timeout_millis: the longest that a cap was still to last when its agent was read;
    0 without caps.
    """

    samples: int
    capped_samples: int
    times: int
    least_mbps: float | None
    timeout_millis: float
    overrun_millis: float

    @property
    def capped_share(self):
        """Share of the time with a cap in force."""
        return self.capped_samples / self.samples if self.samples else 0.0

    def as_json(self):
        """Its part of a result document."""
        return {
            "samples": self.samples,
            "cappedShare": round(self.capped_share, 4),
            "times": self.times,
            "leastMbps": self.least_mbps if self.least_mbps is None else round(self.least_mbps, 3),
            "timeoutMillis": round(self.timeout_millis, 3),
            "overrunMillis": round(self.overrun_millis, 3),
        }


def read(path):
    """The samples of a series file; its writer may be in the middle of the last line."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


def judge(samples, capacity_mbps):
    """Caps from samples in the order of time; a class that may send the capacity has none."""
    full = capacity_mbps * 1e6 * LEAST_REDUCTION
    lowest, timeout, overrun = None, 0.0, 0.0
    capped_samples = times = 0
    was_capped = False
    ends_nanos = 0  # of the latest cap that is known
    for sample in samples:
        for cap in sample["caps"]:
            timeout = max(timeout, cap["capEndsInMillis"])
            ends_nanos = max(ends_nanos, sample["statusNanos"] + cap["capEndsInMillis"] * 1e6)
        ceilings = [ceiling for ceiling in sample["ceilings"] if ceiling < full]
        if ceilings:
            capped_samples += 1
            lowest = min(ceilings if lowest is None else [lowest, *ceilings])
            if not was_capped:
                times += 1
                # One that ends before its agent is read ends no earlier than it was seen.
                ends_nanos = max(ends_nanos, sample["tNanos"])
            overrun = max(overrun, (sample["tNanos"] - ends_nanos) / 1e6)
        was_capped = bool(ceilings)
    return Caps(
        samples=len(samples),
        capped_samples=capped_samples,
        times=times,
        least_mbps=None if lowest is None else lowest / 1e6,
        timeout_millis=timeout,
        overrun_millis=overrun,
    )
