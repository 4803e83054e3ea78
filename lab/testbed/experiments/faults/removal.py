# SPDX-License-Identifier: Apache-2.0
"""Sluice deactivated, uninstalled and its agents stopped: everything is as before it."""

from testbed.experiments.faults.fault import Fault
from testbed.experiments.faults.finding import Finding
from testbed.network import footprints
from testbed.report import expectations


def removed(environment):
    """Remove it, and compare with the snapshot from before it was installed."""
    running = [*environment.agents.values(), environment.deployment.port_agent]
    held = {each for agent in running for each in footprints.bpf_objects(agent.process.pid)}
    while_installed = sum(
        len(footprints.differences(node.name, environment.before.namespaces[node.name], now))
        for node, now in ((n, footprints.of_namespace(n)) for n in environment.agent_nodes())
    )
    remains = environment.deployment.uninstall(environment.before.tables)
    remains += _tables(environment)
    for agent in running:
        agent.stop()
        remains += [f"pin: {pin}" for pin in agent.pins]
    remains += footprints.wait_until_freed(held)
    for node in environment.agent_nodes():
        before = environment.before.namespaces[node.name]
        remains += footprints.differences(node.name, before, footprints.of_namespace(node))
    finding = Finding(
        "Sluice deactivated and uninstalled, its agents stopped",
        figures={"bpfObjects": len(held), "namespaceLinesWhileInstalled": while_installed},
    )
    finding.leftovers += remains
    return finding.expect(
        expectations.below("what differs from before", len(remains), 1),
        expectations.at_least("what differed while it was installed", while_installed, 1),
        expectations.at_least("BPF objects that agents held", len(held), 1),
    )


def _tables(environment):
    now = footprints.settled_tables(environment.network)
    return [
        line
        for name, lines in now.items()
        for line in footprints.differences(name, environment.before.tables[name], lines)
    ]


FAULTS = (
    Fault("removal", "deactivated and uninstalled: all as it was", 25, removed, is_undone=False),
)
