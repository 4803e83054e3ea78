# SPDX-License-Identifier: Apache-2.0
"""Who sends what in each phase, as which tenants, and in which intervals that is judged.

Every phase begins with a port that is not congested, and opens fresh connections. Rates are frame
bytes, which is what the bottleneck charges. Senders that want little send UDP with full-size
frames: the headers of a thin TCP connection's small segments would be a guess.
"""

from dataclasses import dataclass

from testbed.control import tenancy
from testbed.measure.tenant_shares import GREEDY, Claim, behind, of_senders
from testbed.network.plan import TENANTS
from testbed.traffic.timing import SETTLING_NANOS

SETTLING_SECONDS = SETTLING_NANOS / 1e9
# After a sender has become idle its siblings must have its part.
TAKEN_OVER_SECONDS = 1.0
TENTH = 0.1
LIGHT_MBPS = 1.0
LIGHT_SENDERS = 5
PARALLEL_CONNECTIONS = 20
GUARANTEED_PART = 0.625  # of the bottleneck, where the weight alone gives half
# Of the bottleneck, where the weights of those who send there give three quarters.
RECEIVE_CEILING_PART = 0.3
DRAINED_PART = 0.98  # of a receive ceiling: what its phantom queue lets through unmarked
# Three hosts send; with what the other tenant wants, the bottleneck is not full.
CEILING_PART, BESIDE_CEILING_PART = 0.375, 0.25
RECEIVER, OTHER_RECEIVER = "h9", "h10"
RECEIVERS = (RECEIVER, OTHER_RECEIVER)


@dataclass(frozen=True)
class Sender:
    """One endpoint that sends to a receiver: as much as it gets, or at a fixed rate.

    host: its machine's name, also where that is a further one of a host; transport: "tcp" or "udp";
    rate_mbps: of frames, None is greedy; connections: parallel ones of TCP; idle_after_seconds:
    when it ends, in the phase; None is with the phase.
    """

    host: str
    transport: str
    rate_mbps: float | None = None
    connections: int = 1
    idle_after_seconds: float | None = None
    receiver: str = RECEIVER

    @property
    def claim(self):
        """What it wants of its tenant's share."""
        return Claim(self.host, 1.0, GREEDY if self.rate_mbps is None else self.rate_mbps)


@dataclass(frozen=True)
class Tenant:
    """A tenant with its policy and its senders."""

    name: str
    senders: tuple
    weight: float = 1.0
    guarantee_mbps: float = 0.0
    ceiling_mbps: float = 0.0  # of all its endpoints together; 0 is none

    @property
    def id(self):
        """Its name in Sluice: a deployment's tenants are called after hosts."""
        return tenancy.tenant_of(self.hosts[0])

    @property
    def hosts(self):
        """Hosts of its endpoints."""
        return [sender.host for sender in self.senders]

    @property
    def document(self):
        """Its REST document."""
        return tenancy.tenant_with(
            self.hosts, self.weight, guarantee=self.guarantee_mbps, ceiling=self.ceiling_mbps
        )

    @property
    def claim(self):
        """What it is due."""
        most_mbps = self.ceiling_mbps or GREEDY
        return Claim(self.name, self.weight, most_mbps, self.guarantee_mbps)


@dataclass(frozen=True)
class Interval:
    """A judged part of a phase, in seconds from the phase's beginning."""

    name: str
    begin_seconds: float
    end_seconds: float


@dataclass(frozen=True)
class WeightChange:
    """A tenant's weight is replaced by REST."""

    after_seconds: float
    tenant: Tenant
    weight: float


@dataclass(frozen=True)
class Phase:
    """Tenants that send for some seconds; weight_changes: while they do.

    receive_ceiling_mbps: of RECEIVER; 0 is none. All senders of a tenant have one receiver.
    uplink_of: the host that all senders are on, where its uplink is what they share.
    """

    name: str
    seconds: float
    tenants: tuple
    weight_changes: tuple = ()
    receive_ceiling_mbps: float = 0.0
    uplink_of: str | None = None

    @property
    def senders(self):
        """All senders, in the tenants' order."""
        return [sender for tenant in self.tenants for sender in tenant.senders]

    @property
    def idle_after_seconds(self):
        """When a sender ends before the phase; None: all continue."""
        return next((s.idle_after_seconds for s in self.senders if s.idle_after_seconds), None)

    @property
    def intervals(self):
        """Where shares are judged: not while weights change."""
        if self.weight_changes:
            return []
        if self.idle_after_seconds is None:
            return [Interval("", SETTLING_SECONDS, self.seconds)]
        return [
            Interval("before", SETTLING_SECONDS, self.idle_after_seconds),
            Interval("after", self.idle_after_seconds + TAKEN_OVER_SECONDS, self.seconds),
        ]

    def active_senders(self, interval):
        """{tenant: its senders that send throughout an interval}."""
        return {
            tenant: [s for s in tenant.senders if _lasts(s, interval)] for tenant in self.tenants
        }

    def shared_mbps(self, wire_mbps):
        """What all senders share: the wire, or an uplink before it."""
        return wire_mbps * TENANTS.uplink_parts[self.uplink_of] if self.uplink_of else wire_mbps

    def expected_mbps(self, interval, wire_mbps):
        """{host: frame rate} by weighted max-min among tenants, and among each one's senders.

        A receive ceiling is shared first, as it is reached before the bottleneck.
        """
        limited, others = {}, {}
        for tenant, senders in self.active_senders(interval).items():
            ends_at_ceiling = self.receive_ceiling_mbps and senders[0].receiver == RECEIVER
            claims = limited if ends_at_ceiling else others
            claims[tenant.claim] = [sender.claim for sender in senders]
        if limited:
            limited = behind(DRAINED_PART * self.receive_ceiling_mbps, limited)
        return of_senders(self.shared_mbps(wire_mbps), {**limited, **others})


