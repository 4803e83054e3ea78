# SPDX-License-Identifier: Apache-2.0
"""Running greedy streams stage by stage, and measuring what each of them gets."""

import time

from testbed.experiments.sharing.streams import (
    StageResult,
    StreamResult,
    WireResult,
    parts_of,
    saturated_wires,
)
from testbed.measure import bottleneck_queue, shares
from testbed.network import addresses
from testbed.programs import clock
from testbed.system import processors
from testbed.traffic.generators import FLOOD_PORT, FRESH_TCP_PORTS
from testbed.traffic.timing import FRESH_AFTER_NANOS, SETTLING_NANOS

STATUS_SECONDS = 0.5  # for all agents together


class StageRunner:
    """Runs stages one after the other.

    placement: an object whose observe() returns {stream: names of the wires that carry it now}.
    flood_mbps: the offered rate of every UDP stream.
    """

    def __init__(self, deployment, traffic, streams, placement, congestion_control, flood_mbps):
        self.deployment = deployment
        self.traffic = traffic
        self.streams = streams
        self.placement = placement
        self.congestion_control = congestion_control
        self.flood_mbps = flood_mbps
        self.capacities_mbps = {
            link.name: link.capacity_mbps or deployment.bottleneck_mbps
            for link in deployment.network.wires
        }
        self.results = []
        self.floods = []

    def run(self, stage):
        """Run one stage and keep its result."""
        self.deployment.progress.log(f"phase {stage.name}: {stage.seconds:g} s")
        begin = time.monotonic_ns()
        end = begin + int(stage.seconds * 1e9)
        cpu_before = processors.cpu_times()
        port = FRESH_TCP_PORTS[len(self.results)]
        connections = {
            stream: self._connect(stream, port, begin + FRESH_AFTER_NANOS, end)
            for stream in self.streams
            if stream.transport == "tcp"
        }
        self._flood()
        self._configure(stage)
        clock.sleep_until(begin + SETTLING_NANOS)
        port_agents = self.deployment.port_agents.items()
        queues_before = {link: agent.status() for link, agent in port_agents}
        wires_before = self.placement.observe()
        clock.sleep_until(end - int((self.placement.seconds + STATUS_SECONDS) * 1e9))
        agents = self._endpoints_status()
        wires_after = self.placement.observe()
        clock.sleep_until(end)
        cpu = processors.cpu_use(cpu_before, processors.cpu_times())
        queues = {
            link.name: bottleneck_queue.between(queues_before[link], agent.status())
            for link, agent in port_agents
        }
        reports = {stream: job.report() for stream, job in connections.items()}
        streams = [
            StreamResult(
                *(stream, wires_after.get(stream) or wires_before.get(stream) or frozenset()),
                self._rate(stream, port, begin + SETTLING_NANOS, end),
                reports.get(stream),
            )
            for stream in self.streams
        ]
        parts = parts_of(
            [each for each in streams if each.wires], stage.weights, self.capacities_mbps
        )
        result = StageResult(
            stage,
            streams,
            parts,
            wires=self._wire_results(parts, queues, begin + SETTLING_NANOS, end),
            cpu=cpu,
            moved=self._moved(wires_before, wires_after),
            unplaced=[each.stream.name for each in streams if not each.wires],
            agents=agents,
        )
        self.results.append(result)
        ratios = ", ".join(f"{part.name} {part.share:.0%}" for part in parts)
        self.deployment.progress.log(f"  of the expected share: {ratios}")

    def _connect(self, stream, port, start_nanos, stop_nanos):
        return self.traffic.tcp(
            *(stream.source, port, self.congestion_control),
            start_nanos=start_nanos,
            stop_nanos=stop_nanos,
            address=addresses.endpoint(stream.target).ip,
        )

    def _flood(self):
        """Start the floods, once: they continue from stage to stage."""
        if self.floods:
            return
        self.floods = [
            self.traffic.flood(
                stream.source,
                self.flood_mbps,
                start_nanos=time.monotonic_ns(),
                address=addresses.endpoint(stream.target).ip,
            )
            for stream in self.streams
            if stream.transport == "udp"
        ]

    def _configure(self, stage):
        for host in {stream.source for stream in self.streams}:
            self.deployment.set_weight(host, stage.weights.get(host, 1))
        self.deployment.sluice.set(enforcement="on" if stage.enforced else "off")

    def _endpoints_status(self):
        """{sending host: its endpoints' status}."""
        return {
            host: self.deployment.host_agents[host].status()["endpoints"]
            for host in dict.fromkeys(stream.source for stream in self.streams)
            if host in self.deployment.host_agents
        }

    def _wire_results(self, parts, queues, begin_nanos, end_nanos):
        full = saturated_wires(parts, self.capacities_mbps)
        return [
            WireResult(
                link.name,
                self.capacities_mbps[link.name],
                utilisation=self.traffic.link(link).mbps(begin_nanos, end_nanos)
                / self.capacities_mbps[link.name],
                is_saturated=link.name in full,
                queue=queues[link.name],
            )
            for link in self.deployment.port_agents
        ]

    def _moved(self, wires_before, wires_after):
        """Names of the streams that were observed twice, over different wires."""
        return [
            stream.name
            for stream in self.streams
            if stream in wires_before
            and stream in wires_after
            and wires_before[stream] != wires_after[stream]
        ]

    def _series(self, stream, port):
        """The payload bytes of a stream at its receiver, so far; None before the first."""
        flow_port = port if stream.transport == "tcp" else FLOOD_PORT
        name = f"{stream.transport}/{addresses.endpoint(stream.source).ip}/{flow_port}"
        return self.traffic.flows(stream.target).get(name)

    def _rate(self, stream, port, begin_nanos, end_nanos):
        series = self._series(stream, port)
        goodput = series.mbps(begin_nanos, end_nanos) if series else 0.0
        return goodput / shares.PAYLOAD_FRACTION[stream.transport]
