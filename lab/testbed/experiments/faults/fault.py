# SPDX-License-Identifier: Apache-2.0
"""An entry of the catalogue of faults."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """A fault; run(environment) makes it in a FaultEnvironment and returns its Finding."""

    name: str
    summary: str
    seconds: int
    run: Callable
    # Whether all is as usual again once it has been made.
    is_undone: bool = True
    # Whether it is one of Sluice's own connections with switches, which it has with ONOS alone.
    of_slave: bool = False
