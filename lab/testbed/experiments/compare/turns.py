# SPDX-License-Identifier: Apache-2.0
"""One system's turn: the traffic that all of them get, and what was measured."""

import json
import time
from dataclasses import dataclass

from testbed.control import agents
from testbed.deployment import marked_tcp
from testbed.experiments.compare import systems
from testbed.measure import bottleneck_queue, control_traffic, shares
from testbed.measure.request_times import request_times
from testbed.measure.series import CumulativeSeries
from testbed.network import addresses
from testbed.programs import clock
from testbed.system import processors
from testbed.traffic.generators import FRESH_TCP_PORTS, TRANSFER_PORTS, Traffic

TCP_HOST, FLOODING_HOSTS, SHORT_HOST, DEADLINE_HOST = "h1", ("h2", "h3", "h4"), "h5", "h6"
RECEIVER = "h7"
GREEDY_TENANTS = 1 + len(FLOODING_HOSTS)
SHORT_BYTES, SHORT_PER_SECOND = 10_000, 10
DUE_MILLIS, DEADLINE_EVERY_MILLIS = 800, 1250
DEADLINE_BYTES_PER_MBPS = 10_000  # of the port: a tenth of what it carries within the deadline
SETTLING_SECONDS, JUDGED_SECONDS, ANSWER_SECONDS = 4, 10, 2
DEADLINES = JUDGED_SECONDS * 1000 // DEADLINE_EVERY_MILLIS
REGISTERED_BEFORE_NANOS = 200_000_000
AGENTS, SWITCHES = "agents", "switches"


@dataclass(frozen=True)
class Turn:
    """The measurements of one turn.

    short_millis: of each short flow from its SYN to its last byte; of one that did not end the time
    that it had. promised: None: no deadlines were registered.
    """

    system: systems.System
    tcp_share: float
    utilisation: float
    queue: dict
    short_millis: list
    unanswered: int
    met: int
    promised: int | None
    broken: int | None
    control: dict
    seconds: float
    cpu: processors.CpuUse


class TurnRunner:
    """Runs turns one after the other, each on ports of its own."""

    def __init__(self, deployment, congestion_control):
        self.deployment = deployment
        self.congestion_control = congestion_control
        self.machines = deployment.network.machines
        self.traffic = Traffic(deployment.network, horizon_seconds=3600)
        deployment.laboratory.cleanup.callback(self.traffic.end)
        self.traffic.start_measuring()
        self.traffic.receive_transfers()
        self.transfer_ports = iter(TRANSFER_PORTS)
        self.endless_ports = iter(FRESH_TCP_PORTS)
        self.controllers = next(iter(deployment.host_agents.values())).configuration["controllers"]
        self.started_with = None

    def run(self, system):
        """Run a system's turn."""
        self._configure(system)
        control = system.congestion_control or self.congestion_control
        short_port, endless_port = next(self.transfer_ports), next(self.endless_ports)
        begin = time.monotonic_ns() + 500_000_000
        judged_from = begin + SETTLING_SECONDS * 1_000_000_000
        end = judged_from + JUDGED_SECONDS * 1_000_000_000
        stop = end + ANSWER_SECONDS * 1_000_000_000
        self.traffic.tcp(TCP_HOST, endless_port, control, start_nanos=begin, stop_nanos=stop)
        for host in FLOODING_HOSTS:
            self.traffic.flood(
                host, self.deployment.bottleneck_mbps, start_nanos=begin, stop_nanos=end
            )
        short = self.traffic.short_flows(
            *(SHORT_HOST, short_port, control),
            size_bytes=SHORT_BYTES,
            per_second=SHORT_PER_SECOND,
            seed=1,  # so that all systems get the same flows
            start_nanos=judged_from,
            begin_until_nanos=end,
            stop_nanos=stop,
        )
        due = self._start_deadlines(system, control, judged_from, stop)
        clock.sleep_until(judged_from)
        before = self._state()
        clock.sleep_until(end)
        after = self._state()
        patience = ANSWER_SECONDS + 10
        millis, unanswered = request_times(short.report(timeout_seconds=patience)["flows"], stop)
        transfers = [job.report(timeout_seconds=patience)["transfers"][0] for job in due]
        turn = self._measure(system, endless_port, (judged_from, end), before, after)
        turn = turn | _short(millis, unanswered) | _deadlines(system, transfers)
        return Turn(system=system, seconds=SETTLING_SECONDS + JUDGED_SECONDS, **turn)

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
                marked_tcp.settings(self.machines[RECEIVER], [loads] if loads else [])
                | {"congestionQueueBoundMicros": bound}
            )
            deployment.restart_agents(host, port, with_sessions=system.has_controller)
            self.started_with = (host, port, loads)
        marked_tcp.let_marks_through(deployment, bool(loads))

    def _start_deadlines(self, system, control, judged_from, stop):
        """A transfer every DEADLINE_EVERY_MILLIS, registered right before where that is done."""
        socket = self.deployment.host_agents[DEADLINE_HOST].flow_socket
        size = round(self.deployment.bottleneck_mbps * DEADLINE_BYTES_PER_MBPS)
        jobs = []
        for number in range(DEADLINES):
            start = judged_from + number * DEADLINE_EVERY_MILLIS * 1_000_000
            transfer = (next(self.transfer_ports), size, DUE_MILLIS)
            register_by = (socket, start - REGISTERED_BEFORE_NANOS) if system.registers else None
            jobs.append(
                self.traffic.burst(
                    *(DEADLINE_HOST, [transfer], control),
                    register_by=register_by,
                    start_nanos=start,
                    stop_nanos=stop,
                )
            )
        return jobs

    def _state(self):
        statuses = [agent.status() for agent in self.deployment.host_agents.values()]
        return {
            "nanos": time.monotonic_ns(),
            "cpu": processors.cpu_times(),
            "port": self.deployment.port_agent.status(),
            "control": {
                "bytes": management_bytes(self.deployment.network),
                "messages": sum(status["feedback"]["sent"] for status in statuses),
            },
        }

    def _measure(self, system, endless_port, judged, before, after):
        mbps = self.deployment.bottleneck_mbps
        name = f"tcp/{addresses.endpoint(TCP_HOST).ip}/{endless_port}"
        series = self.traffic.flows().get(name, CumulativeSeries([(0, 0)]))
        fair = shares.fair_share_mbps(mbps, 1, [1] * GREEDY_TENANTS, "tcp")
        seconds = (after["nanos"] - before["nanos"]) / 1e9
        return {
            "tcp_share": series.mbps(*judged) / fair,
            "utilisation": self.traffic.link().mbps(*judged) / mbps,
            "queue": bottleneck_queue.between(before["port"], after["port"]),
            "control": control_traffic.between(before["control"], after["control"], seconds),
            "cpu": processors.cpu_use(before["cpu"], after["cpu"]),
        }


def _short(millis, unanswered):
    return {"short_millis": millis, "unanswered": unanswered}


def _deadlines(system, transfers):
    """How many were in time, how many were promised, and how many of these were late."""
    in_time = [_took_millis(each) <= DUE_MILLIS for each in transfers]
    promised = [bool(each.get("promised")) for each in transfers]
    broken = [promise and not met for promise, met in zip(promised, in_time, strict=True)]
    return {
        "met": sum(in_time),
        "promised": sum(promised) if system.registers else None,
        "broken": sum(broken) if system.registers else None,
    }


def _took_millis(transfer):
    syn, last = transfer["synNanos"], transfer["lastByteNanos"]
    return float("inf") if syn is None or last is None else (last - syn) / 1e6


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
