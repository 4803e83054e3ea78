# SPDX-License-Identifier: Apache-2.0
"""`lab/run short-flows`: short requests beside greedy TCP, with and without levels.

One machine sends short requests, three send endless TCP, all through one port. In turns: nothing
enforced; Sluice's law; Sluice's law with levels, which hosts write and the port serves by. Agents
read their levels when they start, so all are started anew for every turn, whatever it is.
"""

from testbed.control import agents
from testbed.deployment import startup
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.short_flows import report
from testbed.experiments.short_flows.turns import MODES, Turn
from testbed.measure import bottleneck_queue
from testbed.measure.request_times import request_times
from testbed.options import common
from testbed.options.command import Command
from testbed.system.progress import Progress
from testbed.traffic.generators import FRESH_TCP_PORTS, TRANSFER_PORTS
from testbed.turns.runner import TurnRunner
from testbed.turns.timetable import Timetable
from testbed.turns.turn import rounds_of

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
    rounds = rounds_of(options.repetitions, MODES)
    turn_seconds = RESTART_SECONDS + SETTLING_SECONDS + JUDGED_SECONDS + ANSWER_SECONDS
    progress = Progress(SET_UP_SECONDS + len(rounds) * turn_seconds + TEAR_DOWN_SECONDS)
    laboratory = Laboratory(EXPERIMENT, progress)
    capacity = options.capacity
    with laboratory:
        deployment, chosen = startup.deploy(
            laboratory, options, given, capacity, agents.tau_micros(capacity)
        )
        startup.choose_signals(deployment, options)
        startup.wait_until_idle(progress)
        done = ShortFlowsRunner(deployment, options.cc).run_all(rounds)
    chosen_fields = {
        "controller": chosen.as_json(),
        "bottleneckMbps": capacity,
        "congestionControl": options.cc,
        "requestBytes": REQUEST_BYTES,
        "requestsPerSecond": REQUESTS_PER_SECOND,
        "signals": options.signals,
        "notices": options.notices,
    }
    title = f"10,000 bytes beside three endless {options.cc}, {capacity:g} Mbit/s"
    return report.of(EXPERIMENT, done, chosen_fields, title).conclude(options, laboratory.leftovers)


class ShortFlowsRunner(TurnRunner):
    """Runs turns one after the other, each on ports of its own."""

    line = staticmethod(report.line)

    def __init__(self, deployment, congestion_control):
        super().__init__(deployment.laboratory, deployment)
        self.congestion_control = congestion_control
        self.traffic.start_measuring()
        self.traffic.receive_transfers()
        self.ports = zip(TRANSFER_PORTS, FRESH_TCP_PORTS, strict=False)

    def run(self, number, mode):
        """Run one turn; number: which round it belongs to."""
        self.progress.log(f"round {number}, {mode.name}: {SETTLING_SECONDS + JUDGED_SECONDS} s")
        request_port, background_port = next(self.ports)
        self._configure(mode)
        at = Timetable.from_now(SETTLING_SECONDS, JUDGED_SECONDS, ANSWER_SECONDS)
        for host in BACKGROUND_HOSTS:
            self.traffic.tcp(
                *(host, background_port, self.congestion_control),
                start_nanos=at.begin,
                stop_nanos=at.stop,
            )
        requests = self.traffic.short_flows(
            *(REQUESTING_HOST, request_port, self.congestion_control),
            size_bytes=REQUEST_BYTES,
            per_second=REQUESTS_PER_SECOND,
            seed=number,  # so that all modes get the same requests
            start_nanos=at.judged_from,
            begin_until_nanos=at.end,
            stop_nanos=at.stop,
        )
        queue_before, queue_after, cpu = at.observe(self.deployment.port_agent.status)
        flows = requests.report(timeout_seconds=ANSWER_SECONDS + 10)["flows"]
        millis, unanswered = request_times(flows, at.stop)
        received = self.received(BACKGROUND_HOSTS, background_port)
        return Turn(
            mode=mode,
            number=number,
            seconds=JUDGED_SECONDS,
            request_millis=millis,
            unanswered=unanswered,
            background_mbps={
                host: series.mbps(at.judged_from, at.end) for host, series in received.items()
            },
            queue=bottleneck_queue.between(queue_before, queue_after),
            levels=queue_after.get("levels", []),
            cpu=cpu,
        )

    def _configure(self, mode):
        """Start all agents anew, with or without levels, and enforce or not."""
        deployment = self.deployment
        deployment.restart_agents(
            {"levels": agents.LEVELS_OF_HOSTS if mode.levels else None},
            {"levels": agents.LEVELS_OF_PORTS if mode.levels else None},
        )
        deployment.sluice.set(enforcement="on" if mode.enforced else "off")


COMMAND = Command(
    EXPERIMENT,
    "short requests beside greedy TCP: without Sluice, with its law, with levels as well",
    add_options,
    run,
)
