# SPDX-License-Identifier: Apache-2.0
"""`lab/run short-flows`: short requests beside greedy TCP, with and without levels.

One machine sends short requests, three send endless TCP, all through one port. In turns: nothing
enforced; Sluice's law; Sluice's law with levels, which hosts write and the port serves by. Agents
read their levels when they start, so all are started anew for every turn, whatever it is.
"""

import time
from pathlib import Path

from testbed.control import agents
from testbed.deployment import startup
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.short_flows import report
from testbed.experiments.short_flows.turns import MODES, Turn
from testbed.measure import bottleneck_queue
from testbed.measure.quantiles import median
from testbed.measure.request_times import request_times
from testbed.measure.series import CumulativeSeries
from testbed.network import addresses
from testbed.options import common
from testbed.options.command import Command
from testbed.programs import clock
from testbed.report import documents
from testbed.system import processors
from testbed.system.progress import Progress
from testbed.traffic.generators import FRESH_TCP_PORTS, TRANSFER_PORTS, Traffic

EXPERIMENT = "short-flows"
REQUESTING_HOST, BACKGROUND_HOSTS = "h1", ("h2", "h3", "h4")
REQUEST_BYTES, REQUESTS_PER_SECOND = 10_000, 10
SET_UP_SECONDS, TEAR_DOWN_SECONDS, RESTART_SECONDS = 75, 10, 11
SETTLING_SECONDS, JUDGED_SECONDS, ANSWER_SECONDS = 4, 12, 2


def add_options(command):
    """Declare the options."""
    common.deployment(command)
    common.congestion_control(command)
    common.signal_choices(command)
    common.capacity(command, 20, "the wire")
    common.repetitions(command, 3)


def run(options):
    """Run the experiment; returns the exit status."""
    given = startup.given_controller(options)
    count = len(MODES) * options.repetitions
    turn_seconds = RESTART_SECONDS + SETTLING_SECONDS + JUDGED_SECONDS + ANSWER_SECONDS
    progress = Progress(SET_UP_SECONDS + count * turn_seconds + TEAR_DOWN_SECONDS)
    laboratory = Laboratory(EXPERIMENT, progress)
    capacity = options.capacity
    with laboratory:
        deployment, chosen = startup.deploy(
            laboratory, options, given, capacity, agents.tau_micros(capacity)
        )
        startup.choose_signals(deployment, options)
        startup.wait_until_idle(progress)
        runner = _TurnRunner(deployment, options.cc)
        turns = [
            runner.run(mode, number)
            for number in range(1, options.repetitions + 1)
            for mode in MODES
        ]
    further = {
        "bottleneckMbps": capacity,
        "congestionControl": options.cc,
        "requestBytes": REQUEST_BYTES,
        "requestsPerSecond": REQUESTS_PER_SECOND,
        "signals": options.signals,
        "notices": options.notices,
    }
    document = report.document(EXPERIMENT, chosen.version, turns, laboratory.leftovers, further)
    plot = Path(options.out) / f"{EXPERIMENT}.png"
    title = f"10,000 bytes beside three endless {options.cc}, {capacity:g} Mbit/s"
    report.draw(turns, title, plot)
    print(f"\n{report.table(turns)}\n\nplot:    {plot}\n")
    return documents.conclude(
        document, report.expected(turns), options.out, options.json, report.aims(turns)
    )


class _TurnRunner:
    """Runs turns one after the other, each on ports of its own."""

    def __init__(self, deployment, congestion_control):
        self.deployment = deployment
        self.congestion_control = congestion_control
        self.traffic = Traffic(deployment.network)
        deployment.laboratory.cleanup.callback(self.traffic.end)
        self.traffic.start_measuring()
        self.traffic.receive_transfers()
        self.ports = list(zip(TRANSFER_PORTS, FRESH_TCP_PORTS, strict=False))
        self.count = 0

    def run(self, mode, number):
        """Run one turn; number: which round it belongs to."""
        progress = self.deployment.progress
        progress.log(f"round {number}, {mode.name}: {SETTLING_SECONDS + JUDGED_SECONDS} s")
        request_port, background_port = self.ports[self.count]
        self.count += 1
        self._configure(mode)
        begin = time.monotonic_ns()
        judged_from = begin + SETTLING_SECONDS * 1_000_000_000
        end = judged_from + JUDGED_SECONDS * 1_000_000_000
        stop = end + ANSWER_SECONDS * 1_000_000_000
        for host in BACKGROUND_HOSTS:
            self.traffic.tcp(
                *(host, background_port, self.congestion_control),
                start_nanos=begin,
                stop_nanos=stop,
            )
        requests = self.traffic.short_flows(
            *(REQUESTING_HOST, request_port, self.congestion_control),
            size_bytes=REQUEST_BYTES,
            per_second=REQUESTS_PER_SECOND,
            seed=number,  # so that all modes get the same requests
            start_nanos=judged_from,
            begin_until_nanos=end,
            stop_nanos=stop,
        )
        clock.sleep_until(judged_from)
        port_agent = self.deployment.port_agent
        cpu_before, queue_before = processors.cpu_times(), port_agent.status()
        clock.sleep_until(end)
        cpu_after, queue_after = processors.cpu_times(), port_agent.status()
        flows = requests.report(timeout_seconds=ANSWER_SECONDS + 10)["flows"]
        millis, unanswered = request_times(flows, stop)
        received = self.traffic.flows()
        turn = Turn(
            mode=mode,
            number=number,
            seconds=JUDGED_SECONDS,
            request_millis=millis,
            unanswered=unanswered,
            background_mbps={
                host: _series(received, host, background_port).mbps(judged_from, end)
                for host in BACKGROUND_HOSTS
            },
            queue=bottleneck_queue.between(queue_before, queue_after),
            levels=queue_after.get("levels", []),
            cpu=processors.cpu_use(cpu_before, cpu_after),
        )
        middle = median(millis) if millis else float("nan")
        background = sum(turn.background_mbps.values())
        progress.log(f"  requests {middle:.1f} ms, background {background:.1f} Mbit/s, {turn.cpu}")
        return turn

    def _configure(self, mode):
        """Start all agents anew, with or without levels, and enforce or not."""
        deployment = self.deployment
        deployment.restart_agents(
            {"levels": agents.LEVELS_OF_HOSTS if mode.levels else None},
            {"levels": agents.LEVELS_OF_PORTS if mode.levels else None},
        )
        deployment.sluice.set(enforcement="on" if mode.enforced else "off")


def _series(received, host, port):
    """What has arrived of a host's connection to a port."""
    return received.get(f"tcp/{addresses.endpoint(host).ip}/{port}", CumulativeSeries([(0, 0)]))


COMMAND = Command(
    EXPERIMENT,
    "short requests beside greedy TCP: without Sluice, with its law, with levels as well",
    add_options,
    run,
)
