# SPDX-License-Identifier: Apache-2.0
"""How many notices arrived in band and by the agent link, and why some used the link."""


def count(statuses):
    """{"inBand", "byLink", "refused"}: the sums over host agents' status documents."""
    counts = [status["notices"] for status in statuses]
    return {
        "inBand": sum(each["inBand"] for each in counts),
        "byLink": sum(each["byLink"] for each in counts),
        "refused": sum(sum(each["refused"].values()) for each in counts),
    }


def between(before, after):
    """The notices that were counted between two results of count()."""
    return {name: after[name] - before[name] for name in after}


def link_fallbacks(entries):
    """Journal entries about endpoints whose notices changed between in band and the link.

    The engine's own entries about notices name ports.
    """
    return [
        {name: entry[name] for name in ("time", "endpoint", "decision", "evidence")}
        for entry in entries
        if entry["kind"] == "notice" and entry["endpoint"] is not None
    ]
