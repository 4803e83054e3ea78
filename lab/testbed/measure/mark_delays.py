# SPDX-License-Identifier: Apache-2.0
"""From the first mark to the changed rate: matching the events that agents traced.

The receiving host's agent traces `first-ce`: the first CE packet of a source after 200 ms without
any. The sending host's agent traces `class-change`: the return of the netlink call that changed the
endpoint's class. Both stamp CLOCK_MONOTONIC, which all namespaces of a machine share.
"""

import bisect
import json

from testbed.measure.quantiles import quantile

GIVE_UP_NANOS = 1_000_000_000


def delays_millis(first_marks, class_changes):
    """Delay of each first mark to the next change of the same source's class, in milliseconds.

    first_marks: [(instant in nanoseconds, source address)]; class_changes: {source address:
    instants}. A mark whose change comes after the same source's next first mark, or later than a
    second, is unanswered; it has no delay but is counted: (delays, unanswered).
    """
    delays = []
    unanswered = 0
    next_mark = {}
    for instant, source in sorted(first_marks, reverse=True):
        limit = min(next_mark.get(source, instant + GIVE_UP_NANOS), instant + GIVE_UP_NANOS)
        next_mark[source] = instant
        changes = sorted(class_changes.get(source, ()))
        position = bisect.bisect_left(changes, instant)
        if position < len(changes) and changes[position] < limit:
            delays.append((changes[position] - instant) / 1e6)
        else:
            unanswered += 1
    return delays[::-1], unanswered


def summary(delays):
    """The result file's `markToRateMs`."""
    return {
        "p50": _rounded(quantile(delays, 0.50)),
        "p99": _rounded(quantile(delays, 0.99)),
        "samples": len(delays),
    }


def slowest(delays, count=5):
    """The slowest of delays in order of their marks: which mark each was, from 1, and how long."""
    numbered = sorted(enumerate(delays, start=1), key=lambda each: -each[1])
    return [{"mark": number, "delayMs": _rounded(delay)} for number, delay in numbered[:count]]


def _rounded(value):
    return None if value is None else round(value, 3)


def read_trace(path):
    """Events of one agent's trace file, oldest first, without an incomplete last line."""
    events = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.endswith("\n"):
                events.append(json.loads(line))
    return events
