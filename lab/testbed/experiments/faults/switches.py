# SPDX-License-Identifier: Apache-2.0
"""A switch restarted, with all that it counts; the second controller's connection lost."""

import os
import signal
import threading

from testbed.experiments.faults.fault import Fault
from testbed.report import expectations
from testbed.system import polling

AWAY_SECONDS = 3
LOST_SECONDS = 20
# The switch counts 5 ms in whole milliseconds, so that a rate may be told a quarter too high.
CLOCK_ERROR = 1.25


def restarted(scene):
    """Restart the receiver's switch: others are those at the other switch."""
    return _restart(scene, "s2", others=(("h3", "h4"), ("h1", "h2")), affected=(("h4", "h5"),))


def counters_anew(scene):
    """Restart the senders' switch, whose counters Sluice reads, and look at what it makes of it."""
    loads = LoadWatch(scene)
    with loads:
        finding = _restart(scene, "s1", others=(), affected=(("h4", "h5"),))
    finding.cause += "; its counters begin anew. Wraps of 32 and 64 bits: unit tests"
    finding.figures["highestLoadOfCapacity"] = round(loads.highest, 3)
    finding.figures["readings"] = loads.readings
    return finding.expect(
        expectations.below("highest load reported / capacity", loads.highest, _plausible(scene)),
        expectations.at_least("readings", loads.readings, 10),
    )


def _plausible(scene):
    """What the bottleneck may be said to carry, of its capacity: no more than is sent to it.

    That may be more than it can: a switch counts what it hands to the port's queue.
    """
    offered = scene.offered_mbps * len(scene.flooding)
    return CLOCK_ERROR * offered / scene.bottleneck_mbps


def _restart(scene, name, others, affected):
    switch = scene.network.switches[name]
    with scene.course(others, affected, with_load=True) as course:
        sessions = scene.sessions()
        course.cause()
        switch.stop_daemons()
        polling.until(
            lambda: course.elapsed_millis() > 1000 * AWAY_SECONDS,
            "the switch's absence",
            timeout_seconds=2 * AWAY_SECONDS,
        )
        course.heal()
        switch.start_again(scene.network.plan.ports(name))
        course.recover(lambda: scene.is_mastered(switch), "the switch's controllers")
        kept = scene.sessions() == sessions
    finding = course.finding(f"{name} stopped, and started again", "start to control")
    if others:
        finding.expect_no_gap(affected_too=False)
    return finding.expect_recovery().expect(
        expectations.at_least("all agents kept their sessions", int(kept), 1)
    )


class LoadWatch:
    """Context manager: reads what Sluice says that ports carry, all the while."""

    def __init__(self, scene):
        self.scene = scene
        self.highest = 0.0
        self.readings = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, kind, failure, trace):
        self._ended.set()
        self._thread.join()

    def _watch(self):
        while not self._ended.wait(0.25):
            for port in self.scene.sluice.ports():
                capacity = port["capacityMbps"]
                if port["capacitySource"] == "configured":
                    self.highest = max(self.highest, port["loadMbps"] / capacity)
            self.readings += 1


def slave_lost(scene):
    """Break the slave's connections, then let them fall silent: control goes on without them."""
    switches = list(scene.network.switches.values())
    with scene.course(affected=(("h1", "h5"),), with_load=True) as course:
        sessions = scene.sessions()
        course.cause()
        scene.slave_link.stop()
        polling.until(
            lambda: all(scene.roles(switch) == ["master"] for switch in switches),
            "the switches to have ONOS alone",
            timeout_seconds=20,
        )
        course.set_weights()
        course.wait_until_shares_hold()
        scene.slave_link.start()
        polling.until(
            lambda: all(map(scene.is_mastered, switches)),
            "the switches' second controller",
            timeout_seconds=20,
        )
        os.kill(scene.slave_link.process.pid, signal.SIGSTOP)
        course.set_weights()
        course.wait_until_shares_hold()
        polling.until(
            lambda: all(scene.roles(switch) == ["master"] for switch in switches),
            "the switches to give up a silent controller",
            timeout_seconds=LOST_SECONDS,
        )
        course.heal()
        os.kill(scene.slave_link.process.pid, signal.SIGCONT)
        course.recover(
            lambda: all(map(scene.is_mastered, switches)), "the switches' second controller"
        )
        kept = scene.sessions() == sessions
    finding = course.finding(
        "Sluice's own OpenFlow connections broken, then silent; decisions made meanwhile",
        "connection back to control",
    )
    return (
        finding.expect_no_gap()
        .expect_recovery()
        .expect(expectations.at_least("all agents kept their sessions", int(kept), 1))
    )


FAULTS = (
    Fault("switch-restart", "the receivers' switch stopped and started", 25, restarted),
    Fault("counter-reset", "the senders' switch restarted: counters begin anew", 25, counters_anew),
    Fault("slave-lost", "the second controller's connection broken, and silent", 40, slave_lost),
)
