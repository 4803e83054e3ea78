# SPDX-License-Identifier: Apache-2.0
"""Running one turn: who sends, how the queue marks, and what comes of it."""

import itertools

from testbed.control import agents
from testbed.deployment import marked_tcp
from testbed.experiments.dadctcp import report, turns
from testbed.measure import bottleneck_queue
from testbed.network.direct_cable import RECEIVER, SENDER
from testbed.network.shaped_cable import PORT_ID
from testbed.system.errors import LabError
from testbed.traffic.generators import FRESH_TCP_PORTS
from testbed.turns.runner import TurnRunner
from testbed.turns.timetable import Timetable

START_SECONDS, SETTLING_SECONDS, JUDGED_SECONDS, ANSWER_SECONDS = 0.4, 0.8, 3.0, 0.1
TURN_SECONDS = START_SECONDS + SETTLING_SECONDS + JUDGED_SECONDS + 0.7
REQUEST_MILLIS = 3.0
UPLINK_MBPS = 1000  # more than the queue sends


class DaDctcpRunner(TurnRunner):
    """Runs turns one after the other, each on a port of its own."""

    line = staticmethod(report.line)

    def __init__(self, laboratory, capacity_mbps, threshold, slope):
        network = laboratory.network
        self.marking = {False: agents.marks_above(threshold), True: agents.marks_by_slope(slope)}
        self.port_agent = agents.port_agent_of(
            network.lab_run, network.wire, PORT_ID, capacity_mbps
        )
        self.by_slope = False
        laboratory.start_agent(self.port_agent)
        self.agent = agents.host_agent(network, SENDER, UPLINK_MBPS)
        controls = [mode.congestion_control for mode in turns.MODES if mode.takes_marks]
        self.agent.reconfigure(
            {
                "enforcement": "off",
                "ecn": "preserve",
                "congestionQueueBoundMicros": agents.queue_bound_micros(slope, capacity_mbps),
                **marked_tcp.settings(network.machines[RECEIVER], controls),
            }
        )
        laboratory.start_agent(self.agent)
        self._require(controls)
        super().__init__(laboratory, receivers=[RECEIVER])
        self.forget_paths()
        self.traffic.start_measuring()
        self.ports = itertools.cycle(FRESH_TCP_PORTS)

    def controls(self):
        """What the agent counts for each congestion control."""
        return self.agent.status()["congestion"]["controls"]

    def _require(self, controls):
        found = self.agent.status()["congestion"]
        if [each["name"] for each in found["controls"]] != controls or not found["chosen"]:
            raise LabError(f"congestion controls: {'; '.join(found['conditions'])}")

    def run(self, number, mode, flows):
        """Run one turn; number: which repetition it belongs to."""
        self._mark(mode.by_slope)
        at = Timetable.from_now(
            SETTLING_SECONDS, JUDGED_SECONDS, ANSWER_SECONDS, lead_seconds=START_SECONDS
        )
        judged = at.judged_from, at.end
        senders = self.traffic.greedy_tcp(
            *(SENDER, next(self.ports), mode.congestion_control, flows),
            start_nanos=at.begin,
            judged=judged,
            stop_nanos=at.stop,
        )
        requests = self.traffic.probe(SENDER, *judged, REQUEST_MILLIS)
        queue_before, queue_after, cpu = at.observe(self.port_agent.status)
        answers = requests.report()
        return turns.Turn(
            mode=mode,
            flows=flows,
            number=number,
            connections=senders.report()["connections"],
            round_trip_millis=[millis for _, millis in answers["samples"]],
            lost_requests=answers["requests"] - len(answers["samples"]),
            queue=bottleneck_queue.between(queue_before, queue_after),
            seconds=JUDGED_SECONDS,
            cpu=cpu,
        )

    def _mark(self, by_slope):
        """Have the queue mark so; its agent reads that when it starts."""
        if by_slope == self.by_slope:
            return
        self.port_agent.stop()
        self.port_agent.reconfigure(self.marking[by_slope])
        self.port_agent.start()
        self.by_slope = by_slope
