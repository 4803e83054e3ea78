# SPDX-License-Identifier: Apache-2.0
"""The bounds that the dumbbell is judged by."""

import pytest

from testbed.control.laws import SDN_GCC, SLUICE
from testbed.experiments.dumbbell.hygenicc import marks_returned
from testbed.flooding import criteria
from testbed.system.processors import CpuUse
from testbed.tests.builders import phase_result

FAIR = {"h1": 11.8, "h2": 12.1, "h3": 12.2, "h4": 12.1}
WEIGHTS = {"h1": 2, "h2": 1, "h3": 1, "h4": 1}


def good_phases():
    return {
        "alone": phase_result("alone", {"h1": 47.0}),
        "flooded": phase_result("flooded", {"h1": 0.1, "h2": 16, "h3": 16, "h4": 16}),
        "controlled": phase_result("controlled", FAIR, probe_p99=3.0),
        "weighted": phase_result(
            "weighted", {"h1": 18.9, "h2": 9.7, "h3": 9.6, "h4": 9.7}, weights=WEIGHTS
        ),
        "released": phase_result("released", {"h1": 46.0}),
    }


def failing(phases, congestion_control="cubic", answered=20):
    judged = criteria.full(phases, congestion_control, answered)
    return [expectation.name for expectation in judged if not expectation.holds]


def test_a_good_run_fails_nothing():
    assert failing(good_phases()) == []


@pytest.mark.parametrize(
    ("spoilt", "name"),
    [
        (phase_result("alone", {"h1": 30.0}), "alone: TCP / the link"),
        (
            phase_result("flooded", {"h1": 1.3, "h2": 16, "h3": 16, "h4": 16}),
            "flooded: TCP / its fair share",
        ),
        (
            phase_result("controlled", {**FAIR, "h1": 10.5}, probe_p99=3.0),
            "controlled: TCP / its fair share",
        ),
        (phase_result("controlled", FAIR, utilisation=0.91), "controlled: utilisation"),
        (
            phase_result(
                "weighted", {"h1": 18.9, "h2": 8.5, "h3": 9.6, "h4": 9.7}, weights=WEIGHTS
            ),
            "weighted: largest deviation from a fair share",
        ),
        (phase_result("released", {"h1": 40.0}), "released: TCP / the link"),
    ],
)
def test_each_fault_fails_its_own_expectation(spoilt, name):
    assert failing({**good_phases(), spoilt.name: spoilt}) == [name]


@pytest.mark.parametrize(
    ("controlled", "unmet"),
    [
        (phase_result("controlled", FAIR, probe_p99=5.9), []),
        (
            phase_result("controlled", FAIR, probe_p99=6.1),
            ["controlled: p99 rise of a sparse flow beside a flood, ms"],
        ),
        (
            phase_result("controlled", {**FAIR, "h3": 11.4}),
            ["controlled: largest deviation from a fair share"],
        ),
        (phase_result("controlled", FAIR, cpu=CpuUse(0.29)), ["least idle CPU of a phase"]),
    ],
)
def test_aims_are_reported_and_decide_nothing(controlled, unmet):
    quiet = {"requests": 600, "lost": 0, "p50Millis": 0.4, "p99Millis": 1.0}
    phases = {**good_phases(), "controlled": controlled}
    assert failing(phases) == []
    assert [aim.name for aim in criteria.aims(phases, quiet) if not aim.holds] == unmet


def test_unanswered_marks_fail():
    assert failing(good_phases(), answered=0) == ["first marks answered by a changed rate"]


def test_bbr_may_keep_a_larger_share_under_the_floods():
    phases = good_phases()
    phases["flooded"] = phase_result("flooded", {"h1": 3.0, "h2": 15, "h3": 15, "h4": 15})
    assert failing(phases, "bbr") == []
    assert failing(phases, "cubic") == ["flooded: TCP / its fair share"]


def phases_under_sdn_gcc():
    """As measured on the testbed."""
    rates = {"h1": 8.7, "h2": 9.1, "h3": 9.2, "h4": 9.3}
    weighted = {"h1": 16.6, "h2": 7.3, "h3": 7.4, "h4": 7.4}
    return {
        **good_phases(),
        "controlled": phase_result("controlled", rates, utilisation=0.76),
        "weighted": phase_result("weighted", weighted, weights=WEIGHTS, utilisation=0.81),
        "released": phase_result("released", {"h1": 40.0}),
    }


def failing_sdn_gcc_bounds(phases):
    judged = criteria.full(phases, "cubic", 20, law=SDN_GCC)
    return [each.name for each in judged if not each.holds]


def test_sdn_gcc_has_its_own_bounds_and_reports_them():
    phases = phases_under_sdn_gcc()
    assert failing_sdn_gcc_bounds(phases) == []
    assert "controlled: TCP / its fair share" in failing(phases), "Sluice's stay untouched"
    names = [each.name for each in criteria.full(phases, "cubic", 20, law=SDN_GCC)]
    own = [name for name in names if name.startswith(criteria.SDN_GCC_LABEL)]
    assert len(own) == 5
    assert not any(
        name.startswith(criteria.SDN_GCC_LABEL)
        for name in (each.name for each in criteria.full(phases, "cubic", 20))
    )


