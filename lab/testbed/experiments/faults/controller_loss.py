# SPDX-License-Identifier: Apache-2.0
"""Hosts and switches without their controller: killed, cut off, or taken from one switch."""

import time

from testbed.experiments.faults.fault import Fault
from testbed.report import expectations
from testbed.system import polling

ABSENCE_SECONDS = 8
CUT_SECONDS = 8
SAMPLE_SECONDS = 0.2
UNMANAGED_SWITCH = "s2"
UNUSED_PORT = 9
SHARES_KEPT_AT_LEAST = 0.8


def controller_killed(environment):
    """Kill the controller and start it again after longer than a lease."""
    with environment.observe(affected=(("h1", "h5"),), with_load=True) as observation:
        observation.mark_fault()
        environment.lab_controller.kill()
        held = _part_of_time_that_shares_hold(observation, ABSENCE_SECONDS)
        environment.progress.log(f"starting {environment.lab_controller.title} again")
        environment.lab_controller.start(keeps_rules=True)
        observation.mark_healed()
        environment.deployment.wait_for_switches()
        observation.measure_recovery(environment.are_connected, "all agents to be connected again")
    finding = observation.finding(
        f"kill -9 of the controller; started again after {ABSENCE_SECONDS} s, its rules kept",
        "the controller ready to control",
        sharesHeldWithoutController=round(held, 3),
    )
    return (
        finding.expect_no_gap()
        .expect_recovery()
        .expect(
            expectations.at_least(
                "shares held without a controller, of the time", held, SHARES_KEPT_AT_LEAST
            )
        )
    )


def management_cut(environment):
    """Disconnect all agents and switches from the controller for longer than a lease."""
    management = environment.network.management.node
    with environment.observe(affected=(("h1", "h5"),), with_load=True) as observation:
        before = environment.sessions()
        observation.mark_fault()
        management.ip_command("link", "set", "up0", "down")
        held = _part_of_time_that_shares_hold(observation, CUT_SECONDS)
        polling.until(
            lambda: not any(environment.are_connected([host]) for host in environment.agents),
            "the agents to detect that the controller is unreachable",
            timeout_seconds=20,
        )
        observation.mark_healed()
        management.ip_command("link", "set", "up0", "up")
        observation.measure_recovery(environment.are_connected, "all agents to be connected again")
    new_sessions = sum(now > before[host] for host, now in environment.sessions().items())
    finding = observation.finding(
        f"controller cut off from all agents and switches for {CUT_SECONDS} s",
        "healed to control",
        sharesHeldWithoutController=round(held, 3),
        newSessions=new_sessions,
    )
    return (
        finding.expect_no_gap()
        .expect_recovery()
        .expect(
            expectations.at_least(
                "shares held without a controller, of the time", held, SHARES_KEPT_AT_LEAST
            )
        )
    )


def switch_unmanaged(environment):
    """Disconnect one switch from its controllers; it goes on forwarding."""
    switch = environment.network.switches[UNMANAGED_SWITCH]
    targets = [target for target, _, _ in switch.controllers()]
    with environment.observe(affected=(("h1", "h5"),), with_load=True) as observation:
        sessions = environment.sessions()
        observation.mark_fault()
        switch.set_controllers([f"tcp:{environment.deployment.controller.address}:{UNUSED_PORT}"])
        polling.until(
            lambda: not environment.deployment.controller.api.devices().get(switch.device_id),
            "the controller to detect that the switch is disconnected",
            timeout_seconds=30,
        )
        held = _part_of_time_that_shares_hold(observation, CUT_SECONDS)
        observation.mark_healed()
        first, *more = targets
        switch.set_controllers([first])
        for target in more:
            switch.add_controller(target)
        observation.measure_recovery(
            lambda: environment.has_its_controllers(switch), "the switch's controllers"
        )
        kept = environment.sessions() == sessions
    finding = observation.finding(
        f"{UNMANAGED_SWITCH} without its controllers for {CUT_SECONDS} s; it goes on forwarding",
        "controllers back to control",
        sharesHeldWithoutController=round(held, 3),
    )
    return (
        finding.expect_no_gap()
        .expect_recovery()
        .expect(
            expectations.at_least("all agents kept their sessions", int(kept), 1),
            expectations.at_least("shares held meanwhile, of the time", held, SHARES_KEPT_AT_LEAST),
        )
    )


def _part_of_time_that_shares_hold(observation, seconds):
    """The part of an interval in which they do, from samples."""
    samples, good = 0, 0
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        samples += 1
        good += observation.shares_hold()
        time.sleep(SAMPLE_SECONDS)
    return good / samples


FAULTS = (
    Fault("controller-killed", "the controller killed by kill -9, and back", 70, controller_killed),
    Fault("switch-unmanaged", "one switch alone loses its controllers", 30, switch_unmanaged),
    Fault("management-cut", "the management network cut, and healed", 30, management_cut),
)
