# SPDX-License-Identifier: Apache-2.0
"""Weighted max-min shares against cases computed by hand."""

import pytest

from testbed.measure.max_min import Demand, saturated, weighted_max_min


def demand(name, links, weight=1):
    return Demand(name, weight, frozenset(links))


PARKING_LOT = [demand("long", "ab"), demand("near", "a"), demand("far", "b")]


@pytest.mark.parametrize(
    ("capacities", "demands", "expected"),
    [
        # One link: in proportion to weights.
        ({"a": 50}, [demand(1, "a", 2), demand(2, "a"), demand(3, "a")], {1: 25, 2: 12.5, 3: 12.5}),
        # Two equal links in a row: everybody half a link; proportional fairness would give 1/3.
        ({"a": 50, "b": 50}, PARKING_LOT, {"long": 25, "near": 25, "far": 25}),
        # The narrower one binds the long flow, and what it leaves of the other is the near one's.
        ({"a": 50, "b": 30}, PARKING_LOT, {"long": 15, "near": 35, "far": 15}),
        ({"a": 30, "b": 50}, PARKING_LOT, {"long": 15, "near": 15, "far": 35}),
        # Two long flows: a third of b each; the near one gets the rest of a.
        (
            {"a": 50, "b": 30},
            [*PARKING_LOT, demand("second", "ab")],
            {"long": 10, "second": 10, "far": 10, "near": 30},
        ),
        # Weights 2 for the long flow. b: 30/3 = 10 a weight, a: 50/3 = 16.7, so b binds it at 20.
        (
            {"a": 50, "b": 30},
            [demand("long", "ab", 2), demand("near", "a"), demand("far", "b")],
            {"long": 20, "near": 30, "far": 10},
        ),
        # A weight moves the bottleneck: a: 50/5 = 10 a weight, b: 30/2 = 15, so a binds the long
        # one at 10, and b's other one gets 20.
        (
            {"a": 50, "b": 30},
            [demand("long", "ab"), demand("near", "a", 4), demand("far", "b")],
            {"long": 10, "near": 40, "far": 20},
        ),
        # Nobody shares anything.
        ({"a": 50, "b": 30}, [demand(1, "a"), demand(2, "b")], {1: 50, 2: 30}),
        # Three links, three levels (Bertsekas and Gallager's construction): 1/3, then 2/3, then 1.
        (
            {"a": 3, "b": 3, "c": 3, "d": 4},
            [demand(1, "ab"), demand(2, "a"), demand(3, "a"), demand(4, "b"), demand(5, "d")],
            {1: 1, 2: 1, 3: 1, 4: 2, 5: 4},
        ),
        ({"a": 50}, [], {}),
    ],
)
def test_shares(capacities, demands, expected):
    assert weighted_max_min(capacities, demands) == pytest.approx(expected)


def test_an_unused_link_is_not_saturated():
    capacities = {"a": 50, "b": 100, "c": 30}
    rates = weighted_max_min(capacities, PARKING_LOT)
    assert rates == pytest.approx({"long": 25, "near": 25, "far": 75})
    assert saturated(capacities, PARKING_LOT, rates) == ["a", "b"]


def test_shares_are_weighted_max_min_fair():
    capacities = {"a": 50, "b": 30, "c": 20}
    demands = [
        demand(1, "abc", 2),
        demand(2, "ab"),
        demand(3, "bc", 0.5),
        demand(4, "a", 3),
        demand(5, "c"),
    ]
    rates = weighted_max_min(capacities, demands)
    full = saturated(capacities, demands, rates)
    for each in demands:
        level = rates[each.name] / each.weight
        rivals = [
            max(rates[other.name] / other.weight for other in demands if link in other.links)
            for link in full
            if link in each.links
        ]
        assert any(level >= highest - 1e-9 for highest in rivals)


@pytest.mark.parametrize(
    ("capacities", "wrong", "words"),
    [
        ({"a": 50}, demand("x", "a", 0), "x: weight 0 must be above 0"),
        ({"a": 50}, demand("x", ""), "x: crosses no link"),
        ({"a": 50}, demand("x", "b"), "x: link b has no capacity"),
        ({"a": 0}, demand("x", "a"), "x: link a has no capacity"),
    ],
)
def test_unsolvable_input_is_refused(capacities, wrong, words):
    with pytest.raises(ValueError, match=words):
        weighted_max_min(capacities, [wrong])
