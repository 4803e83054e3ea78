# SPDX-License-Identifier: Apache-2.0
"""Running a sequence of phases with one congestion control under one law, and the results."""

import contextlib
import time
from dataclasses import dataclass, field

from testbed.control import tenancy
from testbed.flooding import bursts
from testbed.flooding.phase_runner import PhaseRunner
from testbed.flooding.phase_sequence import QUIET_SECONDS, WEIGHTS
from testbed.flooding.phases import FLOODING_HOSTS, TCP_HOST
from testbed.measure import notices
from testbed.network import addresses
from testbed.traffic.generators import Traffic


@dataclass
class SequenceResult:
    """The results of a sequence: one congestion control under one law."""

    congestion_control: str
    law: str
    bottleneck_mbps: float
    phases: list
    flows: dict
    delays: list
    unanswered: int
    quiet_probe: dict | None
    notices: dict = field(default_factory=dict)  # how many arrived in band, by link, were refused
    link_fallbacks: list = field(default_factory=list)  # why some did not go in band
    first_attempt: str | None = None  # why it had to be repeated
    # Processors that the lab's own controller took, while "idle" and under "load".
    controller_takes: dict = field(default_factory=dict)

    @property
    def by_name(self):
        """{phase's name: result}."""
        return {result.name: result for result in self.phases}


def run_sequence(deployment, sequence, congestion_control, law, ip_version=4):
    """Run a sequence, over IPv4 or IPv6, on a deployment with the sequence's bottleneck."""
    progress = deployment.progress
    progress.log(f"{congestion_control} under the law '{law}'")
    deployment.sluice.set(law=law, enforcement="off")
    for host in addresses.SENDERS:
        deployment.set_weight(host, 1)
    traffic = Traffic(deployment.network, f"{congestion_control}-{law}", ip_version)
    deployment.laboratory.cleanup.callback(traffic.end)
    traffic.start_measuring()
    journal_before = deployment.sluice.journal_end()
    notices_before = _count_notices(deployment)
    runner = PhaseRunner(
        traffic, deployment.port_agent, sequence.bottleneck_mbps, congestion_control, progress
    )
    own, takes, quiet_probe = deployment.controller.own, {}, None

    def taking(name):
        return own.taking(takes, name) if own else contextlib.nullcontext()

    if sequence.with_bursts:
        with taking("idle"):
            quiet_probe = runner.quiet_probe(QUIET_SECONDS)
    traffic.start_long_lived(TCP_HOST, congestion_control)
    on_entry = _actions_on_entry(deployment, sequence, traffic)
    with taking("load"):
        phases = [
            runner.run(phase, on_entry.get(phase.name, lambda: None)) for phase in sequence.phases
        ]
    flows = traffic.flows()
    delays, unanswered = [], 0
    if sequence.with_bursts:
        progress.log(f"bursts for mark to rate: {bursts.BURSTS_SECONDS} s")
        delays, unanswered = bursts.run(traffic, sequence.bottleneck_mbps, congestion_control)
    traffic.end()
    return SequenceResult(
        congestion_control,
        law,
        sequence.bottleneck_mbps,
        phases,
        flows,
        delays,
        unanswered,
        quiet_probe,
        notices.between(notices_before, _count_notices(deployment)),
        notices.link_fallbacks(deployment.sluice.journal(after=journal_before)),
        controller_takes=takes,
    )


def _count_notices(deployment):
    return notices.count(agent.status() for agent in deployment.host_agents.values())


def _actions_on_entry(deployment, sequence, traffic):
    """{phase's name: what changes at its beginning}."""
    floods = []
    by_name = {phase.name: phase for phase in sequence.phases}

    def flood():
        floods.extend(
            traffic.flood(host, sequence.flood_mbps, start_nanos=time.monotonic_ns())
            for host in FLOODING_HOSTS
        )

    def change_weights():
        for host in addresses.SENDERS:
            if WEIGHTS[host] != 1:  # which all have by now
                deployment.set_weight(host, WEIGHTS[host])

    def guarantee():
        rate_mbps = by_name["guaranteed"].guarantee * sequence.bottleneck_mbps
        document = tenancy.tenant_with([TCP_HOST], guarantee=rate_mbps)
        deployment.sluice.put_tenant(tenancy.tenant_of(TCP_HOST), document)

    def release():
        for job in floods:
            job.end()

    return {
        "flooded": flood,
        "controlled": lambda: deployment.sluice.set(enforcement="on"),
        "weighted": change_weights,
        "guaranteed": guarantee,
        "released": release,
    }
