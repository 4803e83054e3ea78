# SPDX-License-Identifier: Apache-2.0
"""When the machines' routes had which of TCP's metrics."""

import json

from testbed.measure.quantiles import mean
from testbed.system import polling


class HintedRoutes:
    """What recorders of routes have written so far: {machine: file}."""

    def __init__(self, files):
        self._files = files

    def wait_for(self, metrics, timeout_seconds):
        """Wait until the routes of all machines have these metrics (names), and no others."""
        polling.until(
            lambda: all(at[-1][1] == metrics for at in self.histories().values()),
            f"routes of all machines to have {', '.join(sorted(metrics)) or 'no hints'}",
            timeout_seconds=timeout_seconds,
        )

    def histories(self):
        """{machine: [(instant, metrics from then on)]}."""
        return {machine: _history(file) for machine, file in self._files.items()}

    def part_with(self, metrics, begin_nanos, end_nanos):
        """Part of an interval in which routes had these metrics, the mean over all machines."""
        parts = [
            part_with(history, metrics, begin_nanos, end_nanos)
            for history in self.histories().values()
        ]
        return mean(parts)

    def all_without_since(self, instant_nanos):
        """The first instant from one on at which no machine has any; None where some have."""
        latest = []
        for history in self.histories().values():
            ends = [at for at, metrics in history if at >= instant_nanos and not metrics]
            if not ends:
                return None
            latest.append(ends[0])
        return max(latest)


def _history(file):
    history = []
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            if line.endswith("\n"):  # else its writer is in the middle of it
                sample = json.loads(line)
                names = {name for metrics in sample["routes"].values() for name in metrics}
                history.append((sample["tNanos"], names))
    return history


def part_with(history, metrics, begin_nanos, end_nanos):
    """Part of an interval in which a history has these metrics."""
    ends = [instant for instant, _ in history[1:]] + [end_nanos]
    within = sum(
        max(0, min(until, end_nanos) - max(since, begin_nanos))
        for (since, names), until in zip(history, ends, strict=True)
        if names == metrics
    )
    return within / (end_nanos - begin_nanos)
