# SPDX-License-Identifier: Apache-2.0
"""The attacks, one after the other, each from machines whose owner has every right in them.

The last ones are made by a host that lies, with a certificate of its own (see lies), or by REST.

Before an attack the attackers already flood as much as the wire carries, which is their right: it
shows what the victims' shares are. During the attack they go on with that.
"""

from collections.abc import Callable
from dataclasses import dataclass

from testbed.experiments.hostile import lies
from testbed.measure.shares import FRAME_BYTES
from testbed.network.plan import HOSTILE, TAPS
from testbed.programs import attack_frames
from testbed.system.errors import LabError

# A victim on the attackers' own host, and one that meets them at the wire alone.
NEAR, FAR = "h1", "h2"
VICTIMS = (NEAR, FAR)
ATTACKERS = tuple(name for name, host in HOSTILE.neighbours.items() if host == NEAR)
RECEIVER, OTHER_RECEIVER = "h9", "h7"
# The attackers': what they send goes to the one behind the wire, or to the one before it.
ACCOMPLICE, NEARBY_ACCOMPLICE = "h10", "h6"
BEFORE_SECONDS, BEFORE_SETTLING_SECONDS = 8.0, 3.0
# From the victims' fresh connections on.
FRESH_SETTLING_SECONDS, JUDGED_SECONDS = 2.0, 6.0
OVERLOAD = 1.5  # of the wire
SEGMENTS = 40  # full datagrams in a super-packet of at most 64 KiB
CLAIMED_NETWORK, CLAIMED_ADDRESS = "10.0.0.192/26", "10.0.0.200"


@dataclass(frozen=True)
class Attack:
    """One attack; its name is the kind of its frames, but for the relay, which makes none.

    rate: frames a second of all senders together; None is OVERLOAD of full frames. senders: how
    many of the attackers take part. fresh_after_seconds: when the victims open fresh connections
    after it has begun: tables are full by then. reaches_others: whether its frames may be seen by
    the victim on the same host. nearby: its frames do not cross the wire, so that the uplink is the
    bottleneck. claims: the attacker takes an address of the victim's tenant. lie: makes it in place
    of frames. joins: its endpoints become the victim's tenant's, as they may.
    """

    name: str
    summary: str
    rate: float | None = None
    senders: int = 1
    fresh_after_seconds: float = 3.0
    reaches_others: bool = True
    nearby: bool = False
    claims: bool = False
    relays: bool = False
    lie: Callable | None = None
    joins: bool = False

    @property
    def has_frames(self):
        """Whether machines send frames for it."""
        return not (self.relays or self.lie)

    @property
    def hosts(self):
        """The machines that take part."""
        return ATTACKERS[: self.senders]

    @property
    def receiver(self):
        """The machine that its frames are for."""
        if not self.reaches_others:
            return RECEIVER
        return NEARBY_ACCOMPLICE if self.nearby else ACCOMPLICE

    @property
    def seconds(self):
        """How long it lasts."""
        return self.fresh_after_seconds + FRESH_SETTLING_SECONDS + JUDGED_SECONDS

    @property
    def phase_seconds(self):
        """With the time before it."""
        return BEFORE_SECONDS + self.seconds

    def segments(self, guests):
        """How many full datagrams are sent as one super-packet; 0: each is sent by itself."""
        return SEGMENTS if guests == TAPS and self.name in attack_frames.SEGMENTED else 0

    def rate_of_each(self, wire_mbps, guests):
        """Frames, or super-packets, a second of each sender."""
        full = OVERLOAD * wire_mbps * 1e6 / 8 / FRAME_BYTES / max(self.segments(guests), 1)
        return (full if self.rate is None else self.rate) / self.senders


ATTACKS = (
    Attack("group-mac", "unicast IP in frames with a group address"),
    Attack("super-packets", "super-packets of 2-byte segments to a group address", 300),
    Attack("unspecified-source", "datagrams from 0.0.0.0"),
    Attack("link-local-source", "datagrams from an invented link-local address"),
    Attack("non-ip", "frames of a protocol that is not IP"),
    Attack("multicast", "datagrams to a group"),
    Attack("broadcast", "datagrams to everybody"),
    Attack("encapsulated", "datagrams in MPLS, in PPPoE, behind tags of 0x9100"),
    Attack("pairs", "2000 new destinations a second", 2000, fresh_after_seconds=6),
    Attack("connections", "3000 handshakes a second", 3000, fresh_after_seconds=4),
    Attack("flows", "8000 new flows a second", 8000, fresh_after_seconds=18),
    Attack("rotating-ports", "four machines, every frame of a new flow", senders=4, nearby=True),
    Attack("spoofed-mac", "frames from the victim's MAC", 1000, reaches_others=False),
    Attack("arp-poison", "ARP replies with others' addresses", 50, reaches_others=False),
    Attack("router-advertisements", "a router that is none", 20, reaches_others=False),
    Attack("neighbour-advertisements", "another's IPv6 address", 50, reaches_others=False),
    Attack("dhcp-replies", "a DHCP server that is none", 20, reaches_others=False),
    Attack("discovery", "LLDP and BDDP of no switch", 20, reaches_others=False),
    Attack("arp-sweep", "1000 ARP requests a second for addresses of nobody", 1000),
    Attack("link-local-sources", "500 new link-local sources a second", 500),
    Attack("relayed-discovery", "the controller's LLDP, from one port to another", relays=True),
    Attack("claimed-address", "an address of another tenant's prefix", claims=True),
    Attack(
        "unsent-promises",
        "as many deadlines in a day as are promised, never sent",
        lie=lies.promise,
    ),
    Attack(
        "taken-address",
        "a host claims a victim's address while its agent is away",
        fresh_after_seconds=lies.AWAY_SECONDS + 8,
        lie=lies.take_address,
    ),
    Attack("endpoint-lists", "18 lists of endpoints a second from one host", lie=lies.send_lists),
    Attack(
        "ghosts",
        "100 endpoints of the victim's tenant behind a NIC of 1 bit/s, which say that they wait",
        lie=lies.send_ghosts,
        joins=True,
    ),
)


def chosen(names):
    """The attacks of these names, in their order; all if there are none."""
    known = [attack.name for attack in ATTACKS]
    for name in names:
        if name not in known:
            raise LabError(f"--only {name}: no such attack; choose from {', '.join(known)}")
    return [attack for attack in ATTACKS if not names or attack.name in names]
