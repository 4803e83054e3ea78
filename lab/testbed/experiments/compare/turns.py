# SPDX-License-Identifier: Apache-2.0
"""What is measured in a system's turn."""

from dataclasses import dataclass

from testbed.turns import turn

DUE_MILLIS, DEADLINE_EVERY_MILLIS = 800, 1250
JUDGED_SECONDS = 10
DEADLINES = JUDGED_SECONDS * 1000 // DEADLINE_EVERY_MILLIS
AGENTS, SWITCHES = "agents", "switches"


@dataclass(frozen=True)
class Turn(turn.Turn):
    """The measurements of one turn.

    short_millis: of each short flow from its SYN to its last byte; of one that did not end the time
    that it had. promised: None: no deadlines were registered.
    """

    tcp_share: float
    utilisation: float
    queue: dict
    short_millis: list
    unanswered: int
    met: int
    promised: int | None
    broken: int | None
    control: dict
