# SPDX-License-Identifier: Apache-2.0
"""The homes of Sluice whose pages are followed."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from testbed.experiments.operations import bridge_steps, steps
from testbed.experiments.operations.site import Site
from testbed.experiments.operations.two_hosts import TwoHosts


@dataclass(frozen=True)
class Home:
    """Steps and where they are done; built: a file that a command makes for it beforehand.

    names, copied, before: as in steps.py.
    """

    experiment: str
    steps: tuple
    site: type
    built: str
    by: str = "make build"
    names: Mapping = field(default_factory=dict)
    copied: Mapping = field(default_factory=dict)
    before: Mapping = field(default_factory=dict)


ONOS, STANDALONE = "onos", "standalone"
HOMES = {
    ONOS: Home(
        *("operations", steps.STEPS, Site, "app/onos/target/sluice-*.oar"),
        names=steps.NAMES,
        copied=steps.COPIED,
        before=steps.BEFORE,
    ),
    STANDALONE: Home(
        *("operations-standalone", bridge_steps.STEPS, TwoHosts),
        built="host-agent/bin/sluiced_*.deb",
        by="make deb",
        copied=bridge_steps.COPIED,
    ),
}
