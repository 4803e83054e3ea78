# SPDX-License-Identifier: Apache-2.0
"""One law's run: shares by the second, before, while the controller is dead, and after."""

import itertools
from dataclasses import dataclass

from testbed.measure import shares

SECOND_NANOS = 1_000_000_000
# After a change of who sends, shares are not judged for so long.
SETTLING_SECONDS = 2


@dataclass(frozen=True)
class Instants:
    """When what happened, by CLOCK_MONOTONIC in nanoseconds."""

    begin: int
    killed: int
    joined: int
    restarted: int
    connected: int  # all agents again
    end: int


@dataclass(frozen=True)
class Absence:
    """Goodput by the second of TCP and of the newcomer, each over its fair share.

    tcp, newcomer: [(seconds since the beginning, part of the fair share)]; those of seconds in
    which somebody joined, and of the next, are left out. busy: seconds in which the machine could
    not emulate the network, since the controller was starting; they are not judged. cpu: CpuUse
    until then.
    """

    law: str
    instants: Instants
    tcp: list
    newcomer: list
    busy: frozenset
    cpu: object

    def tcp_between(self, begin_nanos, end_nanos):
        """Its parts in the whole seconds between two instants that are judged."""
        return self._judged(self.tcp, begin_nanos, end_nanos)

    def newcomer_between(self, begin_nanos, end_nanos):
        """The same of the newcomer."""
        return self._judged(self.newcomer, begin_nanos, end_nanos)

    def _judged(self, parts, begin_nanos, end_nanos):
        low, high = (self._seconds(each) for each in (begin_nanos, end_nanos))
        return [
            (second, part)
            for second, part in parts
            if low <= second and second + 1 <= high and second not in self.busy
        ]

    def _seconds(self, instant):
        return (instant - self.instants.begin) / SECOND_NANOS


def parts_by_second(series, transport, instants, bottleneck_mbps, senders_before):
    """[(seconds since the beginning, part of the fair share)] of one sender's goodput.

    series: what arrived of it; transport: "tcp" or "udp"; senders_before: how many send before the
    newcomer, all of weight 1.
    """
    parts = []
    second = 0
    while instants.begin + (second + 1) * SECOND_NANOS <= instants.end:
        begin = instants.begin + second * SECOND_NANOS
        if not _settles(begin, instants):
            senders = senders_before + (begin >= instants.joined)
            fair = shares.fair_share_mbps(bottleneck_mbps, 1, [1] * senders, transport)
            parts.append((second, series.mbps(begin, begin + SECOND_NANOS) / fair))
        second += 1
    return parts


def _settles(begin, instants):
    """Whether the newcomer joins in the second that begins then, or has just joined."""
    return begin < instants.joined + SETTLING_SECONDS * SECOND_NANOS and (
        begin + SECOND_NANOS > instants.joined
    )


def greatest_step(parts):
    """The greatest change from one second to the next; None without any two."""
    steps = [
        abs(after - before)
        for (second, before), (following, after) in itertools.pairwise(parts)
        if following == second + 1
    ]
    return max(steps, default=None)


def least(parts):
    """The least part; None without any."""
    return min((part for _, part in parts), default=None)


def mean(parts):
    """The mean part; None without any."""
    return sum(part for _, part in parts) / len(parts) if parts else None
