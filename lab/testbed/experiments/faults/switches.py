# SPDX-License-Identifier: Apache-2.0
"""A switch restarted, with its counters; the second controller's connections lost."""

import os
import signal
import threading

from testbed.experiments.faults.environment import MASTER
from testbed.experiments.faults.fault import Fault
from testbed.programs import clock
from testbed.report import expectations
from testbed.system import polling

AWAY_SECONDS = 3
DISCONNECTED_WITHIN_SECONDS = 20
# The switch counts 5 ms in whole milliseconds, so that a rate may be reported a quarter too high.
CLOCK_ERROR = 1.25


def restarted(environment):
    """Restart the receiver's switch: the others are at the other switch."""
    return _restart(
        environment, "s2", others=(("h3", "h4"), ("h1", "h2")), affected=(("h4", "h5"),)
    )


def counters_reset(environment):
    """Restart the senders' switch, whose counters Sluice reads, and check the reported load."""
    loads = LoadMonitor(environment)
    with loads:
        finding = _restart(environment, "s1", others=(), affected=(("h4", "h5"),))
    finding.cause += "; its counters begin at 0. Wraps of 32 and 64 bits: unit tests"
    finding.figures["highestLoadOfCapacity"] = round(loads.highest, 3)
    finding.figures["readings"] = loads.readings
    return finding.expect(
        expectations.below(
            "highest load reported / capacity", loads.highest, _plausible(environment)
        ),
        expectations.at_least("readings", loads.readings, 10),
    )


def _plausible(environment):
    """The highest load / capacity that may be reported: what is sent to the port.

    That may be above 1: a switch counts what it passes to the port's queue.
    """
    offered = environment.offered_mbps * len(environment.flooding)
    return CLOCK_ERROR * offered / environment.bottleneck_mbps


def _restart(environment, name, others, affected):
    switch = environment.network.switches[name]
    with environment.observe(others, affected, with_load=True) as observation:
        sessions = environment.sessions()
        stopped_nanos = observation.mark_fault()
        switch.stop_daemons()
        clock.sleep_until(stopped_nanos + AWAY_SECONDS * 1_000_000_000)
        observation.mark_healed()
        switch.start_again(environment.network.plan.ports(name))
        observation.measure_recovery(
            lambda: environment.has_its_controllers(switch), "the switch's controllers"
        )
        kept = environment.sessions() == sessions
    finding = observation.finding(f"{name} stopped, and started again", "start to control")
    if others:
        finding.expect_no_gap(affected_too=False)
    return finding.expect_recovery().expect(
        expectations.at_least("all agents kept their sessions", int(kept), 1)
    )


class LoadMonitor:
    """Context manager: reads the ports' load that Sluice reports, in a thread."""

    def __init__(self, environment):
        self.environment = environment
        self.highest = 0.0
        self.readings = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._monitor, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, kind, failure, trace):
        self._ended.set()
        self._thread.join()

    def _monitor(self):
        while not self._ended.wait(0.25):
            for port in self.environment.sluice.ports():
                capacity = port["capacityBitsPerSecond"]
                if port["capacitySource"] == "configured":
                    self.highest = max(self.highest, port["loadBitsPerSecond"] / capacity)
            self.readings += 1


def slave_lost(environment):
    """Break the slave's connections, then make them silent: control continues without them."""
    switches = list(environment.network.switches.values())
    with environment.observe(affected=(("h1", "h5"),), with_load=True) as observation:
        sessions = environment.sessions()
        observation.mark_fault()
        environment.slave_relay.stop()
        polling.until(
            lambda: all(environment.roles(switch) == [MASTER] for switch in switches),
            "the switches to be connected to the controller alone",
            timeout_seconds=20,
        )
        observation.change_weights()
        observation.wait_until_shares_hold()
        environment.slave_relay.start()
        polling.until(
            lambda: all(map(environment.has_its_controllers, switches)),
            "the switches' second controller",
            timeout_seconds=20,
        )
        os.kill(environment.slave_relay.process.pid, signal.SIGSTOP)
        observation.change_weights()
        observation.wait_until_shares_hold()
        polling.until(
            lambda: all(environment.roles(switch) == [MASTER] for switch in switches),
            "the switches to disconnect a silent controller",
            timeout_seconds=DISCONNECTED_WITHIN_SECONDS,
        )
        observation.mark_healed()
        os.kill(environment.slave_relay.process.pid, signal.SIGCONT)
        observation.measure_recovery(
            lambda: all(map(environment.has_its_controllers, switches)),
            "the switches' second controller",
        )
        kept = environment.sessions() == sessions
    finding = observation.finding(
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
    Fault(
        "counter-reset", "the senders' switch restarted: counters begin at 0", 25, counters_reset
    ),
    Fault(
        "slave-lost",
        "the second controller's connection broken, and silent",
        40,
        slave_lost,
        of_slave=True,
    ),
)
