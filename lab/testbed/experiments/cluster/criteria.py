# SPDX-License-Identifier: Apache-2.0
"""The bounds that a case is judged by."""

from testbed.experiments.cluster import writers
from testbed.experiments.cluster.watch import FULL_LINK
from testbed.report import expectations

TCP_AT_LEAST = 0.85
GAP_BELOW_SECONDS = 0.5
IN_FORCE_BELOW_SECONDS = 3.0


def of_traffic(seconds, gaps_seconds, resets):
    """(expectations, aims); seconds: as Watch.seconds() returns them.

    A second in which the link was not full says nothing about shares, and one in which the machine
    was busy nothing about a network: of those the least is reported.
    """
    full = [(tcp, is_busy) for _, tcp, used, is_busy in seconds if used >= FULL_LINK]
    judged = [tcp for tcp, is_busy in full if not is_busy]
    return [
        expectations.at_least("seconds that are judged", len(judged), 1),
        expectations.at_least(
            "TCP / its due, least second", min(judged, default=None), TCP_AT_LEAST
        ),
        expectations.below(
            "longest gap between pings, s",
            max(length for length, _ in gaps_seconds.values()),
            GAP_BELOW_SECONDS,
        ),
        expectations.below("established connections that were reset", resets, 1),
    ], [
        expectations.at_least(
            "TCP / its due, least second with a full link, busy ones too",
            min((tcp for tcp, _ in full), default=None),
            TCP_AT_LEAST,
        )
    ]


def of_takeover(seconds):
    """That another node decides; seconds: from the fault until its share was in force."""
    return expectations.below(
        "new share in force after the fault, s", seconds, IN_FORCE_BELOW_SECONDS
    )


def of_writes(changes, ceilings, promises, flows):
    """What was accepted is there, once, on every node."""
    return [
        expectations.at_least("changes accepted", changes[writers.ACCEPTED], 1),
        expectations.below(
            "changes lost, or made without being accepted",
            writers.lost_changes(changes, ceilings),
            1,
        ),
        expectations.at_least(
            "promises accepted",
            sum(outcome == writers.ACCEPTED for outcome, _ in promises.values()),
            1,
        ),
        expectations.below("promises lost", len(writers.lost_promises(promises, flows)), 1),
        expectations.below("promises doubled", len(writers.doubled_promises(promises, flows)), 1),
    ]


def of_views(taken_for_away):
    """(an aim) That no node takes a connected switch for away: ONOS has it so after a cut."""
    return expectations.below(
        "switches that a node takes for away in the end", len(taken_for_away), 1
    )


def of_tables(differences):
    """That switches are as before."""
    return expectations.below("entries of tables that are others", len(differences), 1)
