# SPDX-License-Identifier: Apache-2.0
"""`lab/run dumbbell --law hygenicc`: no enforcement, then HyGenICC in the agents; no controller."""

import time
from pathlib import Path

from testbed.control import agent_process, agents
from testbed.control.laws import HYGENICC
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.dumbbell import criteria, goodput_plot, phase_report
from testbed.experiments.dumbbell.phase_runner import PhaseRunner
from testbed.experiments.dumbbell.phases import FLOODING_HOSTS, TCP_HOST, Phase, mean_cpu_use
from testbed.network import addresses
from testbed.system.errors import LabError
from testbed.system.progress import Progress
from testbed.traffic.generators import Traffic

EXPERIMENT = "dumbbell-hygenicc"
BOTTLENECK_MBPS = 50
FLOODED_SECONDS, CONTROLLED_SECONDS, RELEASED_SECONDS = 8, 20, 8
SET_UP_SECONDS = 25
FEEDBACKS = BIT, PACKET = "bit", "packet"


def run(options):
    """Run the experiment; returns the exit status."""
    refuse_controller(options)
    agent_process.require_binary()
    seconds = FLOODED_SECONDS + CONTROLLED_SECONDS + RELEASED_SECONDS + SET_UP_SECONDS
    progress = Progress(expected_seconds=seconds)
    laboratory = Laboratory(EXPERIMENT, progress)
    with laboratory:
        network = laboratory.network
        laboratory.start_switches([])
        network.forward_statically()
        (wire,) = network.wires
        port = laboratory.start_agent(agents.port_agent(network, wire, BOTTLENECK_MBPS))
        hosts = {host: _agent(network, host, options) for host in addresses.HOSTS}
        for agent in hosts.values():
            laboratory.start_agent(agent)
        traffic = Traffic(network, ip_version=options.ip)
        laboratory.cleanup.callback(traffic.end)
        traffic.start_measuring()
        runner = PhaseRunner(traffic, port, BOTTLENECK_MBPS, options.cc, progress)
        traffic.start_long_lived(TCP_HOST, options.cc)
        phases = _run_phases(runner, traffic, hosts)
        returned = marks_returned([agent.status() for agent in hosts.values()])
        flows = traffic.flows()
    report = phase_report.PhaseReport(
        experiment=EXPERIMENT,
        bottleneck_mbps=BOTTLENECK_MBPS,
        onos_version=None,
        cpu=mean_cpu_use(phases),
        phases=phases,
        expectations=criteria.hygenicc(*phases, options.cc, returned),
        leftovers=laboratory.leftovers,
        further={"law": HYGENICC, "feedback": options.feedback, "marks": returned},
    )
    print(
        f"\nmarks that reached receivers: {returned['arrived']}, came back: {returned['returned']},"
        f" by reserved bits: {returned['byBit']}"
    )
    plot = Path(options.out) / f"{EXPERIMENT}.png"
    goodput_plot.goodput_over_time(
        *(phases, flows, BOTTLENECK_MBPS),
        f"One TCP ({options.cc}) against three UDP floods: no enforcement, then HyGenICC",
        plot,
    )
    return phase_report.conclude(report, options.out, options.json, plot)


def refuse_controller(options):
    """LabError for options that need a controller."""
    if options.onos or options.installed or options.keep or options.matrix or options.short:
        raise LabError(
            "--law hygenicc runs without a controller and in one sequence of its own:"
            " leave out --onos, --installed, --keep, --matrix and --short"
        )


def _agent(network, host, options):
    agent = agents.host_agent(network, host, BOTTLENECK_MBPS, endpoints_source=options.endpoints)
    agent.reconfigure(
        {"law": HYGENICC, "hygenicc": {"feedback": options.feedback}, "enforcement": "off"}
    )
    return agent


def _run_phases(runner, traffic, hosts):
    floods = []

    def flood():
        floods.extend(
            traffic.flood(host, BOTTLENECK_MBPS, start_nanos=time.monotonic_ns())
            for host in FLOODING_HOSTS
        )

    def enforce():
        # The receiver's first: marks are counted from then on.
        for host in (addresses.RECEIVER, *addresses.SENDERS):
            hosts[host].stop()
            hosts[host].reconfigure({"enforcement": "on"})
            hosts[host].start()

    def release():
        for job in floods:
            job.end()

    flooded = runner.run(Phase("flooded", FLOODED_SECONDS, flooding=True), flood)
    enforce()
    return [
        flooded,
        runner.run(Phase("controlled", CONTROLLED_SECONDS, flooding=True)),
        runner.run(Phase("released", RELEASED_SECONDS, flooding=False), release),
    ]


def marks_returned(statuses):
    """How many marks arrived at receiving hosts and came back to sending ones.

    statuses: of all hosts' agents.
    """
    pairs = [pair for status in statuses for pair in status["pairs"]]
    return {
        "arrived": sum(pair["cePackets"] for pair in pairs),
        "returned": sum(pair["returnedMarks"] for pair in pairs),
        "byBit": sum(pair["reflectedMarks"] for pair in pairs),
    }
