# SPDX-License-Identifier: Apache-2.0
"""`lab/run compare`: every system that runs on real packets, on one dumbbell, in turns.

Six machines send to one through one port: an endless TCP connection, three UDP floods of the port's
speed, short flows, and transfers with deadlines. Agents and the controller are set to one system
after the other; the traffic is the same.
"""

from testbed.control import agents
from testbed.deployment import startup
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.compare import report, systems, turns
from testbed.network.plan import DEADLINES
from testbed.options import common
from testbed.options.command import Command
from testbed.report import documents
from testbed.system.progress import Progress

EXPERIMENT = "compare"
SET_UP_SECONDS, TEAR_DOWN_SECONDS, RESTART_SECONDS = 75, 10, 10
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
    chosen_systems = systems.named(options.systems)
    turn_seconds = RESTART_SECONDS + turns.SETTLING_SECONDS + turns.JUDGED_SECONDS
    turn_seconds += turns.ANSWER_SECONDS
    progress = Progress(SET_UP_SECONDS + len(chosen_systems) * turn_seconds + TEAR_DOWN_SECONDS)
    laboratory = Laboratory(EXPERIMENT, progress, DEADLINES)
    with laboratory:
        deployment, chosen = startup.deploy(
            laboratory, options, given, options.capacity, agents.tau_micros(options.capacity)
        )
        startup.wait_until_idle(progress)
        runner = turns.TurnRunner(deployment, options.cc)
        done = []
        for system in chosen_systems:
            progress.log(f"{system.name}: {turns.SETTLING_SECONDS + turns.JUDGED_SECONDS} s")
            done.append(runner.run(system))
            progress.log(f"  TCP {done[-1].tcp_share:.3f} of its share, {done[-1].cpu}")
    document = report.document(
        EXPERIMENT,
        chosen.version,
        done,
        NOT_HERE,
        laboratory.leftovers,
        {"bottleneckMbps": options.capacity, "congestionControl": options.cc},
    )
    print(f"\n{report.table(done)}\n")
    print("\n".join(f"{name}: {why}" for name, why in NOT_HERE.items()), end="\n\n")
    return documents.conclude(document, report.expected(done), options.out, options.json)


COMMAND = Command(
    EXPERIMENT,
    "all systems that run on real packets, in turns on one dumbbell: one table",
    add_options,
    run,
)
