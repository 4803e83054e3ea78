# SPDX-License-Identifier: Apache-2.0
"""What the dumbbell is expected to show; every bound has its name here."""

from testbed.experiments.dumbbell.phases import TCP_HOST
from testbed.report import expectations

SLUICE = "sluice"  # the law whose bounds these are
FLOODED_BELOW = 0.10
FLOODED_BELOW_BBR = 0.30  # bbr ignores loss, and so keeps a little more
TCP_AT_LEAST = 0.90
UTILISATION_AT_LEAST = 0.92
WEIGHTED_DEVIATION_BELOW = 0.10
PROBE_RISE_BELOW_MILLIS = 5.0
SHORT_FLOODED_BELOW = 0.30
SHORT_CONTROLLED_AT_LEAST = 0.70

# SDN-GCC is a published law, run for comparison. After each cut the port stands partly idle until
# the rates have crept up: at this speed a tenant gets about three quarters of its share and the
# link is used to as much, however long one waits. These bounds say that it works as published: the
# tenant is rescued, weights count, most of the link is used. Sluice's own law has others.
PAPER_LABEL = "the paper's law: "
PAPER_CONTROLLED_AT_LEAST = 0.50
PAPER_GAIN_AT_LEAST = 5.0
# bbr may have 30 % of its share under the floods: half a share is not five times that.
PAPER_GAIN_AT_LEAST_BBR = 1.5
PAPER_UTILISATION_AT_LEAST = 0.65
PAPER_RELEASED_AT_LEAST = 0.60
# Without any effect of the weights 2:1:1:1 it would be 0.5.
PAPER_EVENNESS_AT_LEAST = 0.65
LEAST_GOODPUT_MBPS = 0.01  # what a starved connection is taken to have had


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


def full(phases, congestion_control, first_marks_answered, law=SLUICE):
    """All phases of the dumbbell; phases: {name: PhaseResult}; law: "sluice" or "paper"."""
    is_sluice = law == SLUICE
    by_law = _sluice_holds(phases) if is_sluice else _paper_holds(phases, congestion_control)
    return [
        expectations.at_least(
            "alone: TCP / the link", phases["alone"].endpoint(TCP_HOST).share, TCP_AT_LEAST
        ),
        expectations.below(
            "flooded: TCP / its fair share",
            phases["flooded"].endpoint(TCP_HOST).share,
            flooded_bound(congestion_control),
        ),
        *by_law,
        expectations.at_least("first marks answered by a changed rate", first_marks_answered, 1),
    ]


def _sluice_holds(phases):
    controlled = phases["controlled"]
    return [
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
    ]


def _paper_holds(phases, congestion_control):
    controlled, weighted = phases["controlled"], phases["weighted"]
    return [
        *_paper_controls(phases, congestion_control),
        expectations.at_least(
            PAPER_LABEL + "controlled: utilisation",
            controlled.utilisation,
            PAPER_UTILISATION_AT_LEAST,
        ),
        expectations.at_least(
            PAPER_LABEL + "weighted: least / greatest part of a fair share",
            evenness(weighted),
            PAPER_EVENNESS_AT_LEAST,
        ),
        expectations.at_least(
            PAPER_LABEL + "released: TCP / the link",
            phases["released"].endpoint(TCP_HOST).share,
            PAPER_RELEASED_AT_LEAST,
        ),
    ]


def _paper_controls(phases, congestion_control):
    is_bbr = congestion_control == "bbr"
    flooded = phases["flooded"].endpoint(TCP_HOST).goodput_mbps
    controlled = phases["controlled"].endpoint(TCP_HOST)
    return [
        expectations.at_least(
            PAPER_LABEL + "controlled: TCP / its fair share",
            controlled.share,
            PAPER_CONTROLLED_AT_LEAST,
        ),
        expectations.at_least(
            PAPER_LABEL + "controlled: TCP / what it had flooded",
            controlled.goodput_mbps / max(flooded, LEAST_GOODPUT_MBPS),
            PAPER_GAIN_AT_LEAST_BBR if is_bbr else PAPER_GAIN_AT_LEAST,
        ),
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


def short(phases, congestion_control, law=SLUICE):
    """The direction alone, with wide margins."""
    flooded = expectations.below(
        "flooded: TCP / its fair share",
        phases["flooded"].endpoint(TCP_HOST).share,
        SHORT_FLOODED_BELOW,
    )
    if law != SLUICE:
        return [flooded, *_paper_controls(phases, congestion_control)]
    return [
        flooded,
        expectations.at_least(
            "controlled: TCP / its fair share",
            phases["controlled"].endpoint(TCP_HOST).share,
            SHORT_CONTROLLED_AT_LEAST,
        ),
    ]


def largest_deviation(phase):
    """Greatest distance of an endpoint from its fair share, as a part of that share."""
    return max(abs(endpoint.share - 1) for endpoint in phase.endpoints)


def evenness(phase):
    """The least part of a fair share that an endpoint has, by the greatest: 1 if weights hold."""
    shares = [endpoint.share for endpoint in phase.endpoints]
    return min(shares) / max(shares)


def probe_rise_millis(before, after):
    """Rise of the p99 round trip between two series of probes; None without answers."""
    if before["p99Millis"] is None or after["p99Millis"] is None:
        return None
    return after["p99Millis"] - before["p99Millis"]
