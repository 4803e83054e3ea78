# SPDX-License-Identifier: Apache-2.0
"""Turns of the experiment: what is on in each, and what was measured."""

from dataclasses import dataclass

from testbed.measure.quantiles import mean
from testbed.turns import turn
from testbed.turns.times import Times


@dataclass(frozen=True)
class Mode(turn.Mode):
    """What is on in a turn; levels: hosts write them and the port serves by them."""

    enforced: bool
    levels: bool


OFF = Mode("off", enforced=False, levels=False)
LAW = Mode("law", enforced=True, levels=False)
LEVELS = Mode("law+levels", enforced=True, levels=True)
MODES = (OFF, LAW, LEVELS)


@dataclass(frozen=True)
class Turn(turn.Turn):
    """The measurements of one turn.

    request_millis: of each request from its SYN to the arrival of its last byte; of one that was
    not answered the time that it was given, which is the least it can have taken.
    """

    request_millis: list
    unanswered: int
    background_mbps: dict  # {host: goodput}
    queue: dict
    levels: list  # of the port agent's status; empty without levels


@dataclass(frozen=True)
class Summary:
    """All turns of a mode together."""

    mode: Mode
    times: Times
    background_mbps: float  # of all senders, the mean over turns


def summary(mode, turns):
    """The Summary of a mode's turns."""
    own = turn.of_mode(mode, turns)
    return Summary(
        mode,
        times=Times.of(request_millis(own), sum(each.unanswered for each in own)),
        background_mbps=mean([sum(each.background_mbps.values()) for each in own]),
    )


def request_millis(turns):
    """Of all requests of turns."""
    return [millis for each in turns for millis in each.request_millis]
