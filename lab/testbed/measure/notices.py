# SPDX-License-Identifier: Apache-2.0
"""Which way notices came to hosts, as their agents count them, and why that way."""

from testbed.deployment.signals import IN_BAND
from testbed.report import expectations

PAPER = "paper"  # the law that always sends notices
# The first ones after a change of keys may come before the key.
IN_BAND_AT_LEAST = 0.99


def counted(agents):
    """{"inBand", "byLink", "refused"}: over all host agents, since each one's start."""
    told = [agent.status()["notices"] for agent in agents]
    return {
        "inBand": sum(each["inBand"] for each in told),
        "byLink": sum(each["byLink"] for each in told),
        "refused": sum(sum(each["refused"].values()) for each in told),
    }


def since(before, now):
    """What was counted between two looks."""
    return {name: now[name] - before[name] for name in now}


def detours(entries):
    """What journal entries say of endpoints whose notices changed their way, and why.

    The engine's own entries about notices name ports.
    """
    return [
        {name: entry[name] for name in ("time", "endpoint", "decision", "evidence")}
        for entry in entries
        if entry["kind"] == "notice" and entry["endpoint"] is not None
    ]


def expected(way, law, told):
    """In band they are expected to come so, where any came or must have."""
    total = sum(told.values())
    if way != IN_BAND or (total == 0 and law != PAPER):
        return []
    share = told["inBand"] / total if total else None
    return [expectations.at_least("notices that came in band", share, IN_BAND_AT_LEAST)]
