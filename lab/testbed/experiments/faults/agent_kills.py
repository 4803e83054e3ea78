# SPDX-License-Identifier: Apache-2.0
"""A host's agent killed: not started again until its lease is long over, or started at once."""

import re

from testbed.control import agents
from testbed.experiments.faults import footprints
from testbed.experiments.faults.fault import Fault
from testbed.network.topology import UPLINK
from testbed.programs import clock
from testbed.report import expectations
from testbed.system.errors import LabError

HOST = "h2"
AFFECTED = ((HOST, "h5"),)
# The agent's class of unlimited packets, and how many it has sent.
OPEN_CLASS_SENT = re.compile(r"^class htb 51ce:2 .*\n Sent \d+ bytes (\d+) pkt", re.MULTILINE)
# What the host itself sends in that time; a flood would be tens of thousands.
OPEN_PACKETS = 100
AWAY_LEASES = 1.5


def killed(environment):
    """Kill it, leave it dead for longer than its lease, start it again: limits hold throughout."""
    agent = environment.agents[HOST]
    before = _programs(agent.node)
    held = footprints.bpf_objects(agent.process.pid)
    with environment.observe(affected=AFFECTED, with_load=True) as observation:
        sessions = environment.sessions()
        open_before = _open_packets(agent.node)
        killed_nanos = observation.mark_fault()
        agent.kill()
        clock.sleep_until(killed_nanos + round(AWAY_LEASES * agents.LEASE_MILLIS * 1_000_000))
        open_packets = _open_packets(agent.node) - open_before
        observation.mark_healed()
        agent.start()
        observation.measure_recovery(
            lambda: environment.are_connected([HOST]), "the agent to be connected again"
        )
        others_kept = _kept(sessions, environment.sessions())
    finding = observation.finding(
        f"kill -9 of the agent on {HOST}, which floods; started again after {AWAY_LEASES} leases",
        "start to control",
        openPackets=open_packets,
        leaseMillis=agents.LEASE_MILLIS,
    )
    finding.leftovers += footprints.differences(HOST, before, _programs(agent.node))
    finding.leftovers += footprints.wait_until_freed(held)
    return (
        finding.expect_no_gap()
        .expect_recovery()
        .expect(
            expectations.below(
                "packets without a limit while it was dead", open_packets, OPEN_PACKETS
            ),
            expectations.at_least("other agents kept their sessions", int(others_kept), 1),
        )
    )


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
    finding.leftovers += footprints.wait_until_freed(held)
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
    Fault("agent-killed", "a host's agent killed by kill -9, and back after its lease", 25, killed),
    Fault("agent-restarted", "a host's agent killed by kill -9 and started at once", 15, restarted),
)
