# SPDX-License-Identifier: Apache-2.0
"""`lab/run dumbbell --manual-rates`: no enforcement, then rates set by hand; no controller."""

import time
from pathlib import Path

from testbed.control import agent_process, agents
from testbed.deployment.laboratory import Laboratory
from testbed.flooding import criteria, goodput_plot, phase_report
from testbed.flooding.phase_runner import PhaseRunner
from testbed.flooding.phases import FLOODING_HOSTS, TCP_HOST, Phase
from testbed.network import addresses
from testbed.network.topology import VM_PORT
from testbed.system import processors
from testbed.system.progress import Progress
from testbed.traffic.generators import Traffic

EXPERIMENT = "dumbbell-manual-rates"
BOTTLENECK_MBPS = 50
PHASE_SECONDS = 8


def run(options):
    """Run the experiment; returns the exit status."""
    agent_process.require_binary()
    progress = Progress(expected_seconds=2 * PHASE_SECONDS + 8)
    phases = []
    laboratory = Laboratory(EXPERIMENT, progress)
    with laboratory:
        network = laboratory.network
        laboratory.start_switches([])
        network.forward_statically()
        (wire,) = network.wires
        port = laboratory.start_agent(agents.port_agent(network, wire, BOTTLENECK_MBPS))
        senders = [
            laboratory.start_agent(agents.host_agent(network, host, BOTTLENECK_MBPS))
            for host in addresses.SENDERS
        ]
        traffic = Traffic(network)
        laboratory.cleanup.callback(traffic.end)
        traffic.start_measuring()
        runner = PhaseRunner(traffic, port, BOTTLENECK_MBPS, options.cc, progress)
        traffic.start_long_lived(TCP_HOST, options.cc)

        def flood():
            for host in FLOODING_HOSTS:
                traffic.flood(host, BOTTLENECK_MBPS, start_nanos=time.monotonic_ns())

        def set_rates():
            for agent in senders:
                agent.limit(VM_PORT, BOTTLENECK_MBPS / len(senders))

        phases.append(runner.run(Phase("flooded", PHASE_SECONDS, flooding=True), flood))
        phases.append(runner.run(Phase("rates set", PHASE_SECONDS, flooding=True), set_rates))
        flows = traffic.flows()
    report = phase_report.PhaseReport(
        experiment=EXPERIMENT,
        bottleneck_mbps=BOTTLENECK_MBPS,
        controller=None,
        cpu=processors.mean_cpu_use(phases),
        phases=phases,
        expectations=criteria.manual_rates(*phases, options.cc),
        leftovers=laboratory.leftovers,
    )
    plot = Path(options.out) / f"{EXPERIMENT}.png"
    goodput_plot.goodput_over_time(
        *(phases, flows, BOTTLENECK_MBPS),
        "One TCP against three UDP floods: no enforcement, then rates set by hand",
        plot,
    )
    return phase_report.conclude(report, options.out, options.json, plot)
