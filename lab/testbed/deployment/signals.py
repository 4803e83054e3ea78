# SPDX-License-Identifier: Apache-2.0
"""Where Sluice's marks come from and how notices travel: what an experiment can choose."""

import itertools
from dataclasses import dataclass

from testbed.control.sluice import COMPONENT
from testbed.network.controller_access import free_ports
from testbed.system import polling
from testbed.system.errors import LabError

SOURCES = AUTO, HOSTS, METERS, PORTS = "auto", "hosts", "meters", "ports"
TRANSPORTS = LINK, IN_BAND = "link", "in-band"
ALL = "all"
IN_USE_WITHIN_SECONDS = 30


@dataclass(frozen=True)
class Signals:
    """SluiceManager's properties `signals` (source of marks) and `notices` (their transport)."""

    source: str = AUTO
    notices: str = LINK

    @property
    def is_default(self):
        """Whether nothing was chosen."""
        return self == Signals()


def chosen(source, notices):
    """All Signals that --signals and --notices select; "all" means every choice but auto."""
    sources = SOURCES[1:] if source == ALL else (source,)
    transports = TRANSPORTS if notices == ALL else (notices,)
    return [Signals(*pair) for pair in itertools.product(sources, transports)]


def prepare(deployment, choices):
    """Connect Sluice to the sources that some of these Signals need, once, after it is up."""
    sources = {signals.source for signals in choices}
    if METERS in sources and not deployment.controller.api.reads_counters_for_sluice:
        deployment.progress.log("connecting switches to Sluice's fast counters")
        deployment.attach_fast_counters(free_ports(1)[0])
    if PORTS in sources:
        deployment.progress.log("connecting port agents to Sluice")
        deployment.link_port_agents()


def use(deployment, signals):
    """Configure Sluice with Signals. LabError where it does not have these properties."""
    properties = {"signals": signals.source, "notices": signals.notices}
    known = deployment.controller.api.properties(COMPONENT)
    missing = sorted(set(properties) - set(known))
    if missing and not signals.is_default:
        raise LabError(
            f"Sluice there has no property '{missing[0]}': install one that is as new as this"
            " experiment, or leave out --signals and --notices"
        )
    if not missing:
        deployment.sluice.set(**properties)
        _wait_until_used(deployment, signals.source)


def _wait_until_used(deployment, source):
    """Wait until all bottlenecks' marks come from a source.

    Meters that were just requested are in use once they have been read back, every ten seconds.
    """
    if source not in (METERS, PORTS):
        return
    bottlenecks = {deployment.network.port_id(link.left) for link in deployment.network.wires}
    polling.until(
        lambda: (
            bottlenecks
            <= {port["id"] for port in deployment.sluice.ports() if port["marksFrom"] == source}
        ),
        f"marks of {', '.join(sorted(bottlenecks))} to come from {source}",
        timeout_seconds=IN_USE_WITHIN_SECONDS,
        interval_seconds=0.2,
    )
