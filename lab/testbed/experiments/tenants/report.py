# SPDX-License-Identifier: Apache-2.0
"""The report on tenants: the document and the table."""

from functools import partial

from testbed.experiments.tenants import criteria, shares_plot
from testbed.report.figures import rounded
from testbed.report.report import Report
from testbed.system import processors


def of(experiment, results, chosen, title):
    """The Report; chosen: the document's fields about what was chosen."""
    return Report(
        experiment=experiment,
        chosen=chosen,
        measured={"phases": [_phase_as_json(result) for result in results]},
        expected=criteria.expected(results),
        aims=criteria.aims(results),
        cpu=processors.mean_cpu_use(results),
        tables=[table(results)],
        draw=partial(shares_plot.draw, results, chosen["bottleneckMbps"], title),
    )


def _phase_as_json(result):
    return {
        "name": result.name,
        "seconds": result.phase.seconds,
        "receiveCeilingMbps": result.phase.receive_ceiling_mbps,
        "uplinkOf": result.phase.uplink_of,
        **result.cpu.as_json(),
        **result.queue,
        "tenants": [_tenant_as_json(tenant) for tenant in result.phase.tenants],
        "intervals": [
            {
                "name": each.interval.name,
                "beginSeconds": each.interval.begin_seconds,
                "endSeconds": each.interval.end_seconds,
                "utilisation": round(each.utilisation, 4),
                "endpoints": [
                    {
                        "name": host,
                        "rateMbps": round(rate, 3),
                        "expectedMbps": round(each.expected_mbps[host], 3),
                    }
                    for host, rate in each.rates_mbps.items()
                ],
            }
            for each in result.intervals
        ],
        "weightChanges": [
            {
                "tenant": each.change.tenant.name,
                "weight": each.change.weight,
                "requestSeconds": round(each.request_seconds, 4),
                "halfwaySeconds": rounded(each.halfway_seconds),
            }
            for each in result.changes
        ],
        "idleHalfwaySeconds": rounded(result.idle_halfway_seconds),
        "connections": result.connections,
        "agents": result.agents,
    }


def _tenant_as_json(tenant):
    return {
        "name": tenant.name,
        "weight": tenant.weight,
        "guaranteeMbps": tenant.guarantee_mbps,
        "ceilingMbps": tenant.ceiling_mbps,
        "endpoints": [
            {
                "name": sender.host,
                "transport": sender.transport,
                "wantsMbps": rounded(sender.rate_mbps),
                "connections": sender.connections,
                "idleAfterSeconds": sender.idle_after_seconds,
                "receiver": sender.receiver,
            }
            for sender in tenant.senders
        ],
    }


def table(results):
    """The table that the experiment prints."""
    lines = [
        f"{'phase':<20}{'':<8}{'tenant':<8}{'weight':>6}{'Mbit/s':>8}{'share':>8}{'of it':>7}"
        "   endpoints, Mbit/s"
    ]
    for result in results:
        for interval in result.intervals:
            lines += _interval_lines(result, interval)
        lines += _change_lines(result)
        queue = result.queue
        lines.append(
            f"{'':<20}{result.cpu}, queue p50 {queue['p50Packets']}, p99 {queue['p99Packets']},"
            f" {queue['droppedPackets']} dropped"
        )
    lines.append("Mbit/s: frame bytes, as the bottleneck charges them; share: weighted max-min")
    return "\n".join(lines)


def _interval_lines(result, interval):
    lines = []
    active = result.phase.active_senders(interval.interval)
    for number, (tenant, senders) in enumerate(active.items()):
        hosts = [sender.host for sender in senders]
        expected = sum(interval.expected_mbps[host] for host in hosts)
        own = ", ".join(f"{host} {interval.rates_mbps[host]:.2f}" for host in hosts)
        name, part = (result.name, interval.interval.name) if number == 0 else ("", "")
        lines.append(
            f"{name:<20}{part:<8}{tenant.name:<8}{tenant.weight:>6g}"
            f"{interval.total(hosts):>8.2f}{expected:>8.2f}{interval.ratio(hosts):>7.0%}   {own}"
        )
    return lines


def _change_lines(result):
    if not result.changes:
        return []
    times = ", ".join(
        f"{each.change.weight:g}: "
        + ("never" if each.halfway_seconds is None else f"{each.halfway_seconds * 1e3:.0f} ms")
        for each in result.changes
    )
    return [f"{result.name:<20}{result.changes[0].change.tenant.name}'s weight becomes {times}"]
