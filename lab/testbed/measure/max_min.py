# SPDX-License-Identifier: Apache-2.0
"""Weighted max-min fairness: the fair rates where several links may be the bottleneck.

An allocation is weighted max-min fair when no sender's rate per weight can be raised without
lowering that of another one whose rate per weight is no higher. Source: Bertsekas and Gallager,
"Data Networks", 2nd edition, section 6.5.2 (progressive filling); with weights, rates grow in
proportion to them.
"""

from dataclasses import dataclass

# Rates closer than this, in parts of a capacity, are the same.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Demand:
    """A greedy sender: its weight (> 0) and the names of the links that it crosses."""

    name: object
    weight: float
    links: frozenset


def weighted_max_min(capacities, demands):
    """{name: rate} of all demands, in the unit of the capacities ({link: capacity}).

    Raises ValueError for a demand without weight or links, or over a link without capacity: its
    rate would be zero or unbounded.
    """
    for demand in demands:
        _check(demand, capacities)
    rates = {}
    left = dict(capacities)
    growing = list(demands)
    while growing:
        weights = {
            link: sum(demand.weight for demand in growing if link in demand.links) for link in left
        }
        levels = {link: left[link] / weight for link, weight in weights.items() if weight > 0}
        lowest = min(levels.values())
        full = {link for link, level in levels.items() if level <= lowest * (1 + TOLERANCE)}
        frozen = [demand for demand in growing if demand.links & full]
        for demand in frozen:
            rates[demand.name] = demand.weight * lowest
            for link in demand.links:
                left[link] = max(0.0, left[link] - rates[demand.name])
        growing = [demand for demand in growing if not demand.links & full]
    return rates


def saturated(capacities, demands, rates):
    """Links that an allocation fills, in the order of the capacities."""
    loads = dict.fromkeys(capacities, 0.0)
    for demand in demands:
        for link in demand.links:
            loads[link] += rates[demand.name]
    return [link for link, load in loads.items() if load >= capacities[link] * (1 - 1e-6)]


def _check(demand, capacities):
    if not demand.weight > 0:
        raise ValueError(f"{demand.name}: weight {demand.weight} must be above 0")
    if not demand.links:
        raise ValueError(f"{demand.name}: crosses no link, so nothing bounds its rate")
    for link in demand.links:
        if not capacities.get(link, 0) > 0:
            raise ValueError(f"{demand.name}: link {link} has no capacity above 0")
