# SPDX-License-Identifier: Apache-2.0
"""The systems of the comparison: what hosts, the port and the controller are set to for each."""

from dataclasses import dataclass, field

from testbed.control.agents import MARKS_BY_BATCH
from testbed.control.laws import HYGENICC, SDN_GCC, SLUICE
from testbed.deployment.marked_tcp import SLUICE_DADCTCP, SLUICE_DCTCP

# Short flows are below the threshold, so that all of them is of the first level.
LEVELS = {"thresholdBytes": [16384], "dscp": [16, 0]}
# Of hosts' and ports' configurations, where a system says nothing else.
PLAIN_HOST = {"law": SLUICE, "hygenicc": None, "levels": None}
PLAIN_PORT = {"levels": None, "marking": None, "backlogHoldMicros": 0}


@dataclass(frozen=True)
class System:
    """A row of the table.

    properties: of Sluice on the controller, beside those of every row; host, port: what differs in
    agents' configurations; congestion_control: None: the one that was chosen for all; registers:
    deadlines are registered; has_controller: hosts' agents have sessions.
    """

    name: str
    properties: dict
    host: dict = field(default_factory=dict)
    port: dict = field(default_factory=dict)
    congestion_control: str | None = None
    registers: bool = False
    has_controller: bool = True


def _off(name, **further):
    return System(name, {"enforcement": "off"}, **further)


def _on(name, law=SLUICE, properties=None, **further):
    return System(name, {"enforcement": "on", "law": law, **(properties or {})}, **further)


def _windows(printed, answers):
    return {"windows": printed, "lossAnswers": "on" if answers else "off"}


# Of every row that does not say otherwise.
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
    _on("sluice-levels", host={"levels": LEVELS}, port={"levels": {"dscp": LEVELS["dscp"]}}),
    _off(
        "hygenicc",
        host={"law": HYGENICC, "hygenicc": {"feedback": "bit"}},
        port=MARKS_BY_BATCH,
        has_controller=False,
    ),
    _off("dctcp", congestion_control=SLUICE_DCTCP),
    _off("da-dctcp", congestion_control=SLUICE_DADCTCP, port={"marking": {"kind": "slope"}}),
)
NAMES = tuple(system.name for system in SYSTEMS)


def named(names):
    """Those with these names, in their order here; None: all."""
    return [system for system in SYSTEMS if names is None or system.name in names]
