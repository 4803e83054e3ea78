# SPDX-License-Identifier: Apache-2.0
"""The phases over bridges: those of the dumbbell, and a guarantee."""

from testbed.flooding.phase_sequence import WEIGHTS, PhaseSequence
from testbed.flooding.phases import Phase

GUARANTEE = 0.6
# Three together are twice what the receiver's wire carries. Packets beyond that would be dropped,
# and cost the machine as much as those that are forwarded.
FLOOD_PART = 2 / 3


def full(mbps):
    """All phases, and bursts that measure how fast marks are answered."""
    return PhaseSequence(
        mbps,
        _phases(quiet=6, flooded=6, judged=9),
        with_bursts=True,
        flood_part=FLOOD_PART,
    )


def short(mbps):
    """The same phases, for a first look."""
    return PhaseSequence(mbps, _phases(quiet=4, flooded=4, judged=5), flood_part=FLOOD_PART)


def _phases(quiet, flooded, judged):
    return (
        Phase("alone", quiet, flooding=False),
        Phase("flooded", flooded, flooding=True),
        Phase("controlled", judged, flooding=True),
        Phase("weighted", judged, flooding=True, weights=WEIGHTS),
        Phase("guaranteed", judged, flooding=True, guarantee=GUARANTEE),
        Phase("released", quiet, flooding=False),
    )
