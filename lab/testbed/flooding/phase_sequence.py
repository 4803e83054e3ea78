# SPDX-License-Identifier: Apache-2.0
"""The phases of the dumbbell in their order: the full sequence and the short one."""

from dataclasses import dataclass

from testbed.flooding.bursts import BURSTS_SECONDS
from testbed.flooding.phases import Phase

WEIGHTS = {"h1": 2, "h2": 1, "h3": 1, "h4": 1}
QUIET_SECONDS = 3


@dataclass(frozen=True)
class PhaseSequence:
    """Phases in their order, over a bottleneck.

    flood_part: what each flood sends, of the bottleneck; with_bursts: a quiet interval before them,
    and bursts afterwards that measure how fast marks are answered.
    """

    bottleneck_mbps: float
    phases: tuple
    with_bursts: bool = False
    flood_part: float = 1.0

    @property
    def flood_mbps(self):
        """What each flood sends."""
        return self.flood_part * self.bottleneck_mbps

    @property
    def seconds(self):
        """Its approximate duration."""
        beside = QUIET_SECONDS + BURSTS_SECONDS if self.with_bursts else 0
        return sum(phase.seconds for phase in self.phases) + beside + 4


FULL = PhaseSequence(
    50,
    (
        Phase("alone", 8, flooding=False),
        Phase("flooded", 8, flooding=True),
        Phase("controlled", 10, flooding=True),
        Phase("weighted", 10, flooding=True, weights=WEIGHTS),
        Phase("released", 8, flooding=False, weights=WEIGHTS),
    ),
    with_bursts=True,
)
# The direction alone, for any machine: packets are the main cost of a full sequence, and this one
# has 40 % fewer of them.
SHORT = PhaseSequence(
    30, (Phase("flooded", 5, flooding=True), Phase("controlled", 7, flooding=True))
)
