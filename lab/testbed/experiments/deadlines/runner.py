# SPDX-License-Identifier: Apache-2.0
"""Running the scenario once: registrations, flows, and what became of each."""

import datetime
import time

from testbed.control.rest import RestError
from testbed.experiments.deadlines import report, small_scenario
from testbed.network import addresses
from testbed.programs import clock
from testbed.system import polling, processors
from testbed.system.errors import LabError
from testbed.traffic.generators import FRESH_TCP_PORTS, TRANSFER_PORTS
from testbed.turns.runner import TurnRunner

# The endless flow has the link to itself first; flows are registered during that time.
LEAD_NANOS, REGISTERED_BEFORE_NANOS = 2_000_000_000, 1_200_000_000
LATE_NANOS = 2_000_000_000  # how much longer than the last deadline a flow may take
FINAL_STATES = ("met", "missed", "never-sent", "closed-early")


class DeadlinesRunner(TurnRunner):
    """Runs turns one after the other, each on ports of its own."""

    line = staticmethod(report.line)

    def __init__(self, deployment, observations, with_floods=False):
        super().__init__(deployment.laboratory, deployment)
        self.observations = observations
        self.flood_hosts = small_scenario.FLOOD_HOSTS if with_floods else ()
        flows = small_scenario.half_of_the_port if with_floods else small_scenario.small_scenario
        self.flows = flows(deployment.bottleneck_mbps)
        self.ports = zip(TRANSFER_PORTS, FRESH_TCP_PORTS, strict=False)
        self.traffic.start_measuring()
        self.traffic.receive_transfers()

    def run(self, control, number, mode):
        """Run the scenario once; number: which repetition it belongs to."""
        port, endless_port = next(self.ports)
        begun, cpu_before = time.monotonic_ns(), processors.cpu_times()
        self.deployment.sluice.set(enforcement="on" if mode.with_sluice else "off")
        start = time.monotonic_ns() + LEAD_NANOS
        stop = start + self.flows[-1].due_millis * 1_000_000 + LATE_NANOS
        samples = self.traffic.directory / f"round-trips-{endless_port}.jsonl"
        endless = self.traffic.tcp(
            *(small_scenario.ENDLESS_HOST, endless_port, control),
            start_nanos=0,
            stop_nanos=stop,
            round_trips_file=samples,
        )
        floods = [
            self.traffic.flood(
                host, self.deployment.bottleneck_mbps, start_nanos=0, stop_nanos=stop
            )
            for host in self.flood_hosts
        ]
        transfers = [
            self.traffic.transfer(
                *(flow.host, port, control, flow.size_bytes), start_nanos=start, stop_nanos=stop
            )
            for flow in self.flows
        ]
        registrations = self._register_all(port, start) if mode.with_sluice else {}
        reports = [
            job.report(timeout_seconds=(stop - time.monotonic_ns()) / 1e9 + 10) for job in transfers
        ]
        end = max(each["lastByteNanos"] or stop for each in reports)
        for job in (endless, *floods):
            job.end()
        results = [
            small_scenario.result_of(
                flow, each, start, *(self._outcome(registrations[flow]) if registrations else ())
            )
            for flow, each in zip(self.flows, reports, strict=True)
        ]
        if registrations and self.observations:
            self.observations.wait_until_removed()
        host = small_scenario.ENDLESS_HOST
        series = self.received([host], endless_port)[host]
        round_trips = small_scenario.read_round_trips(samples)
        return small_scenario.Turn(
            mode=mode,
            number=number,
            congestion_control=control,
            flows=results,
            endless=small_scenario.endless(series, round_trips, start, end),
            seconds=(time.monotonic_ns() - begun) / 1e9,
            cpu=processors.cpu_use(cpu_before, processors.cpu_times()),
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
