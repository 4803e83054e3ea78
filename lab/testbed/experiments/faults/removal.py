# SPDX-License-Identifier: Apache-2.0
"""Sluice deactivated, uninstalled and its agents stopped: all is as it was before it came."""

from testbed.experiments.faults import footprints
from testbed.experiments.faults.fault import Fault
from testbed.experiments.faults.observation import Finding
from testbed.report import expectations


def removed(scene):
    """Take it away, and compare with the snapshot from before it was installed."""
    running = [*scene.agents.values(), scene.site.port_agent]
    held = {each for agent in running for each in footprints.bpf_objects(agent.process.pid)}
    while_there = sum(
        len(footprints.differences(node.name, scene.before.namespaces[node.name], now))
        for node, now in ((n, footprints.of_namespace(n)) for n in scene.agent_nodes())
    )
    remains = scene.site.uninstall(scene.before.tables)
    remains += _tables(scene)
    for agent in running:
        agent.stop()
        remains += [f"pin: {pin}" for pin in agent.pins]
    remains += footprints.wait_until_freed(held)
    for node in scene.agent_nodes():
        before = scene.before.namespaces[node.name]
        remains += footprints.differences(node.name, before, footprints.of_namespace(node))
    finding = Finding(
        "Sluice deactivated and uninstalled, its agents stopped",
        figures={"bpfObjects": len(held), "namespaceLinesWhileThere": while_there},
    )
    finding.leftovers += remains
    return finding.expect(
        expectations.below("what differs from before", len(remains), 1),
        expectations.at_least("what differed while it was there", while_there, 1),
        expectations.at_least("BPF objects that agents held", len(held), 1),
    )


def _tables(scene):
    now = footprints.settled_tables(scene.network)
    return [
        line
        for name, lines in now.items()
        for line in footprints.differences(name, scene.before.tables[name], lines)
    ]


FAULTS = (Fault("removal", "deactivated and uninstalled: all as it was", 25, removed),)
