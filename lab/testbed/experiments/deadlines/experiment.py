# SPDX-License-Identifier: Apache-2.0
"""`lab/run deadlines`: five flows with deadlines beside an endless one, without Sluice and with it.

SED's small scenario: every flow has a machine of its own, all send to one over one bottleneck. With
Sluice the flows are registered by REST before they begin, as tenants' applications would do.
"""

import datetime
import time
from pathlib import Path

from testbed.control.onos import RestError
from testbed.deployment import startup
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.deadlines import report, small_scenario, switch_observations
from testbed.measure.series import CumulativeSeries
from testbed.network import addresses
from testbed.network.plan import DEADLINES
from testbed.options import common
from testbed.options.command import Command
from testbed.programs import clock
from testbed.report import documents
from testbed.report.expectations import verdict
from testbed.system import polling, processors
from testbed.system.errors import LabError
from testbed.system.progress import Progress
from testbed.traffic.generators import (
    CONGESTION_CONTROLS,
    FRESH_TCP_PORTS,
    TRANSFER_PORTS,
    Traffic,
)

EXPERIMENT = "deadlines"
BOTTLENECK_MBPS = 50
ALL = "all"
SET_UP_SECONDS, TEAR_DOWN_SECONDS = 75, 10
REPETITION_SECONDS = 6
# The endless flow has the link to itself first; flows are registered during that time.
LEAD_NANOS, REGISTERED_BEFORE_NANOS = 2_000_000_000, 1_200_000_000
LATE_NANOS = 2_000_000_000  # how much longer than the last deadline a flow may take
FINAL_STATES = ("met", "missed", "never-sent", "closed-early")


def add_options(command):
    """Declare the options."""
    common.deployment(command)
    command.add_argument(
        "--cc",
        choices=(*CONGESTION_CONTROLS, ALL),
        default=ALL,
        help="TCP's; all: one after the other (all)",
    )
    common.repetitions(command, 5, "with and without Sluice")
    command.add_argument(
        "--flows",
        choices=(switch_observations.HOST, switch_observations.SWITCH),
        default=switch_observations.HOST,
        help="what reports that a registered flow's connection begins or ends (host)",
    )
    common.signal_choices(command)


def run(options):
    """Run the experiment; returns the exit status."""
    given = startup.given_controller(options)
    controls = CONGESTION_CONTROLS if options.cc == ALL else (options.cc,)
    count = 2 * len(controls) * options.repetitions
    progress = Progress(SET_UP_SECONDS + count * REPETITION_SECONDS + TEAR_DOWN_SECONDS)
    laboratory = Laboratory(EXPERIMENT, progress, DEADLINES)
    with laboratory:
        deployment, chosen = startup.deploy(laboratory, options, given, BOTTLENECK_MBPS)
        startup.choose_signals(deployment, options)
        switch_observations.use(deployment, options.flows)
        startup.wait_until_idle(progress)
        before = processors.cpu_times()
        observations = None
        if options.flows == switch_observations.SWITCH:
            observations = switch_observations.SwitchObservations(deployment)
        runner = _Repetitions(deployment, count, observations)
        repetitions = runner.run(controls, options.repetitions)
        cpu = processors.cpu_use(before, processors.cpu_times())
        observed = observations and observations.as_json()
    expected = report.expected(repetitions)
    if observed:
        expected += report.expected_of_switches(observed)
    document = {
        "experiment": EXPERIMENT,
        "bottleneckMbps": BOTTLENECK_MBPS,
        "onosVersion": chosen.version,
        "signals": options.signals,
        "notices": options.notices,
        "flows": options.flows,
        "seenBySwitches": observed,
        **cpu.as_json(),
        "repetitions": [report.as_json(each) for each in repetitions],
        "expectations": [each.as_json() for each in expected],
        "leftovers": laboratory.leftovers,
        "verdict": verdict(expected, laboratory.leftovers, cpu),
    }
    plot = Path(options.out) / f"{EXPERIMENT}.png"
    title = f"Five deadlines over {BOTTLENECK_MBPS} Mbit/s, ONOS {chosen.version}"
    report.draw(repetitions, title, plot)
    print(f"\n{report.table(repetitions)}\n\nplot:    {plot}\n")
    return documents.conclude(document, expected, options.out, options.json)


