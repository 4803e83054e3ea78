# SPDX-License-Identifier: Apache-2.0
"""Shares of tenants and of their senders against cases computed by hand."""

import pytest

from testbed.measure.tenant_shares import Claim, divided, of_senders


def senders(*names, weight=1, demand=None):
    return [
        Claim(name, weight) if demand is None else Claim(name, weight, demand) for name in names
    ]


@pytest.mark.parametrize(
    ("tenants", "expected"),
    [
        # Half each, however many endpoints there are: 20, and 20 / 3.
        (
            {Claim("A"): senders("a"), Claim("B"): senders("b", "c", "d")},
            {"a": 20, "b": 20 / 3, "c": 20 / 3, "d": 20 / 3},
        ),
        # One of B's three is idle: its siblings have its part, A has what it had.
        ({Claim("A"): senders("a"), Claim("B"): senders("b", "c")}, {"a": 20, "b": 10, "c": 10}),
        # One of B's three sends 2: its siblings share the other 18.
        (
            {Claim("A"): senders("a"), Claim("B"): [*senders("b", "c"), Claim("d", 1, 2)]},
            {"a": 20, "b": 9, "c": 9, "d": 2},
        ),
        # All of B send a tenth of 6, so B wants 1.8 of its 20: A has the rest.
        (
            {Claim("A"): senders("a"), Claim("B"): senders("b", "c", "d", demand=0.6)},
            {"a": 38.2, "b": 0.6, "c": 0.6, "d": 0.6},
        ),
        # Five of 1 leave 35 for weights 2, 1, 1: 8.75 for weight 1.
        (
            {
                **{Claim(f"L{n}"): senders(n, demand=1) for n in range(5)},
                Claim("A", 2): senders("a"),
                Claim("B"): senders("b"),
                Claim("C"): senders("c"),
            },
            {0: 1, 1: 1, 2: 1, 3: 1, 4: 1, "a": 17.5, "b": 8.75, "c": 8.75},
        ),
        # A guarantee above half: 25, and the others share the rest.
        (
            {Claim("A", 1, guarantee_mbps=25): senders("a"), Claim("B"): senders("b", "c")},
            {"a": 25, "b": 7.5, "c": 7.5},
        ),
        # The same guarantee binds nobody who would get more in any case.
        (
            {Claim("A", 3, guarantee_mbps=25): senders("a"), Claim("B"): senders("b")},
            {"a": 30, "b": 10},
        ),
        # A guarantee that is not used is not kept.
        (
            {
                Claim("A", 1, guarantee_mbps=25): senders("a", demand=4),
                Claim("B"): senders("b"),
            },
            {"a": 4, "b": 36},
        ),
        # Within a tenant by the senders' weights: 20 as 15 and 5.
        (
            {Claim("A"): senders("a"), Claim("B"): [Claim("b", 3), Claim("c")]},
            {"a": 20, "b": 15, "c": 5},
        ),
        # There is room for all.
        (
            {Claim("A"): senders("a", demand=9), Claim("B"): senders("b", demand=30)},
            {"a": 9, "b": 30},
        ),
    ],
)
def test_hand_computed_shares_of_40(tenants, expected):
    assert of_senders(40, tenants) == pytest.approx(expected)


def test_all_guarantees_may_fill_the_link():
    full = [Claim("A", guarantee_mbps=30), Claim("B", guarantee_mbps=10)]
    assert divided(40, full) == pytest.approx({"A": 30, "B": 10})


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ([Claim("A", 0)], "A: weight 0 must be above 0"),
        ([Claim("A", guarantee_mbps=30), Claim("B", guarantee_mbps=11)], "guarantees of 41 Mbit/s"),
    ],
)
def test_impossible_claims(claims, words):
    with pytest.raises(ValueError, match=words):
        divided(40, claims)
