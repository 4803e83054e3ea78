# SPDX-License-Identifier: Apache-2.0
"""The kit: rounds, turns by what they have in common, their instants, and times of requests."""

import time
import types
from dataclasses import dataclass

import pytest

from testbed.system import processors
from testbed.system.processors import CpuUse
from testbed.turns.runner import TurnRunner
from testbed.turns.times import Times
from testbed.turns.timetable import SECOND, Timetable
from testbed.turns.turn import Mode, Turn, by, named, of_mode, rounds_of

OFF, ON = Mode("off"), Mode("on")


@dataclass(frozen=True)
class OwnTurn(Turn):
    """An experiment's turn."""

    flows: int = 1


def turn(mode, number=1, *, flows=1, idle=0.5, seconds=1.0):
    return OwnTurn(mode, number, seconds, CpuUse(idle), flows)


def test_rounds_are_all_combinations_with_the_last_choice_in_turns():
    assert rounds_of(2, (1, 4), (OFF, ON)) == [
        *((1, 1, OFF), (1, 1, ON), (1, 4, OFF), (1, 4, ON)),
        *((2, 1, OFF), (2, 1, ON), (2, 4, OFF), (2, 4, ON)),
    ]


def test_modes_keep_their_order_and_what_always_runs():
    assert named((OFF, ON), None) == [OFF, ON]
    assert named((OFF, ON), ("on",)) == [ON]
    assert named((OFF, ON), ("on",), always=(OFF,)) == [OFF, ON]


def test_turns_by_what_they_have_in_common():
    first, second, third = turn(ON, flows=4), turn(OFF), turn(ON)
    assert by([first, second, third], "mode") == {ON: [first, third], OFF: [second]}
    assert list(by([first, second, third], "mode", "flows")) == [(ON, 4), (OFF, 1), (ON, 1)]
    assert of_mode(ON, [first, second, third]) == [first, third]


def test_long_turns_weigh_more():
    turns = [turn(OFF, idle=0.2, seconds=3), turn(ON, idle=0.6, seconds=1)]
    assert processors.mean_cpu_use(turns).idle == pytest.approx(0.3)


def test_instants_follow_each_other_and_the_judged_part_is_observed():
    before = time.monotonic_ns()
    at = Timetable.from_now(0.02, 0.03, 2, lead_seconds=0.01)
    assert at.begin >= before + SECOND // 100
    parts = (at.judged_from - at.begin, at.end - at.judged_from, at.stop - at.end)
    assert parts == (SECOND // 50, 3 * SECOND // 100, 2 * SECOND)
    first, second, _ = at.observe(time.monotonic_ns)
    assert at.judged_from <= first < at.end <= second


def test_every_round_runs_and_is_logged():
    class Runner(TurnRunner):
        """Without a network."""

        line = staticmethod(lambda done: f"{done.mode.name} {done.number}")

        def __init__(self):
            self.lines = []
            self.progress = types.SimpleNamespace(log=self.lines.append)

        def run(self, number, mode):
            """A turn without traffic."""
            return turn(mode, number)

    runner = Runner()
    assert runner.run_all(rounds_of(1, (OFF, ON))) == [turn(OFF), turn(ON)]
    assert runner.lines == ["  off 1", "  on 1"]


def test_times_of_nothing_are_none():
    assert Times.of([], 0).as_json()["medianMillis"] is None
    found = Times.of([3.0, 1.0, 2.0], 1)
    assert (found.requests, found.unanswered) == (3, 1)
    assert (found.mean_millis, found.median_millis, found.p99_millis) == (2.0, 2.0, 3.0)
