# SPDX-License-Identifier: Apache-2.0
"""`lab/run incast`: many transfers with deadlines at once from six hosts to one.

The incast of SED's paper, with real TCP and a shallow queue at a port agent: without anything, with
SED and with RSED, each with the windows as printed and with Sluice's, with SACK and without.
"""

from testbed.control import agents
from testbed.deployment import marked_tcp, signals, startup
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.incast import report, turns
from testbed.experiments.incast.runner import RECEIVING_HOST, SENDING_HOSTS, IncastRunner
from testbed.network.plan import DEADLINES
from testbed.options import common
from testbed.options.command import Command
from testbed.system.errors import LabError
from testbed.system.progress import Progress
from testbed.traffic.generators import CONGESTION_CONTROLS, TRANSFER_PORTS
from testbed.turns.turn import named, rounds_of

EXPERIMENT = "incast"
MOST_SENDERS = len(SENDING_HOSTS) * len(TRANSFER_PORTS) // 2
SET_UP_SECONDS, TEAR_DOWN_SECONDS, TURN_SECONDS = 75, 10, 5
WARM_UP_TURNS, WARM_UP_SENDERS = 4, 40
SACK = {"on": (True,), "off": (False,), "both": (False, True)}


def add_options(command):
    """Declare the options."""
    common.deployment(command)
    command.add_argument(
        "--cc", choices=CONGESTION_CONTROLS, default="reno", help="TCP's, but for dctcp (reno)"
    )
    common.capacity(command, 25, "the wire")
    common.buffer(command, 20)
    common.numbers(
        *(command, "--senders", (1, MOST_SENDERS), (5, 20, 40, 60)),
        "connections at once, one number after the other",
    )
    command.add_argument(
        "--sack", choices=tuple(SACK), default="both", help="without SACK, with it (both)"
    )
    common.names(command, "--turns", turns.MODES)
    common.repetitions(command, 1)


def run(options):
    """Run the experiment; returns the exit status."""
    threshold = agents.mark_threshold_packets(options.capacity)
    if options.buffer <= threshold:
        raise LabError(
            f"--buffer {options.buffer}: at {options.capacity:g} Mbit/s the queue marks above"
            f" {threshold} packets; give {threshold + 1} or more"
        )
    given = startup.given_controller(options)
    modes = named(turns.MODES, options.turns)
    rounds = _rounds(options, modes)
    progress = Progress(SET_UP_SECONDS + len(rounds) * TURN_SECONDS + TEAR_DOWN_SECONDS)
    laboratory = Laboratory(EXPERIMENT, progress, DEADLINES)
    with laboratory:
        deployment, chosen = startup.deploy(laboratory, options, given, options.capacity)
        deployment.port_agent.reconfigure({"bufferPackets": options.buffer})
        choice = signals.Signals(signals.PORTS)
        signals.prepare(deployment, [choice])
        signals.use(deployment, choice)
        not_run = {}
        if turns.DCTCP in modes and (missing := _load_dctcp(deployment)):
            progress.log(f"without the turn {turns.DCTCP.name}: {missing}")
            not_run = {turns.DCTCP.name: missing}
            rounds = _rounds(options, [mode for mode in modes if mode != turns.DCTCP])
        startup.wait_until_idle(progress)
        runner = IncastRunner(deployment, options)
        # A controller that has just started compiles its code while the first transfers wait.
        runner.run_all([(0, True, WARM_UP_SENDERS, turns.RSED)] * WARM_UP_TURNS)
        done = runner.run_all(rounds)
        runner.end()
    chosen_fields = {
        "controller": chosen.as_json(),
        "capacityMbps": options.capacity,
        "bufferPackets": options.buffer,
        "congestionControl": options.cc,
        "notRun": not_run,
    }
    title = f"Incast through {options.buffer} packets at {options.capacity:g} Mbit/s"
    return report.of(EXPERIMENT, done, chosen_fields, title).conclude(options, laboratory.leftovers)


def _rounds(options, modes):
    return rounds_of(options.repetitions, SACK[options.sack], options.senders, modes)


def _load_dctcp(deployment):
    """Put DCTCP into the kernel, for the receiver too; returns what the kernel lacks for it."""
    agent = deployment.host_agents[SENDING_HOSTS[0]]
    receiver = deployment.network.machines[RECEIVING_HOST]
    agent.stop()
    agent.reconfigure(marked_tcp.settings(receiver, [marked_tcp.SLUICE_DCTCP]))
    agent.start()
    deployment.wait_for_agents()
    found = agent.status()["congestion"]
    return None if found["chosen"] else "; ".join(found["conditions"])


COMMAND = Command(
    EXPERIMENT,
    "5 to 60 transfers with deadlines at once: timeouts, misses, losses answered by RSED",
    add_options,
    run,
)
