# SPDX-License-Identifier: Apache-2.0
"""Running phases one after the other, and measuring them."""

import time

from testbed.experiments.tenants import takeover
from testbed.experiments.tenants.phases import RECEIVERS, SETTLING_SECONDS
from testbed.experiments.tenants.results import IntervalResult, PhaseResult
from testbed.measure import bottleneck_queue, shares
from testbed.measure.series import CumulativeSeries, ScaledSeries
from testbed.network import addresses
from testbed.programs import clock
from testbed.system import processors
from testbed.system.errors import LabError
from testbed.traffic.generators import FLOOD_PORT, FRESH_TCP_PORTS

# All programs must be ready when the phase begins; each takes its time to start.
LEAD_NANOS, LEAD_PER_PROGRAM_NANOS = 1_000_000_000, 150_000_000
STATUS_NANOS = 500_000_000  # for all agents together
CURVE_NANOS = 200_000_000


class PhaseRunner:
    """Runs phases of tenants on one Traffic."""

    def __init__(self, deployment, traffic, policies, congestion_control):
        self.deployment = deployment
        self.traffic = traffic
        self.policies = policies
        self.congestion_control = congestion_control
        self.results = []

    def run(self, phase):
        """Run one phase and keep its result."""
        progress = self.deployment.progress
        progress.log(f"phase {phase.name}: {phase.seconds:g} s")
        self.policies.wait_until_released()
        self.policies.apply(phase.tenants)
        self.policies.limit_receiver(phase.receive_ceiling_mbps)
        port = FRESH_TCP_PORTS[len(self.results)]
        programs = sum(sender.connections for sender in phase.senders)
        begin = time.monotonic_ns() + LEAD_NANOS + programs * LEAD_PER_PROGRAM_NANOS
        jobs = {sender.host: self._start(sender, port, begin, phase) for sender in phase.senders}
        if time.monotonic_ns() > begin:
            raise LabError(f"the programs of phase {phase.name} took too long to start")
        clock.sleep_until(begin + int(SETTLING_SECONDS * 1e9))
        cpu_before = processors.cpu_times()
        queue_before = self.deployment.port_agent.status()
        issued = self._change_weights(phase, begin)
        end = begin + int(phase.seconds * 1e9)
        clock.sleep_until(end - STATUS_NANOS)
        agents = self._endpoints_status(phase)
        clock.sleep_until(end)
        cpu = processors.cpu_use(cpu_before, processors.cpu_times())
        queue = bottleneck_queue.between(queue_before, self.deployment.port_agent.status())
        connections = {
            sender.host: [job.report() for job in jobs[sender.host]]
            for sender in phase.senders
            if sender.transport == "tcp"
        }
        frames = self._frames(phase, port)
        self.results.append(
            PhaseResult(
                phase,
                begin,
                intervals=[self._measure(phase, each, frames, begin) for each in phase.intervals],
                cpu=cpu,
                queue=queue,
                curves=_curves(frames, begin, end),
                connections=connections,
                agents=agents,
                changes=takeover.of_changes(phase, issued, frames, end),
                idle_halfway_seconds=takeover.of_idle(
                    phase, frames, begin, end, self.deployment.bottleneck_mbps
                ),
            )
        )
        progress.log(f"  {_in_words(self.results[-1])}")

    def _start(self, sender, port, begin_nanos, phase):
        """The programs of a sender."""
        seconds = sender.idle_after_seconds or phase.seconds
        window = {
            "start_nanos": begin_nanos,
            "stop_nanos": begin_nanos + int(seconds * 1e9),
            "address": addresses.endpoint(sender.receiver).ip,
        }
        if sender.transport == "udp":
            rate = sender.rate_mbps or self.deployment.bottleneck_mbps
            return [self.traffic.flood(sender.host, rate, **window)]
        return [
            self.traffic.tcp(sender.host, port, self.congestion_control, **window)
            for _ in range(sender.connections)
        ]

    def _change_weights(self, phase, begin_nanos):
        """[(change, when the request was sent, when it was answered)]."""
        issued = []
        for change in phase.weight_changes:
            clock.sleep_until(begin_nanos + int(change.after_seconds * 1e9))
            sent = time.monotonic_ns()
            self.policies.change_weight(change.tenant, change.weight)
            issued.append((change, sent, time.monotonic_ns()))
        return issued

    def _endpoints_status(self, phase):
        """{sending or receiving machine: the status of its host's endpoints}."""
        named = [*(sender.host for sender in phase.senders), *RECEIVERS]
        agents = {name: self.deployment.host_agent_of(name) for name in named}
        return {name: agent.status()["endpoints"] for name, agent in agents.items()}

    def _frames(self, phase, port):
        """{host: frame bytes that arrived of all that it sent}."""
        flows = {receiver: self.traffic.flows(receiver) for receiver in RECEIVERS}
        found = {}
        for sender in phase.senders:
            flow_port = port if sender.transport == "tcp" else FLOOD_PORT
            ip = addresses.endpoint(sender.host).ip
            flow = f"{sender.transport}/{ip}/{flow_port}"
            series = flows[sender.receiver].get(flow, CumulativeSeries([(0, 0)]))
            found[sender.host] = ScaledSeries(series, 1 / shares.PAYLOAD_FRACTION[sender.transport])
        return found

    def _measure(self, phase, interval, frames, begin_nanos):
        begin = begin_nanos + int(interval.begin_seconds * 1e9)
        end = begin_nanos + int(interval.end_seconds * 1e9)
        active = [s.host for senders in phase.active_senders(interval).values() for s in senders]
        capacity = self.deployment.bottleneck_mbps
        return IntervalResult(
            interval,
            rates_mbps={host: frames[host].mbps(begin, end) for host in active},
            expected_mbps=phase.expected_mbps(interval, capacity),
            utilisation=self.traffic.link().mbps(begin, end) / phase.shared_mbps(capacity),
        )


def _curves(frames, begin, end):
    return {
        host: [
            ((instant - begin) / 1e9, rate)
            for instant, rate in series.binned_mbps(begin, end, CURVE_NANOS)
        ]
        for host, series in frames.items()
    }


def _in_words(result):
    words = []
    for interval in result.intervals:
        active = result.phase.active_senders(interval.interval)
        parts = ", ".join(
            f"{tenant.name} {interval.ratio([s.host for s in senders]):.0%}"
            for tenant, senders in active.items()
        )
        words.append(f"{interval.interval.name} {parts}".strip())
    for change in result.changes:
        late = "never" if change.halfway_seconds is None else f"{change.halfway_seconds * 1e3:.0f}"
        words.append(f"weight {change.change.weight:g}: {late} ms")
    return "; ".join(words) + f" ({result.cpu})"
