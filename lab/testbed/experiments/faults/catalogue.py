# SPDX-License-Identifier: Apache-2.0
"""All faults, in the order in which they are made: the last one removes Sluice."""

from testbed.experiments.faults import (
    agent_kills,
    clocks,
    controller_loss,
    link_noise,
    removal,
    stale_decisions,
    switches,
    tenants,
)
from testbed.system.errors import LabError

FAULTS = (
    *tenants.FAULTS,
    *stale_decisions.FAULTS,
    *link_noise.FAULTS,
    *agent_kills.FAULTS,
    *switches.FAULTS,
    *controller_loss.FAULTS,
    *clocks.FAULTS,
    *removal.FAULTS,
)


def chosen(names):
    """The faults of these names, in the catalogue's order; all if there are none."""
    known = {fault.name for fault in FAULTS}
    unknown = sorted(set(names) - known)
    if unknown:
        raise LabError(
            f"--only {unknown[0]}: no such fault; choose from {', '.join(sorted(known))}"
        )
    return [fault for fault in FAULTS if not names or fault.name in names]
