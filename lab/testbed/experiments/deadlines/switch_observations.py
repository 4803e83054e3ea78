# SPDX-License-Identifier: Apache-2.0
"""What switches report about the connections of registered flows (`flows = switch`)."""

import re

from testbed.control.sluice import COMPONENT
from testbed.system import polling
from testbed.system.errors import LabError

HOST, SWITCH = "host", "switch"
SIGNED = "nw_ecn=1,"  # agents mark SYN, FIN and RST by this field, here as ovs-ofctl prints it
PACKETS = re.compile(r"n_packets=(\d+)")
INSTALLED_WITHIN_SECONDS, REMOVED_WITHIN_SECONDS = 1, 15


def use(deployment, reporter):
    """Choose who reports beginnings and ends. LabError where Sluice does not have that choice."""
    if reporter == HOST:
        return
    if "flows" not in deployment.controller.api.properties(COMPONENT):
        raise LabError("Sluice there has no property 'flows': leave out --flows")
    deployment.sluice.set(flows=reporter)


class SwitchObservations:
    """Follows the rules that report connections, and what they report, over an experiment."""

    def __init__(self, deployment):
        self.deployment = deployment
        self.registered = 0
        self.packets = 0  # copied to the controller, by the rules' own counters
        self.left = 0  # rules that stayed although no flow is registered
        self._before = self._counts()

    def _counts(self):
        return self.deployment.sluice.deadlines()["seenBySwitches"]

    def rules(self):
        """The rules that report beginnings and ends, one a line."""
        return [
            rule
            for switch in self.deployment.network.switches.values()
            for rule in switch.flows()
            if SIGNED in rule and "CONTROLLER" in rule
        ]

    def wait_until_installed(self, flows):
        """Wait until there are rules for so many flows, which have just been registered."""
        self.registered += flows
        polling.until(
            lambda: len(self.rules()) >= flows,
            f"{flows} rules for flows that are registered",
            timeout_seconds=INSTALLED_WITHIN_SECONDS,
            interval_seconds=0.02,
        )

    def wait_until_removed(self):
        """Wait until all rules are gone; counts the packets that they copied."""
        most = 0

        def are_gone():
            nonlocal most
            rules = self.rules()
            most = max(most, sum(int(PACKETS.search(rule)[1]) for rule in rules))
            return not rules

        try:
            polling.until(
                are_gone,
                "the rules to be removed",
                timeout_seconds=REMOVED_WITHIN_SECONDS,
                interval_seconds=0.1,
            )
        except LabError:
            self.left += len(self.rules())
        self.packets += most

    def as_json(self):
        """Its part of the result document."""
        now = self._counts()
        return {
            "registered": self.registered,
            "beginnings": now["beginnings"] - self._before["beginnings"],
            "ends": now["ends"] - self._before["ends"],
            "packetIns": self.packets,
            "rulesLeft": self.left,
        }
