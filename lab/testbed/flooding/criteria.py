# SPDX-License-Identifier: Apache-2.0
"""The bounds that the dumbbell is judged by, each with a name."""

from testbed.control.laws import SDN_GCC, SLUICE
from testbed.deployment.signals import IN_BAND
from testbed.flooding.phases import TCP_HOST
from testbed.report import expectations

FLOODED_BELOW = 0.10
FLOODED_BELOW_BBR = 0.30  # bbr ignores loss, and so keeps a little more
TCP_AT_LEAST = 0.90
UTILISATION_AT_LEAST = 0.92
WEIGHTED_DEVIATION_BELOW = 0.10
PROBE_RISE_BELOW_MILLIS = 5.0
DEVIATION_AIM = 0.05
IDLE_AIM = 0.30
SHORT_FLOODED_BELOW = 0.30
SHORT_CONTROLLED_AT_LEAST = 0.70

# SDN-GCC is a published law, run for comparison. After each cut the port is partly idle until the
# rates have recovered: at this speed a tenant gets about three quarters of its share, and the link
# is used to as much, however long it runs. These bounds hold if it works as published: the tenant
# is rescued, weights have an effect, most of the link is used. Sluice's own law has stricter ones.
SDN_GCC_LABEL = "SDN-GCC: "
SDN_GCC_CONTROLLED_AT_LEAST = 0.50
SDN_GCC_GAIN_AT_LEAST = 5.0
# bbr may have 30 % of its share under the floods: half a share is not five times that.
SDN_GCC_GAIN_AT_LEAST_BBR = 1.5
SDN_GCC_UTILISATION_AT_LEAST = 0.65
SDN_GCC_RELEASED_AT_LEAST = 0.60
# Without any effect of the weights 2:1:1:1 it would be 0.5.
SDN_GCC_EVENNESS_AT_LEAST = 0.65
HYGENICC_CONTROLLED_AT_LEAST = 0.90
HYGENICC_UTILISATION_AT_LEAST = 0.90
# Marks in transit when the agents are read have not been returned yet.
MARKS_RETURNED_AT_LEAST = 0.99
LEAST_GOODPUT_MBPS = 0.01  # assumed for a starved connection
# The first notices after a change of keys may arrive before the key.
IN_BAND_AT_LEAST = 0.99


def flooded_bound(congestion_control):
    """The part of its fair share that TCP must stay below under the floods."""
    return FLOODED_BELOW_BBR if congestion_control == "bbr" else FLOODED_BELOW


def manual_rates(flooded, limited, congestion_control):
    """Nothing enforced, against rates set by hand."""
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


def hygenicc(phases, congestion_control, marks):
    """HyGenICC in the agents; marks: as hygenicc.marks_returned() returns them.

    Its rates never settle: they rise until the port marks again. Where there was a controller that
    carried marks, they are held to the same without it.
    """
    by_name = {phase.name: phase for phase in phases}
    returned = marks["returned"] / marks["arrived"] if marks["arrived"] else None
    judged = [
        expectations.below(
            "flooded: TCP / its fair share",
            by_name["flooded"].endpoint(TCP_HOST).share,
            flooded_bound(congestion_control),
        )
    ]
    for name in ("controlled", "orphaned"):
        if name in by_name:
            judged += _held_by_hygenicc(by_name[name])
    return [
        *judged,
        expectations.at_least(
            "released: TCP / the link", by_name["released"].endpoint(TCP_HOST).share, TCP_AT_LEAST
        ),
        expectations.at_least(
            "marks that came back / that arrived", returned, MARKS_RETURNED_AT_LEAST
        ),
    ]


def _held_by_hygenicc(phase):
    return [
        expectations.at_least(
            f"{phase.name}: TCP / its fair share",
            phase.endpoint(TCP_HOST).share,
            HYGENICC_CONTROLLED_AT_LEAST,
        ),
        expectations.at_least(
            f"{phase.name}: utilisation", phase.utilisation, HYGENICC_UTILISATION_AT_LEAST
        ),
    ]


def full(phases, congestion_control, first_marks_answered, law=SLUICE):
    """All phases of the dumbbell; phases: {name: PhaseResult}; law: "sluice" or "sdn-gcc"."""
    is_sluice = law == SLUICE
    by_law = _sluice_full(phases) if is_sluice else _sdn_gcc_full(phases, congestion_control)
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


