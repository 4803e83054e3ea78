# SPDX-License-Identifier: Apache-2.0
"""How fast a change is in force: when rates have crossed the middle between old and new.

The measure is a part of two sums of rates, not a rate: what the loop's oscillation does to
both does not move it.
"""

from testbed.experiments.tenants.results import ChangeResult
from testbed.measure.crossings import crossed_at, parts_over_time
from testbed.measure.series import SummedSeries

WINDOW_NANOS, STEP_NANOS = 60_000_000, 10_000_000
STAY_NANOS = 100_000_000


def of_changes(phase, issued, frames, end_nanos):
    """ChangeResults of [(change, sent, answered)]; frames: {host: series}."""
    results = []
    weights = {tenant.name: tenant.weight for tenant in phase.tenants}
    for number, (change, sent, answered) in enumerate(issued):
        until = issued[number + 1][1] if number + 1 < len(issued) else end_nanos
        old = _part(weights, change.tenant.name)
        weights[change.tenant.name] = change.weight
        new = _part(weights, change.tenant.name)
        own = change.tenant.hosts
        others = [host for host in frames if host not in own]
        seconds = _halfway_seconds(frames, own, others, (old, new), sent, until)
        results.append(ChangeResult(change, (answered - sent) / 1e9, seconds))
    return results


def of_idle(phase, frames, begin_nanos, end_nanos, wire_mbps):
    """Seconds from a sender's end until its siblings have half of its part; None without one.

    The part is that of what they and the other tenants get.
    """
    if phase.idle_after_seconds is None:
        return None
    tenant = next(t for t in phase.tenants if any(s.idle_after_seconds for s in t.senders))
    siblings = [s.host for s in tenant.senders if s.idle_after_seconds is None]
    others = [host for host in frames if host not in tenant.hosts]
    parts = []
    for interval in phase.intervals:
        due = phase.expected_mbps(interval, wire_mbps)
        own = sum(due[host] for host in siblings)
        parts.append(own / (own + sum(due[host] for host in others)))
    ends = begin_nanos + int(phase.idle_after_seconds * 1e9)
    return _halfway_seconds(frames, siblings, others, parts, ends, end_nanos)


def _part(weights, name):
    return weights[name] / sum(weights.values())


def _halfway_seconds(frames, own, others, old_and_new, since_nanos, until_nanos):
    old, new = old_and_new
    points = parts_over_time(
        SummedSeries([frames[host] for host in own]),
        SummedSeries([frames[host] for host in others]),
        *(since_nanos - WINDOW_NANOS, until_nanos, WINDOW_NANOS, STEP_NANOS),
    )
    crossed = crossed_at(
        points,
        (old + new) / 2,
        rising=new > old,
        since_nanos=since_nanos,
        stay_nanos=STAY_NANOS,
    )
    return None if crossed is None else (crossed - since_nanos) / 1e9
