# SPDX-License-Identifier: Apache-2.0
"""What the machine does meanwhile, and who comes first on it."""

import time

# What forwards and shapes packets has deadlines of milliseconds; Open vSwitch's own start script
# gives its daemon this niceness too. So does the controller, which elsewhere has a machine of its
# own: here it would wait for hosts and switches whenever they are busy. Traffic stays at the
# ordinary one.
SERVICE_PRIORITY = ("nice", "-n", "-10")


def cpu_times():
    """(idle, total) CPU time of all processors since boot in clock ticks, from /proc/stat.

    Waiting for a disk counts as idle: it does not keep the emulation from running.
    """
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(field) for field in file.readline().split()[1:9]]
    return ticks[3] + ticks[4], sum(ticks)


def idle_share(before, after):
    """Share of idle CPU time between two readings of cpu_times(), 0..1."""
    total = after[1] - before[1]
    return (after[0] - before[0]) / total if total else 1.0


def wait_until_calm(
    least_idle, *, timeout_seconds, window_seconds=1.0, read=cpu_times, sleep=time.sleep
):
    """Wait until a window passes in which at least this share of the CPU time was idle.

    A controller that has just started compiles itself for a while, and that is not what is to be
    measured. Returns the idle share of the last window, calm or not: whoever needs a calm machine
    judges by what the measurement itself saw.
    """
    waited = 0.0
    while True:
        before = read()
        sleep(window_seconds)
        waited += window_seconds
        idle = idle_share(before, read())
        if idle >= least_idle or waited >= timeout_seconds:
            return idle
