# SPDX-License-Identifier: Apache-2.0
"""A host's agent killed: not started again until its lease is long over, or started at once."""

import re
import time

from testbed.control import agents
from testbed.experiments.faults.fault import Fault
from testbed.network import footprints
from testbed.network.topology import UPLINK
from testbed.programs import clock
from testbed.report import expectations
from testbed.system import polling
from testbed.system.errors import LabError

HOST = "h2"
AFFECTED = ((HOST, "h5"),)
# The agent's class of unlimited packets, and how many it has sent.
OPEN_CLASS_SENT = re.compile(r"^class htb 51ce:2 .*\n Sent \d+ bytes (\d+) pkt", re.MULTILINE)
# What the host itself sends in that time; a flood would be tens of thousands.
OPEN_PACKETS = 100
# Begins to send while the agent is dead; its weight makes the share of others much less.
CROWDING_HOST, CROWDING_WEIGHT = "h4", 4
# How the first table's rules that limit and the meters that count marks are printed.
LIMITING_RULE = "priority=35000,"
MARK_METER_RATE = "rate=2000000000 "
LIMIT_WITHIN_SECONDS = 30
SETTLING_NANOS = 3_000_000_000
WINDOWS = 8
AROUND_SHARE = 0.75, 1.25
LATE_MILLIS, GONE_MILLIS = 5000, 10_000


def killed(environment):
    """Kill it, leave it dead for longer than its lease, start it again: limits hold throughout."""
    finding = _dead(environment, f"kill -9 of the agent on {HOST}, which floods")
    return finding.expect(
        expectations.below(
            "packets without a limit while it was dead",
            finding.figures["openPackets"],
            OPEN_PACKETS,
        )
    )


def opened(environment):
    """The same where the host opens when the lease is over: its edge port alone limits it."""
    agent = environment.agents[HOST]
    _start_anew(agent, {"afterLease": "open"})
    environment.wait_until_normal()
    try:
        return _dead(
            environment,
            f"kill -9 of the agent on {HOST}, which floods, and opens when its lease is over",
        )
    finally:
        _start_anew(agent, {"afterLease": "hold"})


def _start_anew(agent, changes):
    agent.stop()
    agent.reconfigure(changes)
    agent.start()


def _dead(environment, cause):
    """What its endpoint and others get until it is started again, and for how long it is limited.

    Meanwhile another machine begins to send: the endpoint's share becomes less.
    """
    agent = environment.agents[HOST]
    before = _programs(agent.node)
    held = footprints.bpf_objects(agent.process.pid)
    with environment.observe(affected=AFFECTED, with_load=True) as observation:
        sessions = environment.sessions()
        open_before = _open_packets(agent.node)
        killed_nanos = observation.mark_fault()
        agent.kill()
        clock.sleep_until(killed_nanos + agents.LEASE_MILLIS * 1_000_000)
        _wait_until(lambda: _limiting_rules(environment), "a limit at its edge port")
        limited_millis = observation.elapsed_millis()
        clock.sleep_until(time.monotonic_ns() + SETTLING_NANOS)
        alone = observation.mean_shares(WINDOWS)
        environment.deployment.set_weight(CROWDING_HOST, CROWDING_WEIGHT)
        crowd = observation.traffic.flood(CROWDING_HOST, environment.offered_mbps, start_nanos=0)
        clock.sleep_until(time.monotonic_ns() + SETTLING_NANOS)
        crowded = observation.mean_shares(WINDOWS, [CROWDING_WEIGHT])
        meters = _limiting_meters(environment)
        crowd.end()
        environment.deployment.set_weight(CROWDING_HOST, 1)
        open_packets = _open_packets(agent.node) - open_before
        healed_nanos = observation.mark_healed()
        agent.start()
        kept = footprints.bpf_objects(agent.process.pid)
        _wait_until(lambda: not _limiting_rules(environment), "its edge port to limit no endpoint")
        unlimited_millis = (time.monotonic_ns() - healed_nanos) / 1e6
        observation.measure_recovery(
            lambda: environment.are_connected([HOST]), "the agent to be connected again"
        )
        others_kept = _kept(sessions, environment.sessions())
    finding = observation.finding(
        cause + "; started again after some seconds",
        "start to control",
        openPackets=open_packets,
        leaseMillis=agents.LEASE_MILLIS,
        limitedAfterMillis=round(limited_millis),
        unlimitedAfterMillis=round(unlimited_millis),
        sharesAfterLease=alone,
        sharesBesideAnother=crowded,
        meters=meters,
    )
    finding.leftovers += footprints.differences(HOST, before, _programs(agent.node))
    finding.leftovers += footprints.wait_until_freed(held - kept)
    finding.leftovers += _meters_left(environment)
    others = [alone[host] for host in alone if host != HOST]
    others += [crowded[host] for host in crowded if host != HOST]
    return (
        finding.expect_no_gap()
        .expect_recovery()
        .expect(
            expectations.below(
                "limited at its edge port, ms", limited_millis, agents.LEASE_MILLIS + LATE_MILLIS
            ),
            expectations.within("of its share after its lease", alone[HOST], *AROUND_SHARE),
            expectations.within("of its share beside another", crowded[HOST], *AROUND_SHARE),
            expectations.at_least("others, of their shares", min(others), AROUND_SHARE[0]),
            expectations.below("limit gone after its start, ms", unlimited_millis, GONE_MILLIS),
            expectations.at_least("other agents kept their sessions", int(others_kept), 1),
        )
    )


