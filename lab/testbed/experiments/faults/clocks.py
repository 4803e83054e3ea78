# SPDX-License-Identifier: Apache-2.0
"""ONOS's wall clock set forward and back, with all that Sluice does in it."""

from testbed.experiments.faults.fault import Fault
from testbed.report import expectations

HOUR_SECONDS = 3600
STEPS_SECONDS = (HOUR_SECONDS, -2 * HOUR_SECONDS)
LEASES_MILLIS = (5100, 5000)


def stepped(scene):
    """Step it, and let decisions be carried out after each step; then a new link in an old time."""
    took = {}
    with scene.course(affected=(("h1", "h5"),), with_load=True) as course:
        sessions = scene.sessions()
        course.cause()
        for step in STEPS_SECONDS:
            course.heal()
            scene.clock.step(step)
            course.recover()
            took[f"{step:+d} s"] = round(course.recovery_millis)
        kept = scene.sessions() == sessions
        # Agents hold to the order of decisions within a lease: a link that starts anew must go on
        # from there, whatever the clock says meanwhile.
        for lease in LEASES_MILLIS:
            course.heal()
            scene.clock.step(-HOUR_SECONDS // len(LEASES_MILLIS))
            scene.sluice.set(leaseMillis=lease)
            course.recover(scene.connected, "all agents to be connected again")
            took[f"link anew, lease {lease} ms"] = round(course.recovery_millis)
        refused = sum(agent.status()["link"]["staleRefused"] for agent in scene.agents.values())
    finding = course.finding(
        "ONOS's wall clock set forward an hour and back two; then, while it goes back further, the"
        " agent link started anew",
        "the slowest step to control",
        recoveriesMillis=took,
        staleRefused=refused,
    )
    finding.recovery_millis = max(took.values())
    return (
        finding.expect_no_gap()
        .expect_recovery()
        .expect(
            expectations.at_least("all agents kept their sessions at the steps", int(kept), 1),
            expectations.below("decisions taken for old ones", refused, 1),
        )
    )


FAULTS = (Fault("clock-step", "ONOS's wall clock set forward, and back", 45, stepped),)
