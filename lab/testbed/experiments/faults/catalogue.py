# SPDX-License-Identifier: Apache-2.0
"""All faults, in the order in which they are made: the last one removes Sluice."""

from testbed.control.controller import ONOS
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


def chosen(names, controller=ONOS):
    """The faults of these names, in the catalogue's order; if there are none, all that it has."""
    possible = [fault for fault in FAULTS if controller == ONOS or not fault.of_slave]
    known = {fault.name for fault in possible}
    unknown = sorted(set(names) - known)
    if unknown:
        raise LabError(
            f"--only {unknown[0]}: no such fault with {controller};"
            f" choose from {', '.join(sorted(known))}"
        )
    return [fault for fault in possible if not names or fault.name in names]
