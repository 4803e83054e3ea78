# SPDX-License-Identifier: Apache-2.0
"""Turns of the experiment: what is on in each, and what was measured."""

from dataclasses import dataclass

from testbed.measure.quantiles import quantile
from testbed.system import processors


@dataclass(frozen=True)
class Mode:
    """What is on in a turn; levels: hosts write them and the port serves by them."""

    name: str
    enforced: bool
    levels: bool


OFF = Mode("off", enforced=False, levels=False)
LAW = Mode("law", enforced=True, levels=False)
LEVELS = Mode("law+levels", enforced=True, levels=True)
MODES = (OFF, LAW, LEVELS)


@dataclass(frozen=True)
class Turn:
    """The measurements of one turn.

    request_millis: of each request from its SYN to the arrival of its last byte; of one that was
    not answered the time that it was given, which is the least it can have taken.
    """

    mode: Mode
    number: int
    seconds: float
    request_millis: list
    unanswered: int
    background_mbps: dict  # {host: goodput}
    queue: dict
    levels: list  # of the port agent's status; empty without levels
    cpu: processors.CpuUse


@dataclass(frozen=True)
class Summary:
    """All turns of a mode together."""

    mode: Mode
    requests: int
    unanswered: int
    median_millis: float | None
    p95_millis: float | None
    p99_millis: float | None
    background_mbps: float  # of all senders, the mean over turns


def summary(mode, turns):
    """The Summary of a mode's turns."""
    own = [turn for turn in turns if turn.mode == mode]
    times = [time for turn in own for time in turn.request_millis]
    return Summary(
        mode,
        requests=len(times),
        unanswered=sum(turn.unanswered for turn in own),
        median_millis=quantile(times, 0.50),
        p95_millis=quantile(times, 0.95),
        p99_millis=quantile(times, 0.99),
        background_mbps=sum(sum(turn.background_mbps.values()) for turn in own) / len(own),
    )


def mean_cpu_use(turns):
    """CpuUse over all turns."""
    return processors.mean_cpu_use([turn.cpu for turn in turns], [turn.seconds for turn in turns])
