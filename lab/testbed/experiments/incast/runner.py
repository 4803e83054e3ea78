# SPDX-License-Identifier: Apache-2.0
"""Running one turn of the incast: registrations, transfers, and what was counted meanwhile."""

import itertools
import time

from testbed.deployment import marked_tcp
from testbed.experiments.incast import counters, report, turns
from testbed.network.plan import DEADLINES
from testbed.programs import clock
from testbed.system import polling, processors
from testbed.traffic.generators import TRANSFER_PORTS
from testbed.turns.runner import TurnRunner

SENDING_HOSTS, RECEIVING_HOST = DEADLINES.hosts[:-1], DEADLINES.hosts[-1]
# Programs start, and register their transfers, before the first of these begins.
# A host registers its ten one after the other, which takes up to 0.3 s where no processor is idle.
LEAD_NANOS, REGISTERED_BEFORE_NANOS = 1_500_000_000, 400_000_000
LATE_NANOS = 1_500_000_000  # how much longer than the last deadline a transfer may take
REGISTRATIONS_END_SECONDS = 15


class IncastRunner(TurnRunner):
    """Runs turns one after the other, on ports that the turn before did not use."""

    line = staticmethod(report.line)

    def __init__(self, deployment, options):
        super().__init__(deployment.laboratory, deployment)
        self.sluice = deployment.sluice
        self.options = options
        self.traffic.start_measuring()
        self.traffic.receive_transfers()
        self.ports = itertools.cycle(TRANSFER_PORTS)
        self.takes_marks = False
        self.forget_paths()

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
        if mode.registers:
            self._wait_for_ends()
        return turn

    def _configure(self, mode, selective):
        self.sluice.set(**mode.properties)
        self.set_in_machines("tcp_sack", int(selective))
        if self.takes_marks != (mode == turns.DCTCP):
            self.takes_marks = not self.takes_marks
            marked_tcp.let_marks_through(self.deployment, self.takes_marks)

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
                if not mode.registers
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
