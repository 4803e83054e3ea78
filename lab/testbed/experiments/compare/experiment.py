# SPDX-License-Identifier: Apache-2.0
"""`lab/run compare`: every system that runs on real packets, on one dumbbell, in turns.

Six machines send to one through one port: an endless TCP connection, three UDP floods of the port's
speed, short flows, and transfers with deadlines. Agents and the controller are set to one system
after the other; the traffic is the same.
"""

from testbed.control import agents
from testbed.deployment import startup
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.compare import report, systems
from testbed.experiments.compare.runner import TURN_SECONDS, CompareRunner
from testbed.network.plan import DEADLINES
from testbed.options import common
from testbed.options.command import Command
from testbed.system.progress import Progress
from testbed.turns.turn import named, rounds_of

EXPERIMENT = "compare"
SET_UP_SECONDS, TEAR_DOWN_SECONDS = 75, 10
# What has an experiment of its own, or none, and why it has no row here.
NOT_HERE = {
    "micro-flow": "caps what feeds a full port from the switch before; here there is none:"
    " lab/run microflow",
    "opentcp": "hints hosts' own TCP while nothing is full; here the port is",
}


def add_options(command):
    """Declare the options."""
    common.deployment(command)
    common.congestion_control(command)
    common.capacity(command, 50, "the wire")
    common.names(command, "--systems", systems.SYSTEMS)


def run(options):
    """Run the experiment; returns the exit status."""
    given = startup.given_controller(options)
    rounds = rounds_of(1, named(systems.SYSTEMS, options.systems))
    progress = Progress(SET_UP_SECONDS + len(rounds) * TURN_SECONDS + TEAR_DOWN_SECONDS)
    laboratory = Laboratory(EXPERIMENT, progress, DEADLINES)
    with laboratory:
        deployment, chosen = startup.deploy(
            laboratory, options, given, options.capacity, agents.tau_micros(options.capacity)
        )
        startup.wait_until_idle(progress)
        done = CompareRunner(deployment, options.cc).run_all(rounds)
    chosen_fields = {
        "controller": chosen.as_json(),
        "bottleneckMbps": options.capacity,
        "congestionControl": options.cc,
    }
    return report.of(EXPERIMENT, done, NOT_HERE, chosen_fields).conclude(
        options, laboratory.leftovers
    )


COMMAND = Command(
    EXPERIMENT,
    "all systems that run on real packets, in turns on one dumbbell: one table",
    add_options,
    run,
)
