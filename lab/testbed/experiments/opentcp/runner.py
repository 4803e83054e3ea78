# SPDX-License-Identifier: Apache-2.0
"""Running one turn of OpenTCP's: policies in force, flows, and how soon hints end."""

import itertools

from testbed.experiments.opentcp import loads, report, reversion, turns
from testbed.experiments.opentcp.hinted_routes import HintedRoutes
from testbed.measure import bottleneck_queue
from testbed.traffic.generators import TRANSFER_PORTS, Traffic
from testbed.turns.runner import TurnRunner
from testbed.turns.timetable import Timetable

JUDGED_SECONDS, ANSWER_SECONDS = 8, 3
LEAD_SECONDS = 0.7  # for programs to start


class OpenTcpRunner(TurnRunner):
    """Runs turns one after the other, on ports that the turn before did not use."""

    line = staticmethod(report.line)

    def __init__(self, deployment, options):
        near, far = ({"name": each, "receivers": (each,)} for each in loads.RECEIVERS)
        self.far = Traffic(deployment.network, **far, horizon_seconds=3600)
        super().__init__(deployment.laboratory, deployment, **near)
        self.options = options
        self.traffic.receive_transfers()
        self.far.receive_transfers()
        self.traffic.start_measuring()
        self.routes = HintedRoutes(
            {
                machine: self.traffic.record_route_metrics(machine)
                for machine in self.network.plan.machines
            }
        )
        self.ports = itertools.cycle(TRANSFER_PORTS)
        self.forget_paths()

    def end(self):
        """End all programs; may be called again."""
        super().end()
        self.far.end()

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
        at = Timetable.from_now(0, JUDGED_SECONDS, ANSWER_SECONDS, LEAD_SECONDS)
        traffic = self.far if load.receiver == loads.FAR_RECEIVER else self.traffic
        jobs = [
            (
                size,
                traffic.short_flows(
                    *(host, port, self.options.cc),
                    size_bytes=size,
                    per_second=load.per_second,
                    at_once=load.at_once,
                    # The same instants in all modes, and others for each size.
                    seed=load.seed(number, place, kind),
                    connect_ahead_millis=load.connect_ahead_millis,
                    no_delay=True,
                    start_nanos=at.begin,
                    begin_until_nanos=at.end,
                    stop_nanos=at.stop,
                ),
            )
            for place, host in enumerate(load.hosts)
            for kind, size in enumerate(load.sizes_bytes)
        ]
        port_status = self.deployment.port_agent.status
        queue_before, _, cpu = at.observe(port_status)
        flows = [
            flow
            for size, job in jobs
            for flow in turns.flows_of(
                load, size, job.report(timeout_seconds=ANSWER_SECONDS + 10)["flows"], at.stop
            )
        ]
        return turns.Turn(
            load=load,
            mode=mode,
            number=number,
            seconds=JUDGED_SECONDS,
            flows=flows,
            hinted=self.routes.part_with(mode.metrics, at.begin, at.end),
            queue=bottleneck_queue.between(queue_before, port_status()),
            cpu=cpu,
        )

    def revert(self, number, cause):
        """Measure once how soon hints end; number: which round it belongs to."""
        mode = turns.OPENTCP2
        if number == 1 and cause == reversion.CAUSES[0]:
            self._apply(mode)
        measured = reversion.measure(
            *(self.deployment, self.traffic, self.routes, cause, number),
            cycle_seconds=self.options.cycle,
            hinted=mode.metrics,
        )
        self.progress.log(f"  {report.reversion_line(measured)}")
        return measured
