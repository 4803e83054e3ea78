# SPDX-License-Identifier: Apache-2.0
"""What tenants, and the senders of each, may expect of one link: weighted max-min with demands.

The link is divided among tenants: each gets its demand, or its weight times a level that is the
same for all who want more, but never less than its guarantee. What a tenant gets is divided among
its senders in the same way. A tenant's demand is the sum of its senders' demands, so what a sender
does not use is its siblings' first.
"""

import math
from dataclasses import dataclass, replace

GREEDY = math.inf


@dataclass(frozen=True)
class Claim:
    """Who shares: a weight (> 0), the most that it sends, and the least that it is guaranteed.

    Rates are in Mbit/s.
    """

    name: object
    weight: float = 1.0
    demand_mbps: float = GREEDY
    guarantee_mbps: float = 0.0

    @property
    def least_mbps(self):
        """Its guarantee, as far as it uses that."""
        return min(self.guarantee_mbps, self.demand_mbps)

    def at(self, level_mbps):
        """What it gets where weight 1 may send level_mbps."""
        return min(self.demand_mbps, max(self.guarantee_mbps, self.weight * level_mbps))


def divided(capacity_mbps, claims):
    """{name: Mbit/s} of a capacity, or of what all want where that is less.

    Raises ValueError for a weight that is not above 0, and for guarantees that do not fit.
    """
    for claim in claims:
        if not claim.weight > 0:
            raise ValueError(f"{claim.name}: weight {claim.weight} must be above 0")
    least = sum(claim.least_mbps for claim in claims)
    if least > capacity_mbps:
        raise ValueError(f"guarantees of {least:g} Mbit/s do not fit into {capacity_mbps:g} Mbit/s")
    if sum(claim.demand_mbps for claim in claims) <= capacity_mbps:
        return {claim.name: claim.demand_mbps for claim in claims}
    level = _level(capacity_mbps, claims)
    return {claim.name: claim.at(level) for claim in claims}


def _level(capacity_mbps, claims):
    """Where the sum, which grows in straight pieces, is the capacity."""
    bends = {0.0}
    for claim in claims:
        bends |= {claim.guarantee_mbps / claim.weight, claim.demand_mbps / claim.weight}
    below = max(
        bend
        for bend in bends
        if bend < GREEDY and sum(claim.at(bend) for claim in claims) <= capacity_mbps
    )
    left = capacity_mbps - sum(claim.at(below) for claim in claims)
    growing = sum(
        claim.weight
        for claim in claims
        if claim.guarantee_mbps / claim.weight <= below < claim.demand_mbps / claim.weight
    )
    return below + left / growing if growing else below


def behind(limit_mbps, tenants):
    """The same tenants and senders, where these share a limit on the way to the link.

    What they get there is all that they can want of the link; limit and tenants as for of_senders.
    """
    rates = of_senders(limit_mbps, tenants)
    return {
        tenant: [replace(sender, demand_mbps=rates[sender.name]) for sender in senders]
        for tenant, senders in tenants.items()
    }


def of_senders(capacity_mbps, tenants):
    """{sender's name: Mbit/s}.

    tenants: {Claim of a tenant, whose own demand is its ceiling: [Claim of a sender, ...]}.
    """
    claims = [
        Claim(
            tenant.name,
            tenant.weight,
            min(tenant.demand_mbps, sum(sender.demand_mbps for sender in senders)),
            tenant.guarantee_mbps,
        )
        for tenant, senders in tenants.items()
    ]
    parts = divided(capacity_mbps, claims)
    rates = {}
    for tenant, senders in tenants.items():
        rates |= divided(parts[tenant.name], senders)
    return rates
