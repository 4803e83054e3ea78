# SPDX-License-Identifier: Apache-2.0
"""The phase sequences of the dumbbell."""

import pytest

from testbed.flooding.bursts import BURSTS_SECONDS
from testbed.flooding.phase_sequence import FULL, QUIET_SECONDS, SHORT
from testbed.traffic.timing import SETTLING_NANOS


def test_sequences_have_the_phases_that_they_are_judged_by():
    assert [phase.name for phase in FULL.phases] == [
        "alone",
        "flooded",
        "controlled",
        "weighted",
        "released",
    ]
    assert [phase.name for phase in SHORT.phases] == ["flooded", "controlled"]


@pytest.mark.parametrize("sequence", [FULL, SHORT])
def test_every_phase_leaves_time_to_judge(sequence):
    for phase in sequence.phases:
        assert phase.seconds * 1e9 - SETTLING_NANOS >= 3e9


def test_the_short_sequence_is_lighter_and_shorter():
    assert SHORT.bottleneck_mbps <= 0.6 * FULL.bottleneck_mbps
    assert SHORT.seconds < 20
    assert FULL.seconds == 44 + QUIET_SECONDS + BURSTS_SECONDS + 4