@pytest.mark.parametrize(
    ("spoilt", "name"),
    [
        (
            phase_result("controlled", {**FAIR, "h1": 5.9}, utilisation=0.76),
            "controlled: TCP / its fair share",
        ),
        (phase_result("controlled", FAIR, utilisation=0.64), "controlled: utilisation"),
        (
            phase_result("weighted", dict.fromkeys(FAIR, 10.0), weights=WEIGHTS),
            "weighted: least / greatest part of a fair share",
        ),
        (phase_result("released", {"h1": 28.0}), "released: TCP / the link"),
    ],
)
def test_each_fault_under_sdn_gcc_fails_its_own_expectation(spoilt, name):
    phases = {**phases_under_sdn_gcc(), spoilt.name: spoilt}
    assert failing_sdn_gcc_bounds(phases) == [criteria.SDN_GCC_LABEL + name]


def test_sdn_gcc_must_restore_starved_flows():
    phases = phases_under_sdn_gcc()
    phases["flooded"] = phase_result("flooded", {**FAIR, "h1": 1.8})
    assert (
        criteria.SDN_GCC_LABEL + "controlled: TCP / its goodput while flooded"
        in failing_sdn_gcc_bounds(phases)
    )


def test_bbr_keeps_more_under_the_floods_and_so_gains_less():
    phases = phases_under_sdn_gcc()
    phases["flooded"] = phase_result("flooded", {**FAIR, "h1": 3.0})
    judged = criteria.full(phases, "bbr", 20, law=SDN_GCC)
    assert [each.name for each in judged if not each.holds] == []


@pytest.mark.parametrize(("controlled", "holds"), [(6.1, True), (5.9, False)])
def test_short_run_under_sdn_gcc(controlled, holds):
    phases = {
        "flooded": phase_result("flooded", {**FAIR, "h1": 0.1}),
        "controlled": phase_result("controlled", {**FAIR, "h1": controlled}),
    }
    assert all(each.holds for each in criteria.short(phases, "cubic", SDN_GCC)) is holds


@pytest.mark.parametrize(
    ("flooded", "controlled", "holds"), [(3.5, 8.5, True), (3.7, 8.5, False), (3.5, 8.2, False)]
)
def test_short_run_asserts_the_direction(flooded, controlled, holds):
    phases = {
        "flooded": phase_result("flooded", {**FAIR, "h1": flooded}),
        "controlled": phase_result("controlled", {**FAIR, "h1": controlled}),
    }
    assert all(expectation.holds for expectation in criteria.short(phases, "cubic")) is holds


@pytest.mark.parametrize(
    ("transport", "law", "counts", "holds"),
    [
        ("link", SDN_GCC, (0, 100, 0), []),
        ("in-band", SDN_GCC, (100, 0, 0), [True]),
        ("in-band", SDN_GCC, (0, 100, 0), [False]),
        ("in-band", SDN_GCC, (90, 0, 10), [False]),
        ("in-band", SDN_GCC, (0, 0, 0), [False]),
        ("in-band", SLUICE, (0, 0, 0), []),
        ("in-band", SLUICE, (100, 1, 0), [True]),
    ],
)
def test_notices_must_travel_as_selected(transport, law, counts, holds):
    counts = dict(zip(("inBand", "byLink", "refused"), counts, strict=True))
    judged = criteria.notices_in_band(transport, law, counts)
    assert [each.holds for each in judged] == holds


def hygenicc(marks=None, **spoilt):
    phases = {**good_phases(), **{phase.name: phase for phase in spoilt.values()}}
    judged = criteria.hygenicc(
        [
            phases[name]
            for name in ("flooded", "controlled", "orphaned", "released")
            if name in phases
        ],
        "cubic",
        marks or {"arrived": 1000, "returned": 998, "byBit": 90},
    )
    return [expectation.name for expectation in judged if not expectation.holds]


def test_hygenicc_is_judged_by_shares_the_link_and_marks():
    assert hygenicc() == []
    assert hygenicc(x=phase_result("controlled", {**FAIR, "h1": 8.0})) == [
        "controlled: TCP / its fair share"
    ]
    assert hygenicc(x=phase_result("controlled", FAIR, utilisation=0.7)) == [
        "controlled: utilisation"
    ]
    assert hygenicc(x=phase_result("orphaned", FAIR)) == []
    assert hygenicc(x=phase_result("orphaned", {**FAIR, "h1": 8.0})) == [
        "orphaned: TCP / its fair share"
    ]
    lost = "marks that came back / that arrived"
    assert hygenicc({"arrived": 1000, "returned": 900, "byBit": 0}) == [lost]
    assert hygenicc({"arrived": 0, "returned": 0, "byBit": 0}) == [lost]


def test_marks_are_added_up_over_hosts():
    none = {"cePackets": 0, "returnedMarks": 0, "reflectedMarks": 0}
    statuses = [
        {"pairs": [none | {"cePackets": 5}], "feedback": {"sent": 4, "relayed": 0}},
        {"pairs": [none | {"returnedMarks": 4}] * 2, "feedback": {"sent": 1, "relayed": 2}},
        {"pairs": [none | {"reflectedMarks": 3}], "feedback": {"sent": 0, "relayed": 1}},
    ]
    assert marks_returned(statuses) == {
        "arrived": 5,
        "returned": 8,
        "byBit": 3,
        "messages": 5,
        "relayed": 3,
    }
