# SPDX-License-Identifier: Apache-2.0
"""What a phase gave: rates in frame bytes, and how fast changes were in force."""

from dataclasses import dataclass, field

from testbed.experiments.tenants.phases import Interval, Phase, Tenant, WeightChange
from testbed.system import processors


@dataclass(frozen=True)
class IntervalResult:
    """All senders' rates in an interval, and what each may expect ({host: Mbit/s of frames})."""

    interval: Interval
    rates_mbps: dict
    expected_mbps: dict
    utilisation: float

    def ratio(self, hosts):
        """What some senders got together of what they may expect together."""
        return self.total(hosts) / sum(self.expected_mbps[host] for host in hosts)

    def total(self, hosts):
        """What some senders got together, Mbit/s."""
        return sum(self.rates_mbps[host] for host in hosts)


@dataclass(frozen=True)
class ChangeResult:
    """How long a changed weight took; None where the rates did not cross the middle."""

    change: WeightChange
    request_seconds: float
    halfway_seconds: float | None


@dataclass(frozen=True)
class PhaseResult:
    """All measurements of a phase; idle_halfway_seconds: see ChangeResult, for an idle sibling."""

    phase: Phase
    begin_nanos: int
    intervals: list
    cpu: processors.CpuUse
    queue: dict
    curves: dict  # {host: [(seconds in the phase, Mbit/s of frames)]}
    connections: dict  # {host: its connections' reports}
    agents: dict  # {host: its endpoints' status at the end}
    changes: list = field(default_factory=list)
    idle_halfway_seconds: float | None = None

    @property
    def name(self):
        """The phase's name."""
        return self.phase.name

    @property
    def seconds(self):
        """How long it lasted."""
        return self.phase.seconds

    def interval(self, name):
        """The result of an interval."""
        return next(each for each in self.intervals if each.interval.name == name)

    def tenant(self, name) -> Tenant:
        """A tenant of the phase."""
        return next(each for each in self.phase.tenants if each.name == name)
