# SPDX-License-Identifier: Apache-2.0
"""The courses of the dumbbell."""

import pytest

from testbed.control import agents
from testbed.experiments.dumbbell.phase_run import FULL, PULSE_SECONDS, QUIET_SECONDS, SHORT
from testbed.experiments.dumbbell.phases import SETTLING_NANOS


def test_courses_have_the_phases_that_they_are_judged_by():
    assert [phase.name for phase in FULL.phases] == [
        "alone",
        "flooded",
        "controlled",
        "weighted",
        "released",
    ]
    assert [phase.name for phase in SHORT.phases] == ["flooded", "controlled"]


@pytest.mark.parametrize("course", [FULL, SHORT])
def test_every_phase_leaves_time_to_judge(course):
    for phase in course.phases:
        assert phase.seconds * 1e9 - SETTLING_NANOS >= 3e9


def test_the_short_course_is_lighter_and_shorter():
    assert SHORT.bottleneck_mbps <= 0.6 * FULL.bottleneck_mbps
    assert SHORT.seconds < 20
    assert FULL.seconds == 44 + QUIET_SECONDS + PULSE_SECONDS + 4


@pytest.mark.parametrize(("mbps", "packets"), [(10, 4), (30, 5), (50, 8), (100, 16), (1000, 20)])
def test_marking_threshold_follows_the_capacity(mbps, packets):
    assert agents.mark_threshold_packets(mbps) == packets
