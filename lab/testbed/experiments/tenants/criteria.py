# SPDX-License-Identifier: Apache-2.0
"""The bounds that tenants' shares are judged by, each with a name."""

from testbed.report import expectations

SHARE_DEVIATION = 0.07
UNCHANGED_DEVIATION = 0.05
UPLINK_DEVIATION = 0.05
GUARANTEE_AT_LEAST = 0.97
IN_FORCE_BELOW_SECONDS = 0.2
UTILISATION_AT_LEAST = 0.92


def expected(results):
    """All expectations of PhaseResults."""
    return [each for result in results for each in _of(result)]


def aims(results):
    """What is reported without deciding."""
    found = []
    for result in results:
        for interval in result.intervals:
            where = _where(result, interval)
            if not _limited(result.phase):
                found.append(
                    expectations.at_least(
                        f"{where}: utilisation", interval.utilisation, UTILISATION_AT_LEAST
                    )
                )
            if _guaranteed(result.phase):
                found += [
                    _share(f"{where}: {tenant.name}", interval, tenant.hosts)
                    for tenant in result.phase.tenants
                    if not tenant.guarantee_mbps
                ]
        if result.phase.idle_after_seconds is not None:
            found.append(
                expectations.below(
                    f"{result.name}: seconds until half of the idle one's part is its siblings'",
                    result.idle_halfway_seconds,
                    1.0,
                )
            )
    return found


def _of(result):
    if result.changes:
        return [_in_force(result, number) for number in range(len(result.changes))]
    if _guaranteed(result.phase):
        return _guarantees(result)
    judged = []
    for interval in result.intervals:
        where = _where(result, interval)
        active = result.phase.active_senders(interval.interval)
        for tenant, senders in active.items():
            hosts = [sender.host for sender in senders]
            judged.append(_share(f"{where}: {tenant.name}", interval, hosts))
            if interval.interval.name == "after" and len(hosts) > 1:
                judged += [
                    _share(f"{where}: {tenant.name}'s {host}", interval, [host]) for host in hosts
                ]
        if result.phase.uplink_of:
            judged.append(_by_weight(where, interval, result.phase.tenants))
    if result.phase.idle_after_seconds is not None:
        judged += _unchanged(result)
    return judged


def _where(result, interval):
    return f"{result.name} {interval.interval.name}".strip()


def _share(name, interval, hosts):
    return expectations.within(
        f"{name} / its share", interval.ratio(hosts), 1 - SHARE_DEVIATION, 1 + SHARE_DEVIATION
    )


def _unchanged(result):
    """Tenants all of whose senders continue have what they had."""
    before, after = result.interval("before"), result.interval("after")
    return [
        expectations.within(
            f"{result.name}: {tenant.name} after / before",
            after.total(tenant.hosts) / before.total(tenant.hosts),
            1 - UNCHANGED_DEVIATION,
            1 + UNCHANGED_DEVIATION,
        )
        for tenant in result.phase.tenants
        if all(sender.idle_after_seconds is None for sender in tenant.senders)
    ]


def _by_weight(where, interval, tenants):
    """Two tenants' rates are as their weights."""
    first, second = tenants
    got = interval.total(first.hosts) / interval.total(second.hosts)
    return expectations.within(
        f"{where}: {first.name} / {second.name}, of their weights'",
        got / (first.weight / second.weight),
        1 - UPLINK_DEVIATION,
        1 + UPLINK_DEVIATION,
    )


def _guaranteed(phase):
    return any(tenant.guarantee_mbps for tenant in phase.tenants)


def _limited(phase):
    """Whether the senders together want less than there is."""
    return any(tenant.ceiling_mbps for tenant in phase.tenants)


def _guarantees(result):
    return [
        expectations.at_least(
            f"{_where(result, interval)}: {tenant.name} / its guarantee",
            interval.total(tenant.hosts) / tenant.guarantee_mbps,
            GUARANTEE_AT_LEAST,
        )
        for interval in result.intervals
        for tenant in result.phase.tenants
        if tenant.guarantee_mbps
    ]


def _in_force(result, number):
    change = result.changes[number]
    return expectations.below(
        f"{result.name}: seconds until change {number + 1} (weight {change.change.weight:g})"
        " is in force",
        change.halfway_seconds,
        IN_FORCE_BELOW_SECONDS,
    )
