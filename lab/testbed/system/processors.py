# SPDX-License-Identifier: Apache-2.0
"""How busy the processors are, and the priority of what forwards packets."""

import os
import time
from dataclasses import dataclass
from typing import NamedTuple

# What forwards and shapes packets has deadlines of milliseconds; Open vSwitch's own start script
# gives its daemon this niceness too. The controller gets it because it usually has a machine of its
# own: here it would wait for hosts and switches whenever they are busy. Traffic runs at niceness 0.
SERVICE_PRIORITY = ("nice", "-n", "-10")
LEAST_STOLEN_SHOWN = 0.005


class CpuTimes(NamedTuple):
    """CPU time of all processors since boot, in clock ticks."""

    idle: int
    stolen: int
    total: int
    softirq: int = 0


@dataclass(frozen=True)
class CpuUse:
    """Shares of the CPU time of an interval, 0..1.

    stolen: what the hypervisor gave to others while a process here was ready to run.
    """

    idle: float
    stolen: float = 0.0

    def as_json(self):
        """Its part of a result document."""
        return {"cpuIdle": round(self.idle, 3), "cpuStolen": round(self.stolen, 3)}

    def __str__(self):
        stolen = f", stolen {self.stolen:.0%}" if self.stolen >= LEAST_STOLEN_SHOWN else ""
        return f"idle CPU {self.idle:.0%}{stolen}"


def cpu_times():
    """CpuTimes from /proc/stat.

    Waiting for a disk counts as idle: it does not keep the emulation from running. The total is
    from the clock: the kernel measures idle time, but samples busy time at its ticks, and misses
    what programs that wake by a timer of milliseconds do between two of them.
    """
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(field) for field in file.readline().split()[1:9]]
    elapsed = time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK")
    return CpuTimes(ticks[3] + ticks[4], ticks[7], int(elapsed * os.cpu_count()), ticks[6])


def cpu_use(before, after):
    """CpuUse between two CpuTimes."""
    total = after.total - before.total
    if not total:
        return CpuUse(1.0)
    return CpuUse((after.idle - before.idle) / total, (after.stolen - before.stolen) / total)


def mean_cpu_use(results):
    """Mean of what has a CpuUse (`cpu`), weighted by how long each took (`seconds`)."""
    total = sum(result.seconds for result in results)

    def mean(share):
        return sum(share(result.cpu) * result.seconds for result in results) / total

    return CpuUse(mean(lambda use: use.idle), mean(lambda use: use.stolen))


def wait_until_idle(
    least_idle, *, timeout_seconds, window_seconds=1.0, read=cpu_times, sleep=time.sleep
):
    """Wait until at least this share of the CPU time was idle for a whole window.

    A controller that has just started compiles its code for a while, which is not to be measured.
    Returns the idle share of the last window, sufficient or not: the verdict depends on the CPU use
    during the measurement, not on this one.
    """
    waited = 0.0
    while True:
        before = read()
        sleep(window_seconds)
        waited += window_seconds
        idle = cpu_use(before, read()).idle
        if idle >= least_idle or waited >= timeout_seconds:
            return idle
