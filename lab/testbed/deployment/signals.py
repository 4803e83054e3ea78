# SPDX-License-Identifier: Apache-2.0
"""Where Sluice's marks come from and how notices travel: what an experiment can choose."""

import itertools
from dataclasses import dataclass

from testbed.control.controller import free_ports
from testbed.control.onos import COMPONENT
from testbed.system import polling
from testbed.system.errors import LabError

AUTO, HOSTS, METERS, PORTS = "auto", "hosts", "meters", "ports"
LINK, IN_BAND = "link", "in-band"
ALL = "all"
HEARD_WITHIN_SECONDS = 30
SOURCES = (AUTO, HOSTS, METERS, PORTS)
WAYS = (LINK, IN_BAND)


@dataclass(frozen=True)
class Signals:
    """A source of marks (`signals` of SluiceManager) and a way for notices (`notices`)."""

    source: str = AUTO
    way: str = LINK

    @property
    def is_default(self):
        """Whether nothing was chosen."""
        return self == Signals()


def chosen(source, way):
    """All Signals that --signals and --notices ask for; "all" stands for every choice but auto."""
    sources = SOURCES[1:] if source == ALL else (source,)
    ways = WAYS if way == ALL else (way,)
    return [Signals(*pair) for pair in itertools.product(sources, ways)]


def prepare(site, wanted):
    """Give Sluice the senses that some of the wanted Signals need, once, on a site that is up."""
    sources = {signals.source for signals in wanted}
    if METERS in sources:
        site.progress.say("letting switches be read by Sluice")
        site.attach_fast_counters(free_ports(1)[0])
    if PORTS in sources:
        site.progress.say("letting port agents tell Sluice of their queues")
        site.link_port_agents()


def use(site, signals):
    """Tell Sluice which Signals to use. LabError where it does not know of any."""
    properties = {"signals": signals.source, "notices": signals.way}
    known = site.controller.onos.properties(COMPONENT)
    missing = sorted(set(properties) - set(known))
    if missing and not signals.is_default:
        raise LabError(
            f"Sluice there has no property '{missing[0]}': install one that is as new as this"
            " experiment, or leave out --signals and --notices"
        )
    if not missing:
        site.sluice.set(**properties)
        _wait_until_heard(site, signals.source)


def _wait_until_heard(site, source):
    """Wait until all bottlenecks' marks come from there.

    Meters that have just been asked for stand when ONOS reads them back, every ten seconds.
    """
    if source not in (METERS, PORTS):
        return
    bottlenecks = {site.network.port_id(link.left) for link in site.network.wires}
    polling.until(
        lambda: bottlenecks
        <= {port["id"] for port in site.sluice.ports() if port["marksFrom"] == source},
        f"marks of {', '.join(sorted(bottlenecks))} to come from {source}",
        timeout_seconds=HEARD_WITHIN_SECONDS,
        interval_seconds=0.2,
    )


def add_options(command, *, with_all=False):
    """--signals and --notices; with_all: also every combination, one after the other."""
    more = (ALL,) if with_all else ()
    words = "; all: every one but auto, one after the other" if with_all else ""
    command.add_argument(
        "--signals",
        choices=(*SOURCES, *more),
        default=AUTO,
        help="where marks come from: receiving hosts' agents, meters at switches, port agents, or"
        f" the best there is (auto){words}",
    )
    command.add_argument(
        "--notices",
        choices=(*WAYS, *more),
        default=LINK,
        help="how notices reach hosts: by the agent link or as packets (link)",
    )
