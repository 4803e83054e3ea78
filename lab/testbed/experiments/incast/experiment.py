# SPDX-License-Identifier: Apache-2.0
"""`lab/run incast`: many transfers with deadlines at once from six hosts to one.

The incast of SED's paper, with real TCP and a shallow queue at a port agent: without anything, with
SED and with RSED, each with the windows as printed and with Sluice's, with SACK and without.
"""

import itertools
import time
from pathlib import Path

from testbed.control import agents
from testbed.deployment import marked_tcp, signals, startup
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.incast import counters, report, turns
from testbed.network.plan import DEADLINES
from testbed.options import common, values
from testbed.options.command import Command
from testbed.programs import clock
from testbed.report import documents
from testbed.system import polling, processors
from testbed.system.errors import LabError
from testbed.system.progress import Progress
from testbed.traffic.generators import CONGESTION_CONTROLS, TRANSFER_PORTS, Traffic

EXPERIMENT = "incast"
SENDING_HOSTS, RECEIVING_HOST = DEADLINES.hosts[:-1], DEADLINES.hosts[-1]
MOST_SENDERS = len(SENDING_HOSTS) * len(TRANSFER_PORTS) // 2
SET_UP_SECONDS, TEAR_DOWN_SECONDS, TURN_SECONDS = 75, 10, 5
# Programs start, and register their transfers, before the first of these begins.
# A host registers its ten one after the other, which takes up to 0.3 s where no processor is idle.
LEAD_NANOS, REGISTERED_BEFORE_NANOS = 1_500_000_000, 400_000_000
LATE_NANOS = 1_500_000_000  # how much longer than the last deadline a transfer may take
REGISTRATIONS_END_SECONDS = 15
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
    command.add_argument(
        "--senders",
        metavar="N,N",
        type=values.whole_numbers(1, MOST_SENDERS),
        default=(5, 20, 40, 60),
        help="connections at once, one number after the other (5,20,40,60)",
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
    modes = _named(options.turns)
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
        runner = _TurnRunner(deployment, options)
        # A controller that has just started compiles its code while the first transfers wait.
        for _ in range(WARM_UP_TURNS):
            runner.run(0, True, WARM_UP_SENDERS, turns.RSED)
        done = [runner.run(*each) for each in rounds]
        runner.end()
    document = report.document(
        EXPERIMENT,
        chosen.version,
        done,
        laboratory.leftovers,
        {
            "capacityMbps": options.capacity,
            "bufferPackets": options.buffer,
            "congestionControl": options.cc,
            "notRun": not_run,
        },
    )
    plot = Path(options.out) / f"{EXPERIMENT}.png"
    title = f"Incast through {options.buffer} packets at {options.capacity:g} Mbit/s"
    report.draw(done, title, plot)
    print(f"\n{report.table(done)}\n\nplot:    {plot}\n")
    return documents.conclude(document, report.expected(done), options.out, options.json)


def _named(names):
    return [mode for mode in turns.MODES if names is None or mode.name in names]


def _rounds(options, modes):
    return list(
        itertools.product(
            range(1, options.repetitions + 1), SACK[options.sack], options.senders, modes
        )
    )


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


class _TurnRunner:
    """Runs turns one after the other, on ports that the turn before did not use."""

    def __init__(self, deployment, options):
        self.deployment = deployment
        self.sluice = deployment.sluice
        self.options = options
        self.machines = deployment.network.machines
        self.traffic = Traffic(deployment.network, horizon_seconds=3600)
        deployment.laboratory.cleanup.callback(self.end)
        self.traffic.start_measuring()
        self.traffic.receive_transfers()
        self.ports = itertools.cycle(TRANSFER_PORTS)
        self.takes_marks = False
        self._set_in_machines("tcp_no_metrics_save", 1)  # a turn learns nothing from another

    def end(self):
        """End all programs; may be called again."""
        self.traffic.end()

    def run(self, number, selective, senders, mode):
        """Run one turn; number: which round it belongs to."""
        self._configure(mode, selective)
        flows = turns.incast(senders, SENDING_HOSTS, self.options.capacity)
        ports = list(itertools.islice(self.ports, 1 + flows[-1].connection))
        start = time.monotonic_ns() + LEAD_NANOS
        last_due = max(flow.due_millis for flow in flows)
        stop = start + last_due * 1_000_000 + LATE_NANOS
        counted = counters.read(self.deployment)
        bursts = self._start_bursts(mode, flows, ports, start, stop)
        clock.sleep_until(start)
        before = processors.cpu_times()
        reports = {
            host: iter(job.report((stop - time.monotonic_ns()) / 1e9 + 10)["transfers"])
            for host, job in bursts.items()
        }
        cpu = processors.cpu_use(before, processors.cpu_times())
        results = [turns.result_of(flow, next(reports[flow.host]), start) for flow in flows]
        turn = turns.Turn(
            mode=mode,
            selective=selective,
            senders=senders,
            number=number,
            flows=results,
            goodput_mbps=turns.goodput_mbps(results, start),
            counters=counters.between(counted, counters.read(self.deployment)),
            seconds=(time.monotonic_ns() - start) / 1e9,
            cpu=cpu,
        )
        self.deployment.progress.log(f"  {report.line(turn)}")
        if mode.windows is not None:
            self._wait_for_ends()
        return turn

    def _configure(self, mode, selective):
        self.sluice.set(**mode.properties)
        self._set_in_machines("tcp_sack", int(selective))
        if self.takes_marks != (mode == turns.DCTCP):
            self.takes_marks = not self.takes_marks
            marked_tcp.let_marks_through(self.deployment, self.takes_marks)

    def _set_in_machines(self, name, value):
        for machine in self.machines.values():
            machine.check(["sysctl", "-q", "-w", f"net.ipv4.{name}={value}"])

    def _start_bursts(self, mode, flows, ports, start, stop):
        """{host: program}: each does the transfers of its host in their order."""
        bursts = {}
        for host in dict.fromkeys(flow.host for flow in flows):
            agent = self.deployment.host_agents[host]
            bursts[host] = self.traffic.burst(
                host,
                [
                    (ports[flow.connection], flow.size_bytes, flow.due_millis)
                    for flow in flows
                    if flow.host == host
                ],
                mode.congestion_control or self.options.cc,
                register_by=None
                if mode.windows is None
                else (agent.flow_socket, start - REGISTERED_BEFORE_NANOS),
                start_nanos=start,
                stop_nanos=stop,
            )
        return bursts

    def _wait_for_ends(self):
        """Wait until nothing is registered: a turn starts where all of the last one is over."""

        def all_ended():
            tenants = self.sluice.deadlines()["tenants"]
            return not any(tenant["waiting"] + tenant["sending"] for tenant in tenants)

        polling.until(
            all_ended,
            "all registrations to end",
            timeout_seconds=REGISTRATIONS_END_SECONDS,
            interval_seconds=0.1,
        )


COMMAND = Command(
    EXPERIMENT,
    "5 to 60 transfers with deadlines at once: timeouts, misses, losses answered by RSED",
    add_options,
    run,
)
