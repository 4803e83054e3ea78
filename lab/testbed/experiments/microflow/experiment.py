# SPDX-License-Identifier: Apache-2.0
"""`lab/run microflow`: pages of web servers beside long flows, over three switches in a row.

At the first and at the second switch nginx and a sender of endless TCP each; behind the third those
who receive both, so that all of it leaves by the second switch's port, which the first one's feeds.
In turns: nothing enforced; Sluice's law; with levels; with Micro-flow's queues and caps, as printed
and Sluice's. Agents read their levels when they start, so all are started anew for every turn.
"""

from testbed.control import agents
from testbed.control.sluice import COMPONENT
from testbed.deployment import signals, startup
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.microflow import report
from testbed.experiments.microflow.remains import Remains
from testbed.experiments.microflow.runner import TURN_SECONDS, MicroflowRunner
from testbed.experiments.microflow.turns import MODES, chosen_modes
from testbed.network.plan import MICRO_FLOW
from testbed.options import common
from testbed.options.command import Command
from testbed.system import requirements
from testbed.system.errors import LabError
from testbed.system.progress import Progress
from testbed.turns.turn import rounds_of

EXPERIMENT = "microflow"
COMMANDS = ("nginx", "h2load", "bpftool")
SET_UP_SECONDS, TEAR_DOWN_SECONDS = 80, 25
ENFORCERS = AGENTS, METERS = "agents", "meters"
LONGEST_TURN_SECONDS = 120  # programs that all turns share end at the latest after so much each


def add_options(command):
    """Declare the options."""
    common.deployment(command)
    common.congestion_control(command)
    common.signal_choices(command)
    common.capacity(command, 25, "both wires")
    common.repetitions(command, 3)
    common.names(
        *(command, "--turns", MODES),
        before="these, beside the first, of",
        shown="all that the controller has",
    )
    command.add_argument(
        "--enforcers",
        choices=ENFORCERS,
        default=AGENTS,
        help="what holds long flows to caps: queues of port agents, or meters of switches, as the"
        " first wire's port agent has no session then (agents)",
    )
    # Two senders need one each.
    common.number(
        *(command, "--background", (2, 64), 4),
        "endless connections, half of them over both wires",
    )
    # One generator's intervals are whole milliseconds.
    common.number(
        *(command, "--requests", (1, 100), 10),
        "pages a second that each of two generators requests from each of two servers",
    )
    common.number(
        *(command, "--at-once", (1, 100), 1),
        "of these pages so many are requested at the same instant",
    )
    common.number(command, "--page-bytes", (1, 10_000_000), 10_000, "")


def run(options):
    """Run the experiment; returns the exit status."""
    if (options.enforcers, options.signals) == (METERS, signals.PORTS):
        raise LabError(
            "--signals ports gives every port agent a session, so that none is left for meters to"
            " stand in for: leave out one of --signals ports and --enforcers meters"
        )
    requirements.check(COMMANDS)
    given = startup.given_controller(options)
    progress = Progress(SET_UP_SECONDS + TEAR_DOWN_SECONDS)
    capacity = options.capacity
    plan = MICRO_FLOW.with_capacities([capacity] * len(MICRO_FLOW.wires))
    laboratory = Laboratory(EXPERIMENT, progress, plan)
    with laboratory:
        remains = Remains(laboratory.network)
        deployment, chosen = startup.deploy(
            *(laboratory, options, given, capacity),
            tau_micros=agents.tau_micros(capacity),
            before_install=remains.see_switches,
        )
        modes, left_out = chosen_modes(
            options.turns, deployment.controller.api.properties(COMPONENT)
        )
        if left_out:
            progress.log(f"Sluice there has no caps: without the turns {', '.join(left_out)}")
        if options.signals != signals.PORTS:
            deployment.link_port_agents(_linked(laboratory.network, options.enforcers))
        startup.choose_signals(deployment, options)
        startup.wait_until_idle(progress)
        rounds = rounds_of(options.repetitions, modes)
        progress.expect(len(rounds) * TURN_SECONDS + TEAR_DOWN_SECONDS)
        runner = MicroflowRunner(deployment, options, len(rounds) * LONGEST_TURN_SECONDS)
        done = runner.run_all(rounds)
        runner.end()
        laboratory.leftovers += remains.of(deployment)
    chosen_fields = {
        "controller": chosen.as_json(),
        "capacityMbps": capacity,
        "congestionControl": options.cc,
        "backgroundConnections": options.background,
        "pageBytes": options.page_bytes,
        "requestsPerSecond": options.requests,
        "requestsAtOnce": options.at_once,
        "enforcers": options.enforcers,
        "signals": options.signals,
        "notices": options.notices,
    }
    title = (
        f"Pages of {options.page_bytes:,} bytes beside {options.background} endless {options.cc},"
        f" {capacity:g} Mbit/s"
    )
    return report.of(EXPERIMENT, done, chosen_fields, title).conclude(options, laboratory.leftovers)


def _linked(network, enforcers):
    """The wires whose port agents have a session: with meters, all but what feeds the last one."""
    return network.plan.wires[-1:] if enforcers == METERS else None


COMMAND = Command(
    EXPERIMENT,
    "pages of nginx beside endless TCP over three switches, without Sluice and with Micro-flow",
    add_options,
    run,
)
