# SPDX-License-Identifier: Apache-2.0
"""`lab/run deadlines`: five flows with deadlines beside an endless one, without Sluice and with it.

SED's small case: every flow has a machine of its own, all send to one over one bottleneck. With
Sluice the tenants register their flows by REST before they send, as applications would.
"""

import datetime
import time
from pathlib import Path

from testbed.control.onos import RestError
from testbed.deployment import startup
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.deadlines import report as deadlines_report
from testbed.experiments.deadlines import small_case, switch_observations
from testbed.experiments.dumbbell import phase_run
from testbed.measure.series import CumulativeSeries
from testbed.network import addresses
from testbed.network.plan import DEADLINES
from testbed.report import documents
from testbed.report.expectations import verdict
from testbed.system import polling, processors
from testbed.system.errors import LabError
from testbed.system.progress import Progress
from testbed.traffic.generators import FRESH_TCP_PORTS, TRANSFER_PORTS, Traffic

EXPERIMENT = "deadlines"
BOTTLENECK_MBPS = 50
CONGESTION_CONTROLS = ("reno", "cubic", "bbr")
ALL = "all"
MOST_REPETITIONS = len(FRESH_TCP_PORTS) // (2 * len(CONGESTION_CONTROLS))
SET_UP_SECONDS, TEAR_DOWN_SECONDS = 75, 10
REPETITION_SECONDS = 6
# The endless flow has the link to itself first; flows are registered while it has.
LEAD_NANOS, REGISTERED_BEFORE_NANOS = 2_000_000_000, 1_200_000_000
LATE_NANOS = 2_000_000_000  # how much longer than the last deadline a flow may take
OUTCOMES = ("met", "missed", "never-sent", "closed-early")


def run(options):
    """Run the experiment; returns the exit status."""
    given = startup.given_controller(options)
    controls = CONGESTION_CONTROLS if options.cc == ALL else (options.cc,)
    count = 2 * len(controls) * options.repetitions
    progress = Progress(SET_UP_SECONDS + count * REPETITION_SECONDS + TEAR_DOWN_SECONDS)
    laboratory = Laboratory(EXPERIMENT, progress, DEADLINES)
    with laboratory:
        site, chosen = startup.open_site(laboratory, options, given, BOTTLENECK_MBPS)
        startup.choose_signals(site, options)
        switch_observations.use(site, options.flows)
        phase_run.wait_for_a_calm_machine(progress)
        before = processors.cpu_times()
        sight = (
            switch_observations.SwitchSight(site)
            if options.flows == switch_observations.SWITCH
            else None
        )
        repetitions = _Course(site, count, sight).run(controls, options.repetitions)
        cpu = processors.cpu_use(before, processors.cpu_times())
        seen = sight and sight.as_json()
    expected = deadlines_report.expected(repetitions)
    if seen:
        expected += deadlines_report.expected_of_switches(seen)
    told = {
        "experiment": EXPERIMENT,
        "bottleneckMbps": BOTTLENECK_MBPS,
        "onosVersion": chosen.version,
        "signals": options.signals,
        "notices": options.notices,
        "flows": options.flows,
        "seenBySwitches": seen,
        **cpu.as_json(),
        "repetitions": [deadlines_report.as_json(each) for each in repetitions],
        "expectations": [each.as_json() for each in expected],
        "leftovers": laboratory.leftovers,
        "verdict": verdict(expected, laboratory.leftovers, cpu),
    }
    picture = Path(options.out) / f"{EXPERIMENT}.png"
    title = f"Five deadlines over {BOTTLENECK_MBPS} Mbit/s, ONOS {chosen.version}"
    deadlines_report.draw(repetitions, title, picture)
    print(f"\n{deadlines_report.table(repetitions)}\n\nplot:    {picture}\n")
    return documents.conclude_figures(told, expected, Path(options.out), options.json)


