# SPDX-License-Identifier: Apache-2.0
"""The bounds that shares without a controller are judged by."""

from testbed.control.laws import SLUICE
from testbed.experiments.controller_loss.absence import greatest_step, least, mean
from testbed.report import expectations

SHARE_AT_LEAST = 0.90
STEP_AT_MOST = 0.20
BACK_AT_LEAST = 0.50


def judge(absence):
    """(expectations, aims) of one law's run.

    SDN-GCC has no signal but its controller's notices: without these its rates recover until the
    port overflows. It is judged by its return alone, and the rest is reported.
    """
    throughout = _throughout(absence)
    if absence.law == SLUICE:
        return throughout, []
    after = absence.tcp_between(absence.instants.connected, absence.instants.end)
    back = expectations.at_least(
        f"{absence.law}: TCP / its share, controller back, mean",
        mean(after),
        BACK_AT_LEAST,
    )
    return [back], throughout


def _throughout(absence):
    at = absence.instants
    law = absence.law
    away = absence.tcp_between(at.killed, at.connected)
    whole = absence.tcp_between(at.begin, at.end)
    newcomer = absence.newcomer_between(at.joined, at.restarted)
    return [
        expectations.at_least(
            f"{law}: TCP / its share, controller away, least second",
            least(away),
            SHARE_AT_LEAST,
        ),
        expectations.at_least(
            f"{law}: TCP / its share, throughout, least second",
            least(whole),
            SHARE_AT_LEAST,
        ),
        expectations.within(
            f"{law}: greatest step of that from second to second",
            greatest_step(whole),
            0,
            STEP_AT_MOST,
        ),
        expectations.at_least(
            f"{law}: newcomer / its share, controller away, mean",
            mean(newcomer),
            SHARE_AT_LEAST,
        ),
    ]
