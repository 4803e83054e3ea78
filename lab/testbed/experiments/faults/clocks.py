# SPDX-License-Identifier: Apache-2.0
"""The wall clock of the controller, and so of Sluice in it, set forward and back."""

from testbed.experiments.faults.fault import Fault
from testbed.report import expectations

HOUR_SECONDS = 3600
STEPS_SECONDS = (HOUR_SECONDS, -2 * HOUR_SECONDS)
LEASES_MILLIS = (5100, 5000)


def stepped(environment):
    """Step it and measure control each time; then restart the agent link at an earlier time."""
    recoveries = {}
    with environment.observe(affected=(("h1", "h5"),), with_load=True) as observation:
        sessions = environment.sessions()
        observation.mark_fault()
        for step in STEPS_SECONDS:
            observation.mark_healed()
            environment.clock.step(step)
            observation.measure_recovery()
            recoveries[f"{step:+d} s"] = round(observation.recovery_millis)
        kept = environment.sessions() == sessions
        # Agents keep to the order of decisions within a lease: a link that is restarted must
        # continue it, whatever the clock shows.
        for lease in LEASES_MILLIS:
            observation.mark_healed()
            environment.clock.step(-HOUR_SECONDS // len(LEASES_MILLIS))
            environment.sluice.set(leaseMillis=lease)
            observation.measure_recovery(
                environment.are_connected, "all agents to be connected again"
            )
            recoveries[f"link restarted, lease {lease} ms"] = round(observation.recovery_millis)
        refused = sum(
            agent.status()["link"]["staleRefused"] for agent in environment.agents.values()
        )
    finding = observation.finding(
        "the controller's wall clock set forward an hour and back two; then, while it goes back"
        " further, the agent link restarted",
        "the slowest step to control",
        recoveriesMillis=recoveries,
        staleRefused=refused,
    )
    finding.recovery_millis = max(recoveries.values())
    return (
        finding.expect_no_gap()
        .expect_recovery()
        .expect(
            expectations.at_least("all agents kept their sessions at the steps", int(kept), 1),
            expectations.below("decisions refused as stale", refused, 1),
        )
    )


FAULTS = (Fault("clock-step", "the controller's wall clock set forward, and back", 45, stepped),)
