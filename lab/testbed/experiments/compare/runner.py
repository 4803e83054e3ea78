# SPDX-License-Identifier: Apache-2.0
"""One system's turn: the traffic that all of them get, and what is measured."""

import json
import time

from testbed.control import agents
from testbed.deployment import marked_tcp
from testbed.experiments.compare import report, systems, turns
from testbed.experiments.compare.turns import (
    AGENTS,
    DEADLINE_EVERY_MILLIS,
    DEADLINES,
    DUE_MILLIS,
    JUDGED_SECONDS,
    SWITCHES,
)
from testbed.measure import bottleneck_queue, control_traffic, shares
from testbed.measure.request_times import request_times
from testbed.measure.transfers import took_millis
from testbed.traffic.generators import FRESH_TCP_PORTS, TRANSFER_PORTS
from testbed.turns.runner import TurnRunner
from testbed.turns.timetable import Timetable

TCP_HOST, FLOODING_HOSTS, SHORT_HOST, DEADLINE_HOST = "h1", ("h2", "h3", "h4"), "h5", "h6"
RECEIVER = "h7"
GREEDY_TENANTS = 1 + len(FLOODING_HOSTS)
SHORT_BYTES, SHORT_PER_SECOND = 10_000, 10
DEADLINE_BYTES_PER_MBPS = 10_000  # of the port: a tenth of what it carries within the deadline
LEAD_SECONDS, SETTLING_SECONDS, ANSWER_SECONDS = 0.5, 4, 2
RESTART_SECONDS = 10
TURN_SECONDS = RESTART_SECONDS + SETTLING_SECONDS + JUDGED_SECONDS + ANSWER_SECONDS
REGISTERED_BEFORE_NANOS = 200_000_000


