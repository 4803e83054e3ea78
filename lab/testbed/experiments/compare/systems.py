# SPDX-License-Identifier: Apache-2.0
"""The systems of the comparison: what hosts, the port and the controller are set to for each."""

from dataclasses import dataclass, field

from testbed.control import agents
from testbed.control.agents import LEVELS_OF_HOSTS, LEVELS_OF_PORTS, MARKS_BY_BATCH
from testbed.control.laws import HYGENICC, SDN_GCC, SLUICE
from testbed.deployment.marked_tcp import SLUICE_DADCTCP, SLUICE_DCTCP
from testbed.turns.turn import Mode

# Of hosts' and ports' configurations, where a system has no value of its own.
PLAIN_HOST = {"law": SLUICE, "hygenicc": None, "levels": None}
PLAIN_PORT = {"levels": None, "backlogHoldMicros": 0}


@dataclass(frozen=True)
class System(Mode):
    """A row of the table.

    properties: of Sluice on the controller, beside those of every row; host, port: what differs in
    agents' configurations; by_slope: the port marks so; congestion_control: None: the one that was
    chosen for all; registers: deadlines are registered; has_controller: hosts' agents have
    sessions.
    """

    properties: dict
    host: dict = field(default_factory=dict)
    port: dict = field(default_factory=dict)
    by_slope: bool = False
    congestion_control: str | None = None
    registers: bool = False
    has_controller: bool = True

    def port_configuration(self, threshold_packets):
        """Of the port's agent; threshold_packets: K of its queue."""
        marks = agents.marks_above(threshold_packets)
        if self.by_slope:
            marks = agents.marks_by_slope(agents.slope_thresholds(threshold_packets))
        return PLAIN_PORT | marks | self.port


def _off(name, **further):
    return System(name, {"enforcement": "off"}, **further)


def _on(name, law=SLUICE, properties=None, **further):
    return System(name, {"enforcement": "on", "law": law, **(properties or {})}, **further)


def _windows(printed, answers):
    return {"windows": printed, "lossAnswers": "on" if answers else "off"}


# Of every row without its own value.
PROPERTIES = {"law": SLUICE, **_windows("edf", answers=False)}

NOTHING = _off("nothing")
# Those that agents need not be started anew between follow each other.
SYSTEMS = (
    NOTHING,
    _on("sdn-gcc", SDN_GCC),
    _on("sluice"),
    _on("sed-printed", properties=_windows("sed", answers=False), registers=True),
    _on("rsed-printed", properties=_windows("sed", answers=True), registers=True),
    _on("sluice-deadlines", properties=_windows("edf", answers=True), registers=True),
    _on("sluice-levels", host={"levels": LEVELS_OF_HOSTS}, port={"levels": LEVELS_OF_PORTS}),
    _off(
        "hygenicc",
        host={"law": HYGENICC, "hygenicc": {"feedback": "bit"}},
        port=MARKS_BY_BATCH,
        has_controller=False,
    ),
    _off("dctcp", congestion_control=SLUICE_DCTCP),
    _off("da-dctcp", congestion_control=SLUICE_DADCTCP, by_slope=True),
)
