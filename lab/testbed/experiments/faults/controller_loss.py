# SPDX-License-Identifier: Apache-2.0
"""ONOS killed and back; the management network cut and healed."""

import time

from testbed.experiments.faults.fault import Fault
from testbed.report import expectations
from testbed.system import polling

EXTRANEOUS = "org.onosproject.net.flow.impl.FlowRuleManager:allowExtraneousRules=true"
ABSENCE_SECONDS = 8
CUT_SECONDS = 8
LOOK_SECONDS = 0.2
UNMANAGED_SWITCH = "s2"
NOBODYS_PORT = 9
SHARES_KEPT_AT_LEAST = 0.8


def onos_killed(scene):
    """Kill ONOS, stay without it for longer than a lease, start it again."""
    with scene.course(affected=(("h1", "h5"),), with_load=True) as course:
        course.cause()
        scene.lab_onos.kill()
        held = _share_of_time_that_shares_hold(course, ABSENCE_SECONDS)
        scene.progress.say("starting ONOS again")
        scene.lab_onos.start(EXTRANEOUS)
        course.heal()
        scene.site.wait_for_switches()
        course.recover(scene.connected, "all agents to be connected again")
    finding = course.finding(
        f"kill -9 of ONOS; started again after {ABSENCE_SECONDS} s, allowExtraneousRules=true",
        "ONOS ready to control",
        sharesHeldWithoutIt=round(held, 3),
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


def management_cut(scene):
    """Cut everybody off the controller for longer than a lease."""
    management = scene.network.management.node
    with scene.course(affected=(("h1", "h5"),), with_load=True) as course:
        before = scene.sessions()
        course.cause()
        management.ip_command("link", "set", "up0", "down")
        held = _share_of_time_that_shares_hold(course, CUT_SECONDS)
        polling.until(
            lambda: not any(scene.connected([host]) for host in scene.agents),
            "the agents to notice that their controller is silent",
            timeout_seconds=20,
        )
        course.heal()
        management.ip_command("link", "set", "up0", "up")
        course.recover(scene.connected, "all agents to be connected again")
    with_new = sum(now > before[host] for host, now in scene.sessions().items())
    finding = course.finding(
        f"management network cut between ONOS and all agents and switches for {CUT_SECONDS} s",
        "healed to control",
        sharesHeldWithoutIt=round(held, 3),
        newSessions=with_new,
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


def switch_unmanaged(scene):
    """Take one switch its controllers: ONOS thinks that it is gone, and it goes on forwarding."""
    switch = scene.network.switches[UNMANAGED_SWITCH]
    targets = [target for target, _, _ in switch.controllers()]
    with scene.course(affected=(("h1", "h5"),), with_load=True) as course:
        sessions = scene.sessions()
        course.cause()
        switch.set_controllers([f"tcp:{scene.site.controller.address}:{NOBODYS_PORT}"])
        polling.until(
            lambda: not scene.site.controller.onos.devices()[switch.device_id],
            "ONOS to miss the switch",
            timeout_seconds=30,
        )
        held = _share_of_time_that_shares_hold(course, CUT_SECONDS)
        course.heal()
        first, *more = targets
        switch.set_controllers([first])
        for target in more:
            switch.add_controller(target)
        course.recover(lambda: scene.is_mastered(switch), "the switch's controllers")
        kept = scene.sessions() == sessions
    finding = course.finding(
        f"{UNMANAGED_SWITCH} without its controllers for {CUT_SECONDS} s; it goes on forwarding",
        "controllers back to control",
        sharesHeldMeanwhile=round(held, 3),
    )
    return (
        finding.expect_no_gap()
        .expect_recovery()
        .expect(
            expectations.at_least("all agents kept their sessions", int(kept), 1),
            expectations.at_least("shares held meanwhile, of the time", held, SHARES_KEPT_AT_LEAST),
        )
    )


def _share_of_time_that_shares_hold(course, seconds):
    """Look several times a second."""
    looks, good = 0, 0
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        looks += 1
        good += course.shares_hold()
        time.sleep(LOOK_SECONDS)
    return good / looks


FAULTS = (
    Fault("onos-killed", "ONOS killed by kill -9, and back", 70, onos_killed),
    Fault("switch-unmanaged", "a switch that loses its controllers alone", 30, switch_unmanaged),
    Fault("management-cut", "the management network cut, and healed", 30, management_cut),
)