class _Repetitions:
    """All repetitions, each on ports of its own."""

    def __init__(self, deployment, count, observations):
        self.deployment = deployment
        self.observations = observations
        self.flows = small_scenario.small_scenario(deployment.bottleneck_mbps)
        self.ports = list(zip(TRANSFER_PORTS, FRESH_TCP_PORTS, strict=False))[:count]
        self.traffic = Traffic(deployment.network)
        deployment.laboratory.cleanup.callback(self.traffic.end)

    def run(self, controls, repetitions):
        """[Repetition], without and with Sluice in turns: disturbances of the machine hit both."""
        self.traffic.start_measuring()
        self.traffic.receive_transfers()
        done = []
        for control in controls:
            for number in range(1, repetitions + 1):
                for with_sluice in (False, True):
                    ports = self.ports[len(done)]
                    done.append(self._repeat(control, with_sluice, *ports))
                    self._log(number, done[-1])
        return done

    def _repeat(self, control, with_sluice, port, endless_port):
        self.deployment.sluice.set(enforcement="on" if with_sluice else "off")
        start = time.monotonic_ns() + LEAD_NANOS
        stop = start + self.flows[-1].due_millis * 1_000_000 + LATE_NANOS
        samples = self.traffic.directory / f"round-trips-{endless_port}.jsonl"
        endless = self.traffic.tcp(
            *(small_scenario.ENDLESS_HOST, endless_port, control),
            start_nanos=0,
            stop_nanos=stop,
            round_trips_file=samples,
        )
        transfers = [
            self.traffic.transfer(
                *(flow.host, port, control, flow.size_bytes), start_nanos=start, stop_nanos=stop
            )
            for flow in self.flows
        ]
        registrations = self._register_all(port, start) if with_sluice else {}
        reports = [
            job.report(timeout_seconds=(stop - time.monotonic_ns()) / 1e9 + 10) for job in transfers
        ]
        end = max(each["lastByteNanos"] or stop for each in reports)
        endless.end()
        results = [
            small_scenario.result_of(
                flow, each, start, *(self._outcome(registrations[flow]) if registrations else ())
            )
            for flow, each in zip(self.flows, reports, strict=True)
        ]
        if registrations and self.observations:
            self.observations.wait_until_removed()
        name = f"tcp/{addresses.endpoint(small_scenario.ENDLESS_HOST).ip}/{endless_port}"
        series = self.traffic.flows().get(name, CumulativeSeries([(0, 0)]))
        round_trips = small_scenario.read_round_trips(samples)
        return small_scenario.Repetition(
            control, with_sluice, results, small_scenario.endless(series, round_trips, start, end)
        )

    def _register_all(self, port, start_nanos):
        """Register all flows shortly before they begin: {flow: its id, None if rejected}."""
        clock.sleep_until(start_nanos - REGISTERED_BEFORE_NANOS)
        registrations = {flow: self._register(flow, port, start_nanos) for flow in self.flows}
        if self.observations:
            accepted = sum(flow_id is not None for flow_id in registrations.values())
            self.observations.wait_until_installed(accepted)
        if time.monotonic_ns() > start_nanos:
            raise LabError("registering took so long that flows had begun: a busy machine?")
        return registrations

    def _register(self, flow, port, start_nanos):
        """Register a flow that begins at an instant; returns its id, None if it is rejected."""
        due_nanos = start_nanos + flow.due_millis * 1_000_000
        wall_seconds = time.time() + (due_nanos - time.monotonic_ns()) / 1e9
        due = datetime.datetime.fromtimestamp(wall_seconds, datetime.UTC)
        try:
            answer = self.deployment.sluice.register_flow(
                {
                    "source": addresses.endpoint(flow.host).ip,
                    "destination": self.traffic.target,
                    "destinationPort": port,
                    "sizeBytes": flow.size_bytes,
                    "deadline": due.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                }
            )
        except RestError as rejection:
            self.deployment.progress.log(f"  flow {flow.number}: {rejection}")
            return None
        return answer["id"]

    def _outcome(self, flow_id):
        """(promised, final state) of a registration."""
        if flow_id is None:
            return False, None

        def final_state():
            state = self.deployment.sluice.flow(flow_id)["state"]
            return state if state in FINAL_STATES else None

        return True, polling.until(
            final_state, f"the final state of flow {flow_id}", timeout_seconds=10
        )

    def _log(self, number, repetition):
        outcomes = ", ".join(
            f"{result.flow.number} {'met' if result.is_met else 'MISSED'}"
            f" {'-' if result.took_millis is None else f'{result.took_millis:.0f}'}"
            for result in repetition.flows
        )
        name = report.NAMES[repetition.with_sluice]
        self.deployment.progress.log(
            f"  {repetition.congestion_control} {number}, {name}: {outcomes} ms"
        )


COMMAND = Command(
    EXPERIMENT,
    "five flows with deadlines beside an endless one: met with Sluice, missed without",
    add_options,
    run,
)
