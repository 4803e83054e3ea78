# SPDX-License-Identifier: Apache-2.0
"""What the victims of an attack had before it and during it."""

from dataclasses import dataclass, field

from testbed.experiments.hostile.attacks import Attack
from testbed.system import processors


@dataclass(frozen=True)
class VictimResult:
    """A victim's rate in parts of its share, and its sparse flow's p99.

    lost: requests without an answer in parts of all requests.
    """

    host: str
    before: float
    during: float
    p99_before_millis: float | None
    p99_during_millis: float | None
    lost_before: float
    lost_during: float

    @property
    def p99_rise_millis(self):
        """How much later answers come than before; None without any."""
        if self.p99_before_millis is None or self.p99_during_millis is None:
            return None
        return self.p99_during_millis - self.p99_before_millis


@dataclass(frozen=True)
class AttackResult:
    """All measurements of one attack.

    offered: frames that the attackers' programs sent, in parts of what they were to send; arrived:
    frames of it that the victim on the same host received; misattributed: attackers' endpoints in
    victims' tenants; denied: what the victims had a right to and did not get; false_links: links
    that ONOS's own discovery found though no cable is there (what Sluice made of them the victims'
    shares show); recovery_seconds: until both victims were answered again, None where they were
    not.
    """

    attack: Attack
    victims: list
    cpu: processors.CpuUse
    offered: float | None
    arrived: int
    misattributed: list
    false_links: int
    recovery_seconds: float | None
    queue: dict
    denied: list = field(default_factory=list)
    details: dict = field(default_factory=dict)

    @property
    def name(self):
        """The attack's name."""
        return self.attack.name

    @property
    def seconds(self):
        """How long it lasted."""
        return self.attack.phase_seconds
