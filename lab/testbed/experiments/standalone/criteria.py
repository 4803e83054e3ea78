# SPDX-License-Identifier: Apache-2.0
"""The bounds that sluiced over bridges is judged by, each with a name."""

from testbed.flooding import criteria
from testbed.flooding.phases import TCP_HOST
from testbed.report import expectations

DEVIATION_BELOW = 0.05
DRAINED_PART = 0.98  # of the receiver's NIC, by its phantom queue
GUARANTEE_AT_LEAST = 0.97
MARK_TO_RATE_P50_MILLIS = 1.0
READY_SECONDS, RESIDENT_MIB = 3.0, 300


def of_phases(phases, congestion_control):
    """(expectations, aims) of the sequence's phases, {name: PhaseResult}."""
    return [
        expectations.at_least(
            "alone: TCP / the link", _tcp(phases["alone"]), criteria.TCP_AT_LEAST
        ),
        expectations.below(
            "flooded: TCP / its fair share",
            _tcp(phases["flooded"]),
            criteria.flooded_bound(congestion_control),
        ),
        *(
            expectations.below(
                f"{name}: largest deviation from a fair share of what receivers let through",
                largest_deviation(phases[name]),
                DEVIATION_BELOW,
            )
            for name in ("controlled", "weighted")
        ),
        expectations.at_least(
            "guaranteed: TCP / its guarantee", _tcp(phases["guaranteed"]), GUARANTEE_AT_LEAST
        ),
        expectations.at_least(
            "released: TCP / the link", _tcp(phases["released"]), criteria.TCP_AT_LEAST
        ),
    ]


def largest_deviation(phase):
    """Greatest distance of an endpoint from its share of what the receiver lets through."""
    return max(abs(endpoint.share / DRAINED_PART - 1) for endpoint in phase.endpoints)


def of_marks(summary):
    """That first marks were answered; summary: as mark_delays.summary() returns it."""
    return [expectations.at_least("first marks answered by a changed rate", summary["samples"], 1)]


def aims(summary, controller):
    """What is reported without deciding: it depends on the machine's own pauses."""
    found = [
        expectations.below(
            "sluiced: seconds until it serves", controller["bootSeconds"], READY_SECONDS
        ),
        expectations.below("sluiced: resident MiB", controller["residentMib"], RESIDENT_MIB),
    ]
    if summary["samples"]:
        found.append(
            expectations.below("mark to rate, p50, ms", summary["p50"], MARK_TO_RATE_P50_MILLIS)
        )
    return found


def of_fault(phases):
    """Expectations of the phases before, with and after a fault: the share stays."""
    return [
        expectations.at_least(
            f"{phase.name}: TCP / its fair share", _tcp(phase), criteria.TCP_AT_LEAST
        )
        for phase in phases
    ]


def _tcp(phase):
    return phase.endpoint(TCP_HOST).share
