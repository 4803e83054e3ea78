# SPDX-License-Identifier: Apache-2.0
"""What the dumbbell is expected to show; every bound has its name here."""

from testbed import expectations
from testbed.phases import TCP_HOST

FLOODED_BELOW = 0.10
FLOODED_BELOW_BBR = 0.30  # bbr ignores loss, and so keeps a little more
TCP_AT_LEAST = 0.90
UTILISATION_AT_LEAST = 0.92
WEIGHTED_DEVIATION_BELOW = 0.10
PROBE_RISE_BELOW_MILLIS = 5.0
SHORT_FLOODED_BELOW = 0.30
SHORT_CONTROLLED_AT_LEAST = 0.70


def flooded_bound(congestion_control):
    """How little a TCP of this kind gets under the floods."""
    return FLOODED_BELOW_BBR if congestion_control == "bbr" else FLOODED_BELOW


def manual_rates(flooded, limited, congestion_control):
    """Free for all, against rates set by hand."""
    return [
        expectations.below(
            "flooded: TCP / its fair share",
            flooded.endpoint(TCP_HOST).share,
            flooded_bound(congestion_control),
        ),
        expectations.at_least(
            "rates set: TCP / its fair share", limited.endpoint(TCP_HOST).share, TCP_AT_LEAST
        ),
    ]


def full(phases, congestion_control, first_marks_answered):
    """All phases of the dumbbell; phases: {name: PhaseResult}."""
    controlled = phases["controlled"]
    return [
        expectations.at_least(
            "alone: TCP / the link", phases["alone"].endpoint(TCP_HOST).share, TCP_AT_LEAST
        ),
        expectations.below(
            "flooded: TCP / its fair share",
            phases["flooded"].endpoint(TCP_HOST).share,
            flooded_bound(congestion_control),
        ),
        expectations.at_least(
            "controlled: TCP / its fair share", controlled.endpoint(TCP_HOST).share, TCP_AT_LEAST
        ),
        expectations.at_least(
            "controlled: utilisation", controlled.utilisation, UTILISATION_AT_LEAST
        ),
        expectations.below(
            "weighted: largest deviation from a fair share",
            largest_deviation(phases["weighted"]),
            WEIGHTED_DEVIATION_BELOW,
        ),
        expectations.at_least(
            "released: TCP / the link", phases["released"].endpoint(TCP_HOST).share, TCP_AT_LEAST
        ),
        expectations.at_least("first marks answered by a changed rate", first_marks_answered, 1),
    ]


def aims(phases, quiet_probe):
    """What is reported against its aim and decides nothing; quiet_probe: before all traffic.

    A sparse flow waits in the bottleneck's queue like everybody: its p99 is the queue's, and that
    tells of the machine's own pauses as much as of the law.
    """
    return [
        expectations.below(
            "controlled: p99 rise of a sparse flow beside a flood, ms",
            probe_rise_millis(quiet_probe, phases["controlled"].probe),
            PROBE_RISE_BELOW_MILLIS,
        )
    ]


def short(phases):
    """The direction alone, with wide margins."""
    return [
        expectations.below(
            "flooded: TCP / its fair share",
            phases["flooded"].endpoint(TCP_HOST).share,
            SHORT_FLOODED_BELOW,
        ),
        expectations.at_least(
            "controlled: TCP / its fair share",
            phases["controlled"].endpoint(TCP_HOST).share,
            SHORT_CONTROLLED_AT_LEAST,
        ),
    ]


def largest_deviation(phase):
    """Greatest distance of an endpoint from its fair share, as a part of that share."""
    return max(abs(endpoint.share - 1) for endpoint in phase.endpoints)


def probe_rise_millis(before, after):
    """Rise of the p99 round trip between two series of probes; None without answers."""
    if before["p99Millis"] is None or after["p99Millis"] is None:
        return None
    return after["p99Millis"] - before["p99Millis"]
