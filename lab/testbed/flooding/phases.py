# SPDX-License-Identifier: Apache-2.0
"""Phases of the dumbbell, and what is measured in each.

Every phase opens a fresh TCP connection half a second after its beginning, and is judged by that
one over its last N-2 seconds: a connection that was starved before stays in retransmission back-off
for seconds in any case. A long-lived connection (a thin paced stream, so that it does not compete
with the judged one) is measured beside it.
"""

from dataclasses import dataclass, field

from testbed.network import addresses
from testbed.system import processors
from testbed.traffic.generators import FLOOD_PORT
from testbed.traffic.timing import SETTLING_NANOS

TCP_HOST = "h1"
FLOODING_HOSTS = ("h2", "h3", "h4")


@dataclass(frozen=True)
class Phase:
    """A part of the experiment with fixed senders and weights."""

    name: str
    seconds: float
    flooding: bool
    weights: dict = field(default_factory=lambda: dict.fromkeys(addresses.SENDERS, 1))
    guarantee: float = 0.0  # of the TCP host, a part of the bottleneck; 0 is none

    @property
    def parts(self):
        """What the senders are due: their weights, or what makes the guarantee of them."""
        if not self.guarantee:
            return self.weights
        others = sum(self.weights[host] for host in FLOODING_HOSTS)
        return self.weights | {TCP_HOST: self.guarantee / (1 - self.guarantee) * others}

    @property
    def senders(self):
        """Hosts that send in this phase."""
        return (TCP_HOST, *FLOODING_HOSTS) if self.flooding else (TCP_HOST,)


@dataclass(frozen=True)
class EndpointResult:
    """The goodput of one endpoint in a phase."""

    name: str
    transport: str
    weight: float
    goodput_mbps: float
    fair_share_mbps: float

    @property
    def share(self):
        """Goodput as a part of the fair share."""
        return self.goodput_mbps / self.fair_share_mbps


@dataclass(frozen=True)
class PhaseWindow:
    """When a phase ran, by CLOCK_MONOTONIC."""

    phase: Phase
    begin_nanos: int
    fresh_port: int
    ip_version: int = 4

    @property
    def judged_from_nanos(self):
        """When the judged part begins."""
        return self.begin_nanos + SETTLING_NANOS

    @property
    def end_nanos(self):
        """The phase's end."""
        return self.begin_nanos + int(self.phase.seconds * 1e9)


@dataclass(frozen=True)
class PhaseResult:
    """All measurements of a phase."""

    window: PhaseWindow
    utilisation: float
    jain: float | None
    endpoints: list
    cpu: processors.CpuUse
    fresh_connection: dict
    long_lived: dict
    probe: dict
    queue: dict

    @property
    def name(self):
        """The phase's name."""
        return self.window.phase.name

    @property
    def seconds(self):
        """How long it lasted."""
        return self.window.phase.seconds

    def endpoint(self, host):
        """The result of one sender."""
        return next(result for result in self.endpoints if result.name == host)


def flow_of(host, window):
    """Name in the sink's series of the flow that a sender is judged by."""
    if host == TCP_HOST:
        return flow_name("tcp", host, window.fresh_port, window.ip_version)
    return flow_name("udp", host, FLOOD_PORT, window.ip_version)


def flow_name(transport, host, port, ip_version):
    """Name in the sink's series of all that a host sends to a port."""
    return f"{transport}/{addresses.endpoint(host).address(ip_version)}/{port}"