class _Course:
    """All repetitions, each on ports of its own."""

    def __init__(self, site, count, sight):
        self.site = site
        self.sight = sight
        self.flows = small_case.small_case(site.bottleneck_mbps)
        self.ports = list(zip(TRANSFER_PORTS, FRESH_TCP_PORTS, strict=False))[:count]
        self.traffic = Traffic(site.network)
        site.laboratory.cleanup.callback(self.traffic.end)

    def run(self, controls, repetitions):
        """[Repetition], without and with Sluice in turns: the machine's moods hit both."""
        self.traffic.start_measuring()
        self.traffic.await_transfers()
        done = []
        for control in controls:
            for number in range(1, repetitions + 1):
                for with_sluice in (False, True):
                    ports = self.ports[len(done)]
                    done.append(self._repeat(control, with_sluice, *ports))
                    self._tell(number, done[-1])
        return done

    def _repeat(self, control, with_sluice, port, endless_port):
        self.site.sluice.set(enforcement="on" if with_sluice else "off")
        start = time.monotonic_ns() + LEAD_NANOS
        stop = start + self.flows[-1].due_millis * 1_000_000 + LATE_NANOS
        samples = self.traffic.directory / f"round-trips-{endless_port}.jsonl"
        endless = self.traffic.tcp(
            *(small_case.ENDLESS_HOST, endless_port, control),
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
        promises = {}
        if with_sluice:
            time.sleep(max(0, (start - REGISTERED_BEFORE_NANOS - time.monotonic_ns()) / 1e9))
            promises = {flow: self._register(flow, port, start) for flow in self.flows}
            if self.sight:
                self.sight.await_asked(sum(each is not None for each in promises.values()))
            if time.monotonic_ns() > start:
                raise LabError("registering took so long that flows had begun: a busy machine?")
        reports = [
            job.report(timeout_seconds=(stop - time.monotonic_ns()) / 1e9 + 10) for job in transfers
        ]
        end = max(each["lastByteNanos"] or stop for each in reports)
        endless.end()
        results = [
            small_case.result_of(
                flow, each, start, *(self._outcome(promises[flow]) if promises else ())
            )
            for flow, each in zip(self.flows, reports, strict=True)
        ]
        if promises and self.sight:
            self.sight.await_quiet()
        name = f"tcp/{addresses.endpoint(small_case.ENDLESS_HOST).ip}/{endless_port}"
        series = self.traffic.flows().get(name, CumulativeSeries([(0, 0)]))
        round_trips = small_case.read_round_trips(samples)
        return small_case.Repetition(
            control, with_sluice, results, small_case.endless(series, round_trips, start, end)
        )

    def _register(self, flow, port, start_nanos):
        """Register a flow to begin at an instant; returns its id, None where it is refused."""
        due_nanos = start_nanos + flow.due_millis * 1_000_000
        wall_seconds = time.time() + (due_nanos - time.monotonic_ns()) / 1e9
        due = datetime.datetime.fromtimestamp(wall_seconds, datetime.UTC)
        try:
            answer = self.site.sluice.register_flow(
                {
                    "source": addresses.endpoint(flow.host).ip,
                    "destination": self.traffic.target,
                    "destinationPort": port,
                    "sizeBytes": flow.size_bytes,
                    "deadline": due.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                }
            )
        except RestError as refusal:
            self.site.progress.say(f"  flow {flow.number}: {refusal}")
            return None
        return answer["id"]

    def _outcome(self, flow_id):
        """(promised, state in the end) of a registration."""
        if flow_id is None:
            return False, None

        def outcome():
            state = self.site.sluice.flow(flow_id)["state"]
            return state if state in OUTCOMES else None

        what = f"Sluice to know what became of flow {flow_id}"
        return True, polling.until(outcome, what, timeout_seconds=10)

    def _tell(self, number, repetition):
        words = ", ".join(
            f"{result.flow.number} {'met' if result.is_met else 'MISSED'}"
            f" {'-' if result.took_millis is None else f'{result.took_millis:.0f}'}"
            for result in repetition.flows
        )
        who = deadlines_report.NAMES[repetition.with_sluice]
        self.site.progress.say(f"  {repetition.congestion_control} {number}, {who}: {words} ms")