class CompareRunner(TurnRunner):
    """Runs turns one after the other, each on ports of its own."""

    line = staticmethod(report.line)

    def __init__(self, deployment, congestion_control):
        super().__init__(deployment.laboratory, deployment)
        self.congestion_control = congestion_control
        self.traffic.start_measuring()
        self.traffic.receive_transfers()
        self.transfer_ports = iter(TRANSFER_PORTS)
        self.endless_ports = iter(FRESH_TCP_PORTS)
        self.controllers = next(iter(deployment.host_agents.values())).configuration["controllers"]
        self.started_with = None

    def run(self, number, system):
        """Run a system's turn; number: which repetition it belongs to."""
        self.progress.log(f"{system.name}: {SETTLING_SECONDS + JUDGED_SECONDS} s")
        self._configure(system)
        control = system.congestion_control or self.congestion_control
        short_port, endless_port = next(self.transfer_ports), next(self.endless_ports)
        at = Timetable.from_now(SETTLING_SECONDS, JUDGED_SECONDS, ANSWER_SECONDS, LEAD_SECONDS)
        self.traffic.tcp(
            *(TCP_HOST, endless_port, control), start_nanos=at.begin, stop_nanos=at.stop
        )
        for host in FLOODING_HOSTS:
            self.traffic.flood(
                *(host, self.deployment.bottleneck_mbps),
                start_nanos=at.begin,
                stop_nanos=at.end,
            )
        short = self.traffic.short_flows(
            *(SHORT_HOST, short_port, control),
            size_bytes=SHORT_BYTES,
            per_second=SHORT_PER_SECOND,
            seed=number,  # so that all systems get the same flows
            start_nanos=at.judged_from,
            begin_until_nanos=at.end,
            stop_nanos=at.stop,
        )
        due = self._start_deadlines(system, control, at)
        before, after, cpu = at.observe(self._state)
        patience = ANSWER_SECONDS + 10
        millis, unanswered = request_times(short.report(timeout_seconds=patience)["flows"], at.stop)
        transfers = [job.report(timeout_seconds=patience)["transfers"][0] for job in due]
        return turns.Turn(
            mode=system,
            number=number,
            seconds=SETTLING_SECONDS + JUDGED_SECONDS,
            cpu=cpu,
            short_millis=millis,
            unanswered=unanswered,
            **self._rates(endless_port, at, before, after),
            **_deadlines(system, transfers),
        )

    def _configure(self, system):
        """Set the controller, and start those agents anew that are to run otherwise."""
        deployment = self.deployment
        deployment.sluice.set(**systems.PROPERTIES | system.properties)
        host = systems.PLAIN_HOST | system.host
        host["controllers"] = self.controllers if system.has_controller else []
        threshold = agents.mark_threshold_packets(deployment.bottleneck_mbps)
        port = system.port_configuration(threshold)
        loads = system.congestion_control
        if (host, port, loads) != self.started_with:
            slope = agents.slope_thresholds(threshold)
            bound = agents.queue_bound_micros(slope, deployment.bottleneck_mbps)
            deployment.host_agents[TCP_HOST].reconfigure(
                marked_tcp.settings(self.network.machines[RECEIVER], [loads] if loads else [])
                | {"congestionQueueBoundMicros": bound}
            )
            deployment.restart_agents(host, port, with_sessions=system.has_controller)
            self.started_with = (host, port, loads)
        marked_tcp.let_marks_through(deployment, bool(loads))

    def _start_deadlines(self, system, control, at):
        """A transfer every DEADLINE_EVERY_MILLIS, registered right before where that is done."""
        socket = self.deployment.host_agents[DEADLINE_HOST].flow_socket
        size = round(self.deployment.bottleneck_mbps * DEADLINE_BYTES_PER_MBPS)
        jobs = []
        for number in range(DEADLINES):
            start = at.judged_from + number * DEADLINE_EVERY_MILLIS * 1_000_000
            transfer = (next(self.transfer_ports), size, DUE_MILLIS)
            register_by = (socket, start - REGISTERED_BEFORE_NANOS) if system.registers else None
            jobs.append(
                self.traffic.burst(
                    *(DEADLINE_HOST, [transfer], control),
                    register_by=register_by,
                    start_nanos=start,
                    stop_nanos=at.stop,
                )
            )
        return jobs

    def _state(self):
        statuses = [agent.status() for agent in self.deployment.host_agents.values()]
        return {
            "nanos": time.monotonic_ns(),
            "port": self.deployment.port_agent.status(),
            "control": {
                "bytes": management_bytes(self.network),
                "messages": sum(status["feedback"]["sent"] for status in statuses),
            },
        }

    def _rates(self, endless_port, at, before, after):
        judged = at.judged_from, at.end
        mbps = self.deployment.bottleneck_mbps
        endless = self.received([TCP_HOST], endless_port)[TCP_HOST]
        fair = shares.fair_share_mbps(mbps, 1, [1] * GREEDY_TENANTS, "tcp")
        seconds = (after["nanos"] - before["nanos"]) / 1e9
        return {
            "tcp_share": endless.mbps(*judged) / fair,
            "utilisation": self.traffic.link().mbps(*judged) / mbps,
            "queue": bottleneck_queue.between(before["port"], after["port"]),
            "control": control_traffic.between(before["control"], after["control"], seconds),
        }


def _deadlines(system, transfers):
    """How many were in time, how many were promised, and how many of these were late."""
    took = [took_millis(each) for each in transfers]
    in_time = [millis is not None and millis <= DUE_MILLIS for millis in took]
    promised = [bool(each.get("promised")) for each in transfers]
    broken = [promise and not met for promise, met in zip(promised, in_time, strict=True)]
    return {
        "met": sum(in_time),
        "promised": sum(promised) if system.registers else None,
        "broken": sum(broken) if system.registers else None,
    }


def management_bytes(network):
    """Bytes that nodes have sent and received over the management network: {kind: bytes}."""
    links = json.loads(network.management.node.check(["ip", "-s", "-j", "link", "show"]))
    totals = {AGENTS: 0, SWITCHES: 0}
    for link in links:
        node = link["ifname"].removeprefix("to-")
        if node != link["ifname"]:
            both = link["stats64"]["rx"]["bytes"] + link["stats64"]["tx"]["bytes"]
            totals[SWITCHES if node in network.switches else AGENTS] += both
    return totals