def _sluice_full(phases):
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


def _sdn_gcc_full(phases, congestion_control):
    controlled, weighted = phases["controlled"], phases["weighted"]
    return [
        *_sdn_gcc_controlled(phases, congestion_control),
        expectations.at_least(
            SDN_GCC_LABEL + "controlled: utilisation",
            controlled.utilisation,
            SDN_GCC_UTILISATION_AT_LEAST,
        ),
        expectations.at_least(
            SDN_GCC_LABEL + "weighted: least / greatest part of a fair share",
            evenness(weighted),
            SDN_GCC_EVENNESS_AT_LEAST,
        ),
        expectations.at_least(
            SDN_GCC_LABEL + "released: TCP / the link",
            phases["released"].endpoint(TCP_HOST).share,
            SDN_GCC_RELEASED_AT_LEAST,
        ),
    ]


def _sdn_gcc_controlled(phases, congestion_control):
    is_bbr = congestion_control == "bbr"
    flooded = phases["flooded"].endpoint(TCP_HOST).goodput_mbps
    controlled = phases["controlled"].endpoint(TCP_HOST)
    return [
        expectations.at_least(
            SDN_GCC_LABEL + "controlled: TCP / its fair share",
            controlled.share,
            SDN_GCC_CONTROLLED_AT_LEAST,
        ),
        expectations.at_least(
            SDN_GCC_LABEL + "controlled: TCP / its goodput while flooded",
            controlled.goodput_mbps / max(flooded, LEAST_GOODPUT_MBPS),
            SDN_GCC_GAIN_AT_LEAST_BBR if is_bbr else SDN_GCC_GAIN_AT_LEAST,
        ),
    ]


def aims(phases, quiet_probe):
    """What is reported against its aim without deciding; quiet_probe: before all traffic.

    A sparse flow waits in the bottleneck's queue like any other: its p99 is the queue's, which
    depends on the machine's own pauses as much as on the law.
    """
    return [
        expectations.below(
            "controlled: p99 rise of a sparse flow beside a flood, ms",
            probe_rise_millis(quiet_probe, phases["controlled"].probe),
            PROBE_RISE_BELOW_MILLIS,
        ),
        *(
            expectations.below(
                f"{name}: largest deviation from a fair share",
                largest_deviation(phases[name]),
                DEVIATION_AIM,
            )
            for name in ("controlled", "weighted")
        ),
        expectations.at_least(
            "least idle CPU of a phase",
            min(phase.cpu.idle for phase in phases.values()),
            IDLE_AIM,
        ),
    ]


def short(phases, congestion_control, law=SLUICE):
    """The direction alone, with wide margins."""
    flooded = expectations.below(
        "flooded: TCP / its fair share",
        phases["flooded"].endpoint(TCP_HOST).share,
        SHORT_FLOODED_BELOW,
    )
    if law != SLUICE:
        return [flooded, *_sdn_gcc_controlled(phases, congestion_control)]
    return [
        flooded,
        expectations.at_least(
            "controlled: TCP / its fair share",
            phases["controlled"].endpoint(TCP_HOST).share,
            SHORT_CONTROLLED_AT_LEAST,
        ),
    ]


def notices_in_band(transport, law, counts):
    """Notices arrive in band where that was chosen, if there were any or the law always sends them.

    transport: "link" or "in-band"; counts: as measure.notices.count() returns them.
    """
    total = sum(counts.values())
    if transport != IN_BAND or (total == 0 and law != SDN_GCC):
        return []
    share = counts["inBand"] / total if total else None
    return [expectations.at_least("notices that arrived in band", share, IN_BAND_AT_LEAST)]


def largest_deviation(phase):
    """Greatest distance of an endpoint from its fair share, as a part of that share."""
    return max(abs(endpoint.share - 1) for endpoint in phase.endpoints)


def evenness(phase):
    """The least part of a fair share that an endpoint has / the greatest: 1 if weights hold."""
    shares = [endpoint.share for endpoint in phase.endpoints]
    return min(shares) / max(shares)


def probe_rise_millis(before, after):
    """Rise of the p99 round trip between two series of probes; None without answers."""
    if before["p99Millis"] is None or after["p99Millis"] is None:
        return None
    return after["p99Millis"] - before["p99Millis"]
