# SPDX-License-Identifier: Apache-2.0
"""The instants of a turn, and what is observed between two of them."""

import time
from dataclasses import dataclass

from testbed.programs import clock
from testbed.system import processors

SECOND = 1_000_000_000


@dataclass(frozen=True)
class Timetable:
    """Instants of CLOCK_MONOTONIC in ns: traffic begins, is judged from, until, and has to stop."""

    begin: int
    judged_from: int
    end: int
    stop: int

    @classmethod
    def from_now(cls, settling_seconds, judged_seconds, answer_seconds, lead_seconds=0.0):
        """The next turn's; lead_seconds: for programs to start."""
        instants = [time.monotonic_ns() + round(lead_seconds * SECOND)]
        for seconds in (settling_seconds, judged_seconds, answer_seconds):
            instants.append(instants[-1] + round(seconds * SECOND))
        return cls(*instants)

    def observe(self, read):
        """Wait for both ends of the judged part: (read() at the first, at the second, CpuUse)."""
        clock.sleep_until(self.judged_from)
        cpu_before, before = processors.cpu_times(), read()
        clock.sleep_until(self.end)
        cpu_after, after = processors.cpu_times(), read()
        return before, after, processors.cpu_use(cpu_before, cpu_after)
