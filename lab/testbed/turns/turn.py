# SPDX-License-Identifier: Apache-2.0
"""Modes and their turns, and turns by what they have in common."""

import itertools
import operator
from dataclasses import dataclass

from testbed.system import processors


@dataclass(frozen=True)
class Mode:
    """What is on in a turn; each experiment's modes have more."""

    name: str


@dataclass(frozen=True)
class Turn:
    """What every experiment has of a turn; each one's turns have more.

    number: of the repetition; seconds: how long cpu was observed.
    """

    mode: Mode
    number: int
    seconds: float
    cpu: processors.CpuUse


def named(modes, names, always=()):
    """Those with these names (None: all), and what always runs, in their own order."""
    return [mode for mode in modes if names is None or mode in always or mode.name in names]


def rounds_of(repetitions, *choices):
    """Every combination of a repetition's number and one of each of the choices, in order."""
    return list(itertools.product(range(1, repetitions + 1), *choices))


def by(turns, *attributes):
    """{value, or values, of these attributes: turns}, in the order of the first turns."""
    value_of = operator.attrgetter(*attributes)
    found = {}
    for turn in turns:
        found.setdefault(value_of(turn), []).append(turn)
    return found


def of_mode(mode, turns):
    """The turns of a mode."""
    return [turn for turn in turns if turn.mode == mode]
