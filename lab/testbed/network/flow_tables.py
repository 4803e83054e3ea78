# SPDX-License-Identifier: Apache-2.0
"""What switches hold - rules, meters, groups - without what changes by itself, and what differs."""

import re

from testbed.system import polling

SETTLING_SECONDS = 3
COUNTERS = re.compile(r"(cookie|duration|n_packets|n_bytes|idle_age|hard_age)=[^, ]*,? ?")


def essence(line):
    """A rule, meter or group without what changes by itself."""
    return COUNTERS.sub("", line)


def read(switches):
    """{switch: sorted entries} at this moment."""
    return {
        switch.name: sorted(map(essence, switch.flows() + switch.meters() + switch.groups()))
        for switch in switches
    }


def settled(switches, timeout_seconds=30):
    """The same, once nothing has changed for SETTLING_SECONDS."""
    last = None

    def steady():
        nonlocal last
        current = read(switches)
        same = current == last
        last = current
        return same

    polling.until(
        steady,
        "the flow tables to settle",
        timeout_seconds=timeout_seconds,
        interval_seconds=SETTLING_SECONDS,
    )
    return last


def differences(before, now):
    """Entries that came or went, as lines; a switch that is not there now is not looked at."""
    lines = []
    for switch, entries in now.items():
        old = before.get(switch, [])
        lines += [f"{switch}: {line}" for line in entries if line not in old]
        lines += [f"{switch}: gone: {line}" for line in old if line not in entries]
    return lines
