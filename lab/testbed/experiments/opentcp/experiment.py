# SPDX-License-Identifier: Apache-2.0
"""`lab/run opentcp`: short flows with and without policies' hints, and how soon hints end.

Policies are applied at ONOS by REST; agents bring their hints into force in the machines, as in
containers. In turns: hosts' defaults, each of OpenTCP1's hints alone, OpenTCP1, OpenTCP2; with
short flows over a long round trip, and with many at once into a shallow queue. Then the wire is
filled, or loses packets, with OpenTCP2 in force.
"""

import argparse
from dataclasses import replace

from testbed.deployment import signals, startup
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.opentcp import loads, report, reversion, turns
from testbed.experiments.opentcp.runner import ANSWER_SECONDS, JUDGED_SECONDS, OpenTcpRunner
from testbed.network.plan import OPENTCP
from testbed.options import common
from testbed.options.command import Command
from testbed.system.progress import Progress
from testbed.turns.turn import named, rounds_of

EXPERIMENT = "opentcp"
SET_UP_SECONDS, TEAR_DOWN_SECONDS = 85, 10


def add_options(command):
    """Declare the options."""
    common.own_deployment(command)
    common.congestion_control(command)
    common.capacity(command, 50, "the wire")
    common.buffer(command, 64)
    command.add_argument(
        "--rtt",
        metavar="MS",
        type=rtt_millis,
        default=10.0,
        help="round trip of flows that go far (10)",
    )
    # A cause for policies' end lasts three cycles.
    common.number(command, "--cycle", (1, 60), 2, "how often policies are evaluated", metavar="S")
    default_loads = tuple(load.name for load in loads.DEFAULT_LOADS)
    common.names(command, "--loads", loads.LOADS, default_loads, shown=",".join(default_loads))
    common.names(command, "--turns", turns.MODES)
    common.repetitions(command, 3)
    common.number(
        *(command, "--reversions", (0, 100), 5),
        "how often each cause for hints to end is measured; 0: not at all",
        metavar=None,
    )


def rtt_millis(text):
    """A round trip in milliseconds."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 200:
        raise argparse.ArgumentTypeError(f"'{text}' is not a round trip of 0 to 200 ms")
    return value


def run(options):
    """Run the experiment; returns the exit status."""
    startup.require_own_controller(options, "applies policies and withdraws them")
    modes = named(turns.MODES, options.turns, always=(turns.DEFAULTS,))
    rounds = rounds_of(options.repetitions, named(loads.LOADS, options.loads), modes)
    causes = rounds_of(options.reversions, reversion.CAUSES)
    turn_seconds = 2 * options.cycle + JUDGED_SECONDS + ANSWER_SECONDS
    reversion_seconds = (reversion.CAUSE_CYCLES + 3) * options.cycle
    progress = Progress(
        SET_UP_SECONDS
        + len(rounds) * turn_seconds
        + len(causes) * reversion_seconds
        + TEAR_DOWN_SECONDS
    )
    # Half of it on the way there, half on the way back.
    far = (*loads.FAR_SENDERS, loads.FAR_RECEIVER)
    plan = replace(OPENTCP, delays_millis=dict.fromkeys(far, options.rtt / 2))
    laboratory = Laboratory(EXPERIMENT, progress, plan)
    with laboratory:
        deployment, chosen = startup.deploy(laboratory, options, None, options.capacity)
        _prepare(deployment, options)
        startup.wait_until_idle(progress)
        runner = OpenTcpRunner(deployment, options)
        done = runner.run_all(rounds)
        reversions = [runner.revert(*each) for each in causes]
        remaining = runner.end_policies()
        runner.end()
    chosen_fields = {
        "controller": chosen.as_json(),
        "capacityMbps": options.capacity,
        "bufferPackets": options.buffer,
        "farRttMillis": options.rtt,
        "cycleSeconds": options.cycle,
        "congestionControl": options.cc,
    }
    title = f"Short flows at low load, {options.capacity:g} Mbit/s, {options.cc}"
    return report.of(EXPERIMENT, done, reversions, remaining, chosen_fields, title).conclude(
        options, laboratory.leftovers
    )


def _prepare(deployment, options):
    """Counters of all ports often enough for a short cycle, and agents that take hints."""
    deployment.port_agent.reconfigure({"bufferPackets": options.buffer})
    signals.prepare(deployment, [signals.Signals(signals.METERS), signals.Signals(signals.PORTS)])
    deployment.sluice.set(enforcement="off")  # nothing but hints is to be seen
    for host, agent in deployment.host_agents.items():
        machines = deployment.network.plan.machines_on(host)
        namespaces = [deployment.network.machines[machine].netns for machine in machines]
        agent.stop()
        agent.reconfigure({"tcpHints": {"namespaces": namespaces}})
        agent.start()
    deployment.wait_for_agents()
    deployment.wait_until_reachable(timeout_seconds=30)


COMMAND = Command(
    EXPERIMENT,
    "short flows with hosts' defaults and with OpenTCP's hints, and how soon hints end",
    add_options,
    run,
)
