# SPDX-License-Identifier: Apache-2.0
"""The settings that the dumbbell runs with."""

import pytest

from testbed.cli import command
from testbed.experiments.dumbbell import experiment as dumbbell
from testbed.experiments.dumbbell import matrix
from testbed.system.errors import LabError


def options(*arguments):
    return command.parser().parse_args(["dumbbell", *arguments])


@pytest.mark.parametrize(
    ("arguments", "settings", "sweep"),
    [
        ([], 1, None),
        (["--signals", "ports"], 1, None),
        (["--signals", "all"], 3, matrix.BY_SIGNALS),
        (["--notices", "all"], 2, matrix.BY_SIGNALS),
        (["--signals", "all", "--notices", "all"], 6, matrix.BY_SIGNALS),
        (["--matrix"], 6, matrix.BY_LAW),
        (["--matrix", "--signals", "meters"], 6, matrix.BY_LAW),
    ],
)
def test_every_combination_that_is_selected(arguments, settings, sweep):
    assert len(dumbbell.settings(options(*arguments))) == settings
    assert dumbbell.sweep_of(options(*arguments)) is sweep


@pytest.mark.parametrize(
    ("arguments", "mbps"),
    [
        ([], 50),
        (["--short"], 30),
        (["--capacity", "25"], 25),
        (["--short", "--capacity", "20"], 20),
    ],
)
def test_the_bottleneck_is_the_sequences_unless_chosen(arguments, mbps):
    assert dumbbell.sequence_of(options(*arguments)).bottleneck_mbps == mbps


@pytest.mark.parametrize("other", [["--manual-rates"], ["--law", "hygenicc"]])
def test_a_capacity_is_refused_where_the_bottleneck_is_fixed(other):
    chosen = options("--capacity", "25", *other)
    with pytest.raises(LabError, match="leave it out"):
        chosen.run(chosen)


def test_two_sweeps_at_once_are_refused():
    with pytest.raises(LabError, match="leave out 'all'"):
        dumbbell.settings(options("--matrix", "--notices", "all"))
