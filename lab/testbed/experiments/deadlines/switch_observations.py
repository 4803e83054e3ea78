# SPDX-License-Identifier: Apache-2.0
"""What switches tell of the connections of registered flows (`flows = switch`)."""

import re

from testbed.control.onos import COMPONENT
from testbed.system import polling
from testbed.system.errors import LabError

HOST, SWITCH = "host", "switch"
SIGNED = "nw_ecn=1,"  # what agents sign SYN, FIN and RST with, as ovs-ofctl writes it
PACKETS = re.compile(r"n_packets=(\d+)")
IN_PLACE_SECONDS, GONE_SECONDS = 1, 15


def add_option(command):
    """--flows."""
    command.add_argument(
        "--flows",
        choices=(HOST, SWITCH),
        default=HOST,
        help="who tells that a registered flow's connection begins or ends (host)",
    )


def use(site, who):
    """Tell Sluice who is to tell. LabError where it cannot choose."""
    if who == HOST:
        return
    if "flows" not in site.controller.onos.properties(COMPONENT):
        raise LabError("Sluice there has no property 'flows': leave out --flows")
    site.sluice.set(flows=who)


class SwitchSight:
    """Follows what switches are asked, and what they tell, over an experiment."""

    def __init__(self, site):
        self.site = site
        self.registered = 0
        self.packets = 0  # copied to the controller, by the rules' own counters
        self.left = 0  # rules that stayed although nobody is registered
        self.before = self._told()

    def _told(self):
        return self.site.sluice.deadlines()["seenBySwitches"]

    def rules(self):
        """The rules that ask for beginnings and ends, one a line."""
        return [
            rule
            for switch in self.site.network.switches.values()
            for rule in switch.flows()
            if SIGNED in rule and "CONTROLLER" in rule
        ]

    def await_asked(self, flows):
        """Wait until switches are asked about so many flows, which have just been registered."""
        self.registered += flows
        polling.until(
            lambda: len(self.rules()) >= flows,
            f"{flows} rules for flows that are registered",
            timeout_seconds=IN_PLACE_SECONDS,
            interval_seconds=0.02,
        )

    def await_quiet(self):
        """Wait until nobody is asked any more; counts what was copied meanwhile."""
        most = 0

        def gone():
            nonlocal most
            rules = self.rules()
            most = max(most, sum(int(PACKETS.search(rule)[1]) for rule in rules))
            return not rules

        try:
            polling.until(
                gone, "the rules to go", timeout_seconds=GONE_SECONDS, interval_seconds=0.1
            )
        except LabError:
            self.left += len(self.rules())
        self.packets += most

    def as_json(self):
        """What switches told, in the document of `--json FILE`."""
        now = self._told()
        return {
            "registered": self.registered,
            "beginnings": now["beginnings"] - self.before["beginnings"],
            "ends": now["ends"] - self.before["ends"],
            "packetIns": self.packets,
            "rulesLeft": self.left,
        }
