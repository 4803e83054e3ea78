# SPDX-License-Identifier: Apache-2.0
"""How busy the processors were in each second of a run."""

import threading
import time

from testbed.measure.series import CumulativeSeries
from testbed.report.expectations import LEAST_IDLE_SHARE
from testbed.system import processors

PERIOD_SECONDS = 0.25
SECOND_NANOS = 1_000_000_000


class ProcessorLog:
    """Reads the processors' times until it is stopped."""

    def __init__(self, read=processors.cpu_times):
        self._read = read
        self._idle, self._total = CumulativeSeries(), CumulativeSeries()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while True:
            self.add(time.monotonic_ns(), self._read())
            if self._stopped.wait(PERIOD_SECONDS):
                return

    def add(self, instant_nanos, times):
        """Take a reading."""
        self._idle.add(instant_nanos, times.idle)
        self._total.add(instant_nanos, times.total)

    def stop(self):
        """End reading."""
        self._stopped.set()
        self._thread.join()

    def idle_share(self, begin_nanos, end_nanos):
        """The idle part of the processors' time between two instants, 0 to 1."""
        total = self._total.at(end_nanos) - self._total.at(begin_nanos)
        idle = self._idle.at(end_nanos) - self._idle.at(begin_nanos)
        return idle / total if total else 1.0

    def busy_seconds(self, begin_nanos, end_nanos):
        """Whole seconds since the beginning in which the machine could not emulate a network."""
        return frozenset(
            second
            for second in range((end_nanos - begin_nanos) // SECOND_NANOS)
            if self.idle_share(
                begin_nanos + second * SECOND_NANOS, begin_nanos + (second + 1) * SECOND_NANOS
            )
            < LEAST_IDLE_SHARE
        )
