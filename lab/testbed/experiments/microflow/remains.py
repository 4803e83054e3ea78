# SPDX-License-Identifier: Apache-2.0
"""What is left of Sluice in switches, hosts and wires, when it and its agents are gone."""

from testbed.network import footprints


class Remains:
    """Made before any agent runs in a network."""

    def __init__(self, network):
        self._network = network
        self._namespaces = self._footprints()
        self._tables = {}

    def see_switches(self):
        """Read the switches' tables, before Sluice is installed."""
        self._tables = footprints.settled_tables(self._network)

    def _footprints(self):
        """{namespace with an agent: its queueing, filters and programs}."""
        nodes = [*self._network.hypervisors.values(), *self._network.wires.values()]
        return {node.name: footprints.of_namespace(node) for node in nodes}

    def of(self, deployment):
        """Uninstall Sluice and stop its agents; returns what differs from before, as lines.

        Where Sluice was installed before, it stays, and switches are not checked.
        """
        lines = [] if deployment.options.installed else deployment.uninstall(self._tables)
        for agent in (*deployment.host_agents.values(), *deployment.port_agents.values()):
            agent.stop()
        return lines + [
            line
            for name, now in self._footprints().items()
            for line in footprints.differences(name, self._namespaces[name], now)
        ]
