# SPDX-License-Identifier: Apache-2.0
"""Turns of the experiment: what is hinted in each, and what was measured."""

from dataclasses import dataclass

from testbed.experiments.opentcp import policies
from testbed.experiments.opentcp.loads import Load
from testbed.measure.quantiles import mean
from testbed.turns import turn
from testbed.turns.times import Times

WINDOW, RTO_MIN = "initialWindow", "rtoMinMillis"
# As routes have them.
METRIC_OF_HINT = {WINDOW: "initcwnd", RTO_MIN: "rto_min"}


@dataclass(frozen=True)
class Mode(turn.Mode):
    """What is hinted in a turn: preset: of policies, None: none; hint: of its hints only that."""

    preset: str | None = None
    hint: str | None = None

    def policies(self, cycle_seconds):
        """The policy set; None without one."""
        if self.preset is None:
            return None
        whole = policies.preset(self.preset, cycle_seconds)
        return whole if self.hint is None else policies.with_one_hint(whole, self.hint)

    @property
    def metrics(self):
        """The metrics that routes have while its hints are in force."""
        if self.preset is None:
            return set()
        hints = METRIC_OF_HINT if self.hint is None else [self.hint]
        return {METRIC_OF_HINT[hint] for hint in hints}


DEFAULTS = Mode("defaults")
WINDOW_ALONE = Mode("window", "opentcp1", WINDOW)
RTO_MIN_ALONE = Mode("rto-min", "opentcp1", RTO_MIN)
OPENTCP1 = Mode("opentcp1", "opentcp1")
OPENTCP2 = Mode("opentcp2", "opentcp2")
MODES = (DEFAULTS, WINDOW_ALONE, RTO_MIN_ALONE, OPENTCP1, OPENTCP2)


@dataclass(frozen=True)
class Flow:
    """A transfer; millis: from its first byte, or its SYN, to the arrival of its last byte.

    Its SYN where its connection is a new one. Of one that did not arrive millis is the time that it
    was given, the least it can have taken.
    """

    size_bytes: int
    millis: float
    has_arrived: bool
    retransmits: int
    timeouts: int | None  # None: the kernel does not count them


def flows_of(load, size_bytes, reports, stop_nanos):
    """Flows from the reports of one program."""

    def begin(report):
        is_kept = load.connect_ahead_millis and report["firstByteNanos"] is not None
        return report["firstByteNanos" if is_kept else "synNanos"]

    return [
        Flow(
            size_bytes,
            ((each["lastByteNanos"] or stop_nanos) - begin(each)) / 1e6,
            each["lastByteNanos"] is not None,
            each["retransmits"] or 0,
            each["timeouts"],
        )
        for each in reports
    ]


@dataclass(frozen=True)
class Turn(turn.Turn):
    """The measurements of one turn; hinted: part of the time in which its hints were in force."""

    load: Load
    flows: list
    hinted: float
    queue: dict


@dataclass(frozen=True)
class Summary:
    """All turns of a mode with a load together."""

    load: Load
    mode: Mode
    times: Times  # of flows; those that have not arrived are not answered
    mean_by_size: dict  # {bytes: ms}
    retransmits: int
    timeouts: int | None
    dropped: float  # part of the packets that came to the wire
    hinted: float


def summary(load, mode, turns):
    """The Summary of these turns, which are all of one mode with one load."""
    flows = [flow for each in turns for flow in each.flows]
    millis = [flow.millis for flow in flows]
    timeouts = [flow.timeouts for flow in flows]
    dropped = sum(each.queue["droppedPackets"] for each in turns)
    arrived = dropped + sum(each.queue["sentPackets"] for each in turns)
    return Summary(
        load,
        mode,
        times=Times.of(millis, sum(not flow.has_arrived for flow in flows)),
        mean_by_size={
            size: mean([flow.millis for flow in flows if flow.size_bytes == size])
            for size in load.sizes_bytes
        },
        retransmits=sum(flow.retransmits for flow in flows),
        timeouts=None if None in timeouts else sum(timeouts),
        dropped=dropped / arrived if arrived else 0.0,
        hinted=mean([each.hinted for each in turns]),
    )


def summaries(turns):
    """A Summary for each mode with each load, in the order of the first turns."""
    return [summary(*kind, own) for kind, own in turn.by(turns, "load", "mode").items()]