def _lasts(sender, interval):
    return sender.idle_after_seconds is None or sender.idle_after_seconds >= interval.end_seconds


def _tenants(transport, *, b_mbps=None, third_idle_after=None):
    """Tenant A with one endpoint, tenant B with three, which may want little."""
    b_transport = transport if b_mbps is None else "udp"
    third = Sender("h4", b_transport, b_mbps, idle_after_seconds=third_idle_after)
    siblings = (Sender("h2", b_transport, b_mbps), Sender("h3", b_transport, b_mbps), third)
    return Tenant("A", (Sender("h1", transport),)), Tenant("B", siblings)


def _mixed(transport, weights):
    """Three greedy tenants of the weights, and light ones, each with one endpoint."""
    greedy = tuple(
        Tenant(name, (Sender(host, transport),), weight)
        for name, host, weight in zip("ABC", ("h1", "h2", "h3"), weights, strict=True)
    )
    light = tuple(
        Tenant(f"L{number}", (Sender(f"h{number + 3}", "udp", LIGHT_MBPS),))
        for number in range(1, LIGHT_SENDERS + 1)
    )
    return (*greedy, *light)


def _limited(transport):
    """Two tenants that send to the receiver with the ceiling, and one that sends past it."""
    return (
        Tenant("A", (Sender("h1", transport),)),
        Tenant("B", (Sender("h2", transport),), 2.0),
        Tenant("C", (Sender("h3", transport, receiver=OTHER_RECEIVER),)),
    )


def _on_one_host(transport):
    """Two tenants on one host; by endpoints the one of the greater weight would have half."""
    siblings = (Sender("h11", transport), Sender("h12", transport))
    return Tenant("A", (Sender("h8", transport),), 2.0), Tenant("B", siblings)


def _with_ceiling(transport, bottleneck_mbps):
    """A tenant with a ceiling on three hosts, one of which ends, and one that wants little."""
    senders = (
        Sender("h1", transport),
        Sender("h2", transport),
        Sender("h3", transport, idle_after_seconds=5.0),
    )
    return (
        Tenant("A", senders, ceiling_mbps=CEILING_PART * bottleneck_mbps),
        Tenant("B", (Sender("h4", "udp", BESIDE_CEILING_PART * bottleneck_mbps),)),
    )


def _changes(tenant, begin_seconds, every_seconds, weights):
    return tuple(
        WeightChange(begin_seconds + number * every_seconds, tenant, weight)
        for number, weight in enumerate(weights)
    )


def phases_for(bottleneck_mbps):
    """All phases in their order, for a bottleneck."""
    tenth_mbps = bottleneck_mbps / 2 / 3 * TENTH
    guaranteed = Tenant("A", (Sender("h1", "tcp"),), 1.0, GUARANTEED_PART * bottleneck_mbps)
    crowd = Tenant("B", (Sender("h2", "tcp", connections=PARALLEL_CONNECTIONS),))
    changing = Tenant("A", (Sender("h1", "udp"),))
    steady = Tenant("B", (Sender("h2", "udp"), Sender("h3", "udp")))
    return (
        *(Phase(f"one-to-three-{kind}", 9, _tenants(kind)) for kind in ("tcp", "udp")),
        *(
            Phase(f"idle-sibling-{kind}", 10, _tenants(kind, third_idle_after=5.0))
            for kind in ("tcp", "udp")
        ),
        *(
            Phase(f"light-tenant-{kind}", 9, _tenants(kind, b_mbps=tenth_mbps))
            for kind in ("tcp", "udp")
        ),
        *(Phase(f"mixed-2:1:1-{kind}", 9, _mixed(kind, (2, 1, 1))) for kind in ("tcp", "udp")),
        *(Phase(f"mixed-equal-{kind}", 9, _mixed(kind, (1, 1, 1))) for kind in ("tcp", "udp")),
        Phase("guarantee", 9, (guaranteed, crowd)),
        Phase(
            *("weight-changes", 15, (changing, steady)),
            weight_changes=_changes(changing, 3.0, 2.0, (3, 1, 3, 1, 3, 1)),
        ),
        *(
            Phase(
                *(f"receive-ceiling-{kind}", 9, _limited(kind)),
                receive_ceiling_mbps=RECEIVE_CEILING_PART * bottleneck_mbps,
            )
            for kind in ("tcp", "udp")
        ),
        *(
            Phase(f"uplink-{kind}", 9, _on_one_host(kind), uplink_of="h8")
            for kind in ("tcp", "udp")
        ),
        *(
            Phase(f"tenant-ceiling-{kind}", 10, _with_ceiling(kind, bottleneck_mbps))
            for kind in ("tcp", "udp")
        ),
    )
