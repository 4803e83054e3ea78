# SPDX-License-Identifier: Apache-2.0
"""Rules, meters and groups of switches without their counters, and how two snapshots differ."""

import re

from testbed.system import polling

SETTLING_SECONDS = 3
COUNTERS = re.compile(r"(cookie|duration|n_packets|n_bytes|idle_age|hard_age)=[^, ]*,? ?")


def without_counters(line):
    """A rule, meter or group without counters and ages, which change by themselves."""
    return COUNTERS.sub("", line)


def read(switches):
    """{switch: sorted entries} now."""
    return {
        switch.name: sorted(
            map(without_counters, switch.flows() + switch.meters() + switch.groups())
        )
        for switch in switches
    }


def settled(switches, timeout_seconds=30):
    """The same, once nothing has changed for SETTLING_SECONDS."""
    last = None

    def is_unchanged():
        nonlocal last
        current = read(switches)
        is_same = current == last
        last = current
        return is_same

    polling.until(
        is_unchanged,
        "the flow tables to settle",
        timeout_seconds=timeout_seconds,
        interval_seconds=SETTLING_SECONDS,
    )
    return last


def differences(before, now):
    """Entries that were added or removed, as lines; switches missing in `now` are skipped."""
    lines = []
    for switch, entries in now.items():
        old = before.get(switch, [])
        lines += [f"{switch}: {line}" for line in entries if line not in old]
        lines += [f"{switch}: removed: {line}" for line in old if line not in entries]
    return lines
