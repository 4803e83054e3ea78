# SPDX-License-Identifier: Apache-2.0
"""Turns of the experiment: what is on in each, and what was measured."""

from dataclasses import dataclass

from testbed.measure.quantiles import mean
from testbed.system import processors
from testbed.system.errors import LabError
from testbed.turns import turn
from testbed.turns.times import Times

NO_CAPS = "off"
CAPS_PROPERTY = "caps"
THRESHOLDS_PROPERTY = "levelThresholds"
# What requests pages: the testbed's own program, whose times begin with the SYN, and h2load.
OWN, H2LOAD = GENERATORS = ("own", "h2load")


@dataclass(frozen=True)
class Mode(turn.Mode):
    """What is on in a turn.

    levels: hosts write them and ports serve by them; caps: the value of Sluice's property; tuned:
    there are four levels, whose thresholds Sluice tunes.
    """

    enforced: bool = True
    levels: bool = True
    caps: str = NO_CAPS
    tuned: bool = False

    @property
    def needed_property(self):
        """Of Sluice's, without which the mode cannot run; None: it needs none."""
        if self.tuned:
            return THRESHOLDS_PROPERTY
        return None if self.caps == NO_CAPS else CAPS_PROPERTY


OFF = Mode("off", enforced=False, levels=False)
LAW = Mode("law", levels=False)
LEVELS = Mode("law+levels")
MICROFLOW = Mode("microflow", caps="microflow")
SLUICE_CAPS = Mode("sluice-caps", caps="sluice")
TUNED_LEVELS = Mode("tuned-levels", tuned=True)
MODES = (OFF, LAW, LEVELS, MICROFLOW, SLUICE_CAPS, TUNED_LEVELS)


def chosen_modes(names, properties):
    """The modes that have one of these names (None: any), and those without that cannot run.

    Returns (modes to run, names left out). The first mode, to which all others are compared, always
    runs. properties: of Sluice's component. LabError where a mode that was named cannot run.
    """
    can_run = [mode for mode in MODES if mode.needed_property in {None, *properties}]
    missing = [mode.name for mode in MODES if mode not in can_run]
    if names is None:
        return can_run, missing
    refused = [mode for mode in MODES if mode not in can_run and mode.name in names]
    if refused:
        raise LabError(
            f"Sluice there has no property '{refused[0].needed_property}', which the turn"
            f" '{refused[0].name}' needs:"
            " install one that is as new as this experiment, or leave the turn out"
        )
    return turn.named(can_run, names, always=(OFF,)), []


@dataclass(frozen=True)
class Requests:
    """Requests of one generator to one server.

    millis: of each; of one without an answer the least that it can have taken.
    """

    generator: str
    server: str
    millis: list
    unanswered: int


@dataclass(frozen=True)
class Turn(turn.Turn):
    """The measurements of one turn.

    queues: {wire: what arriving packets found in its port's queue, and what was dropped}; levels:
    {wire: its port agent's}; caps: {wire: Caps}, empty where none are requested; controller: what
    Sluice shows of queues, background flows and caps as the turn ends, likewise; machine_dscps,
    wire_dscps: {name: {DSCP: packets}}; thresholds: {host: its agent's levels as the turn ends},
    empty without levels.
    """

    requests: list
    background_mbps: dict  # {host: goodput}
    queues: dict
    levels: dict
    utilisation: dict  # {wire: share of its capacity}
    caps: dict
    controller: dict
    machine_dscps: dict
    wire_dscps: dict
    thresholds: dict


def request_millis(mode, turns, generator):
    """Of all requests of a generator in a mode's turns, in no order."""
    return [time for each in _requests(mode, turns, generator) for time in each.millis]


def times(mode, turns, generator):
    """The Times of a mode."""
    unanswered = sum(each.unanswered for each in _requests(mode, turns, generator))
    return Times.of(request_millis(mode, turns, generator), unanswered)


def _requests(mode, turns, generator):
    return [
        each
        for own in turn.of_mode(mode, turns)
        for each in own.requests
        if each.generator == generator
    ]


def background_mbps(mode, turns):
    """Goodput of all long flows together, the mean over a mode's turns; None without any."""
    return mean([sum(own.background_mbps.values()) for own in turn.of_mode(mode, turns)])


def modes_of(turns):
    """The modes that ran, in their order."""
    return [mode for mode in MODES if turn.of_mode(mode, turns)]


def h2load_requests(report, server, unanswered_millis):
    """Requests from the report of h2load's program."""
    millis = [micros / 1e3 for micros in report["micros"]]
    unanswered = report["requests"] - len(millis)
    return Requests(H2LOAD, server, millis + [unanswered_millis] * unanswered, unanswered)


def worst_cpu_use(turns):
    """The least idle and the most stolen share of any mode's turns together.

    Modes are compared, so that none may have been measured on a busier machine than that allows.
    """
    uses = [processors.mean_cpu_use(own) for own in turn.by(turns, "mode").values()]
    return processors.CpuUse(min(use.idle for use in uses), max(use.stolen for use in uses))
