# SPDX-License-Identifier: Apache-2.0
"""`lab/run opentcp`: short flows with and without policies' hints, and how soon hints end.

Policies are applied at ONOS by REST; agents bring their hints into force in the machines, as in
containers. In turns: hosts' defaults, each of OpenTCP1's hints alone, OpenTCP1, OpenTCP2; with
short flows over a long round trip, and with many at once into a shallow queue. Then the wire is
filled, or loses packets, with OpenTCP2 in force.
"""

import argparse
import itertools
import time
from dataclasses import replace
from pathlib import Path

from testbed.deployment import signals, startup
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.opentcp import loads, report, reversion, turns
from testbed.experiments.opentcp.hinted_routes import HintedRoutes
from testbed.measure import bottleneck_queue
from testbed.network.plan import OPENTCP
from testbed.options import common, values
from testbed.options.command import Command
from testbed.programs import clock
from testbed.report import documents
from testbed.system import processors
from testbed.system.progress import Progress
from testbed.traffic.generators import TRANSFER_PORTS, Traffic

EXPERIMENT = "opentcp"
SET_UP_SECONDS, TEAR_DOWN_SECONDS = 85, 10
JUDGED_SECONDS, ANSWER_SECONDS = 8, 3
LEAD_NANOS = 700_000_000  # for programs to start
SECOND = 1_000_000_000
SYSCTLS = ("net.ipv4.tcp_no_metrics_save=1",)  # a turn learns nothing from another


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
    command.add_argument(
        "--cycle",
        metavar="S",
        # A cause for policies' end lasts three cycles.
        type=values.whole_number(1, 60),
        default=2,
        help="how often policies are evaluated (2)",
    )
    default_loads = tuple(load.name for load in loads.DEFAULT_LOADS)
    common.names(command, "--loads", loads.LOADS, default_loads, shown=",".join(default_loads))
    common.names(command, "--turns", turns.MODES)
    common.repetitions(command, 3)
    command.add_argument(
        "--reversions",
        type=values.whole_number(0, 100),
        default=5,
        help="how often each cause for hints to end is measured; 0: not at all (5)",
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
    modes = turns.named(options.turns)
    wanted_loads = [load for load in loads.LOADS if load.name in options.loads]
    rounds = list(itertools.product(range(1, options.repetitions + 1), wanted_loads, modes))
    causes = list(itertools.product(range(1, options.reversions + 1), reversion.CAUSES))
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
        runner = _Runner(deployment, options)
        done = [runner.run(*each) for each in rounds]
        reversions = [runner.revert(*each) for each in causes]
        remaining = runner.end_policies()
        runner.end()
    further = {
        "capacityMbps": options.capacity,
        "bufferPackets": options.buffer,
        "farRttMillis": options.rtt,
        "cycleSeconds": options.cycle,
        "congestionControl": options.cc,
    }
    document = report.document(
        EXPERIMENT, chosen.version, done, reversions, remaining, laboratory.leftovers, further
    )
    if done:
        plot = Path(options.out) / f"{EXPERIMENT}.png"
        title = f"Short flows at low load, {options.capacity:g} Mbit/s, {options.cc}"
        report.draw(done, title, plot)
        print(f"\n{report.table(done)}\n\nplot:    {plot}")
    print(f"\n{report.reversion_table(reversions)}\n")
    return documents.conclude(
        document,
        report.expected(done, reversions, remaining),
        options.out,
        options.json,
        report.aims(done),
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
    for machine in deployment.network.machines.values():
        machine.check(["sysctl", "-q", "-w", *SYSCTLS])


class _Runner:
    """Runs turns one after the other, on ports that the turn before did not use."""

    def __init__(self, deployment, options):
        self.deployment = deployment
        self.options = options
        self.traffic = {
            receiver: Traffic(
                deployment.network, name=receiver, receivers=(receiver,), horizon_seconds=3600
            )
            for receiver in (loads.NEAR_RECEIVER, loads.FAR_RECEIVER)
        }
        deployment.laboratory.cleanup.callback(self.end)
        for traffic in self.traffic.values():
            traffic.receive_transfers()
        self.near = self.traffic[loads.NEAR_RECEIVER]
        self.near.start_measuring()
        self.routes = HintedRoutes(
            {
                machine: self.near.record_route_metrics(machine)
                for machine in deployment.network.plan.machines
            }
        )
        self.ports = itertools.cycle(TRANSFER_PORTS)

    def end(self):
        """End all programs; may be called again."""
        for traffic in self.traffic.values():
            traffic.end()

    def end_policies(self):
        """Withdraw policies; returns the machines whose routes still have hints."""
        self._apply(turns.DEFAULTS)
        return [name for name, past in self.routes.histories().items() if past[-1][1]]

    def _apply(self, mode):
        """Have a mode's hints in force; the network is idle, so that they begin at once."""
        cycle = self.options.cycle
        self.deployment.sluice.apply_policies(mode.policies(cycle))
        self.routes.wait_for(mode.metrics, timeout_seconds=20 + 3 * cycle)

    def run(self, number, load, mode):
        """Run one turn; number: which round it belongs to."""
        self._apply(mode)
        port = next(self.ports)
        begin = time.monotonic_ns() + LEAD_NANOS
        end = begin + JUDGED_SECONDS * SECOND
        stop = end + ANSWER_SECONDS * SECOND
        jobs = [
            (
                size,
                self.traffic[load.receiver].short_flows(
                    *(host, port, self.options.cc),
                    size_bytes=size,
                    per_second=load.per_second,
                    at_once=load.at_once,
                    # The same instants in all modes, and others for each size.
                    seed=load.seed(number, place, kind),
                    connect_ahead_millis=load.connect_ahead_millis,
                    no_delay=True,
                    start_nanos=begin,
                    begin_until_nanos=end,
                    stop_nanos=stop,
                ),
            )
            for place, host in enumerate(load.hosts)
            for kind, size in enumerate(load.sizes_bytes)
        ]
        clock.sleep_until(begin)
        port_agent = self.deployment.port_agent
        cpu_before, queue_before = processors.cpu_times(), port_agent.status()
        clock.sleep_until(end)
        cpu_after = processors.cpu_times()
        flows = [
            flow
            for size, job in jobs
            for flow in turns.flows_of(
                load, size, job.report(timeout_seconds=ANSWER_SECONDS + 10)["flows"], stop
            )
        ]
        turn = turns.Turn(
            load=load,
            mode=mode,
            number=number,
            seconds=JUDGED_SECONDS,
            flows=flows,
            hinted=self.routes.part_with(mode.metrics, begin, end),
            queue=bottleneck_queue.between(queue_before, port_agent.status()),
            cpu=processors.cpu_use(cpu_before, cpu_after),
        )
        self.deployment.progress.log(f"  {report.line(turn)}")
        return turn

    def revert(self, number, cause):
        """Measure once how soon hints end; number: which round it belongs to."""
        mode = turns.OPENTCP2
        if number == 1 and cause == reversion.CAUSES[0]:
            self._apply(mode)
        measured = reversion.measure(
            *(self.deployment, self.near, self.routes, cause, number),
            cycle_seconds=self.options.cycle,
            hinted=mode.metrics,
        )
        self.deployment.progress.log(f"  {report.reversion_line(measured)}")
        return measured


COMMAND = Command(
    EXPERIMENT,
    "short flows with hosts' defaults and with OpenTCP's hints, and how soon hints end",
    add_options,
    run,
)
