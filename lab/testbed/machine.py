# SPDX-License-Identifier: Apache-2.0
"""What the machine does meanwhile, and who comes first on it."""

# What forwards and shapes packets has deadlines of milliseconds; Open vSwitch's own start script
# gives its daemon this niceness too. Traffic and controller stay at the ordinary one.
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