def _wait_until(condition, what):
    polling.until(condition, what, timeout_seconds=LIMIT_WITHIN_SECONDS, interval_seconds=0.1)


def _limiting_rules(environment):
    """Rules that lead an endpoint through a meter where it enters the network."""
    return [
        line
        for switch in environment.network.switches.values()
        for line in switch.flows()
        if LIMITING_RULE in line
    ]


def _limiting_meters(environment):
    """The bands of meters that do not count marks."""
    return [
        band
        for switch in environment.network.switches.values()
        for band in switch.meter_bands()
        if MARK_METER_RATE not in band
    ]


def _meters_left(environment):
    try:
        _wait_until(lambda: not _limiting_meters(environment), "meters to be gone")
    except LabError:
        return _limiting_meters(environment)
    return []


def restarted(environment):
    """Kill it and start it again at once: limits hold throughout."""
    agent = environment.agents[HOST]
    before = _programs(agent.node)
    held = footprints.bpf_objects(agent.process.pid)
    with environment.observe(affected=AFFECTED, with_load=True) as observation:
        sessions = environment.sessions()
        observation.mark_fault()
        agent.kill()
        observation.mark_healed()
        agent.start()
        kept = footprints.bpf_objects(agent.process.pid)
        observation.measure_recovery(
            lambda: environment.are_connected([HOST]), "the agent to be connected again"
        )
        others_kept = _kept(sessions, environment.sessions())
        counted = agent.status()["endpoints"][0]["txPackets"]
    finding = observation.finding(
        f"kill -9 of the agent on {HOST}, which floods; started again at once",
        "start to control",
        packetsCountedByNewAgent=counted,
    )
    finding.leftovers += footprints.differences(HOST, before, _programs(agent.node))
    finding.leftovers += footprints.wait_until_freed(held - kept)
    return (
        finding.expect_no_gap()
        .expect_recovery()
        .expect(
            expectations.at_least("other agents kept their sessions", int(others_kept), 1),
            expectations.at_least("the new agent counts, packets", counted, 1),
        )
    )


def _programs(node):
    """Attached programs and devices' sizes; classes come and go with congested ports."""
    lines = footprints.of_namespace(node)
    return [line for line in lines if line.startswith(("program", "device"))]


def _kept(before, now):
    return all(now[host] == count for host, count in before.items() if host != HOST)


def _open_packets(node):
    """Packets that have left the host without a limit."""
    classes = node.check(["tc", "-s", "class", "show", "dev", UPLINK])
    found = OPEN_CLASS_SENT.search(classes)
    if found is None:
        raise LabError(f"{node.name}: no class of unlimited packets on {UPLINK}:\n{classes}")
    return int(found[1])


FAULTS = (
    Fault("agent-killed", "a host's agent killed by kill -9, and back after its lease", 40, killed),
    Fault("agent-open", "the same where its host opens when the lease is over", 50, opened),
    Fault("agent-restarted", "a host's agent killed by kill -9 and started at once", 15, restarted),
)
