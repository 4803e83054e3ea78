# SPDX-License-Identifier: Apache-2.0
"""`lab/run dumbbell --law hygenicc`: no enforcement, then HyGenICC in the agents.

There is no controller, unless marks go back by the agent link, through Sluice on one.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from testbed.control import agent_process, agents
from testbed.control.laws import HYGENICC
from testbed.deployment import startup
from testbed.deployment.laboratory import Laboratory
from testbed.flooding import criteria, goodput_plot, phase_report
from testbed.flooding.phase_runner import PhaseRunner
from testbed.flooding.phases import FLOODING_HOSTS, TCP_HOST, Phase
from testbed.network import addresses
from testbed.system import polling, processors
from testbed.system.errors import LabError
from testbed.system.progress import Progress
from testbed.traffic.generators import Traffic, wait_until_reached

EXPERIMENT = "dumbbell-hygenicc"
BOTTLENECK_MBPS = 50
FLOODED_SECONDS, CONTROLLED_SECONDS, ORPHANED_SECONDS, RELEASED_SECONDS = 8, 20, 10, 8
SET_UP_SECONDS, BOOT_SECONDS = 25, 60
REACHED_WITHIN_SECONDS = 20
# So many reports of marks a controller passes on before the first phase, in about 12 s: until then
# each takes tens of milliseconds, for a JVM that was just started interprets what passes them on.
WARM_UP_REPORTS = 1500
WARM_UP_SECONDS = 12
FEEDBACKS = BIT, PACKET, LINK = "bit", "packet", "link"
LIMITERS = SHAPE, POLICE = "shape", "police"


@dataclass(frozen=True)
class Bench:
    """What the phases run on: the bottleneck's agent, hosts' agents by host, what enforces.

    relent: ends enforcing; None: no controller is there that would have to be warmed up.
    lose_controller: kills it; None: there is none, or it is not ours.
    """

    port: agent_process.Agent
    hosts: dict
    enforce: Callable
    relent: Callable | None = None
    controller: object = None
    lose_controller: Callable | None = None


def run(options):
    """Run the experiment; returns the exit status."""
    refuse_modes(options)
    is_by_link = options.feedback == LINK
    given = startup.given_controller(options) if is_by_link else None
    agent_process.require_binary()
    seconds = FLOODED_SECONDS + CONTROLLED_SECONDS + RELEASED_SECONDS + SET_UP_SECONDS
    if is_by_link and given is None:
        seconds += ORPHANED_SECONDS + BOOT_SECONDS
    if is_by_link:
        seconds += WARM_UP_SECONDS
    progress = Progress(seconds)
    laboratory = Laboratory(EXPERIMENT, progress)
    with laboratory:
        network = laboratory.network
        bench = (
            _bench_with_controller(laboratory, options, given)
            if is_by_link
            else _bench_without_controller(laboratory, options)
        )
        traffic = Traffic(network, ip_version=options.ip)
        laboratory.cleanup.callback(traffic.end)
        traffic.start_measuring()
        runner = PhaseRunner(traffic, bench.port, BOTTLENECK_MBPS, options.cc, progress)
        if bench.relent is not None:
            progress.log(f"warming up: {WARM_UP_REPORTS} reports of marks by the controller")
            _warm_up(traffic, bench)
        traffic.start_long_lived(TCP_HOST, options.cc)
        phases = _run_phases(runner, traffic, bench)
        returned = marks_returned([agent.status() for agent in bench.hosts.values()])
        flows = traffic.flows()
    report = phase_report.PhaseReport(
        experiment=EXPERIMENT,
        bottleneck_mbps=BOTTLENECK_MBPS,
        controller=bench.controller,
        cpu=processors.mean_cpu_use(phases),
        phases=phases,
        expectations=criteria.hygenicc(phases, options.cc, returned),
        leftovers=laboratory.leftovers,
        further={
            "law": HYGENICC,
            "feedback": options.feedback,
            "limiter": options.limiter,
            "marks": returned,
            **agents.MARKS_BY_BATCH,
        },
    )
    print(
        f"\nmarks that reached receivers: {returned['arrived']}, came back: {returned['returned']},"
        f" by reserved bits: {returned['byBit']}; messages of agents: {returned['messages']},"
        f" passed on by the controller: {returned['relayed']}"
    )
    plot = Path(options.out) / f"{EXPERIMENT}.png"
    goodput_plot.goodput_over_time(
        *(phases, flows, BOTTLENECK_MBPS),
        f"One TCP ({options.cc}) against three UDP floods: no enforcement, then HyGenICC",
        plot,
    )
    return phase_report.conclude(report, options.out, options.json, plot)


def refuse_modes(options):
    """LabError for options that belong to the sequences of other laws."""
    if options.keep or options.matrix or options.short:
        raise LabError(
            "--law hygenicc runs in one sequence of its own: leave out --keep, --matrix and --short"
        )
    if options.feedback != LINK and (options.onos or options.installed):
        raise LabError(
            "--law hygenicc runs without a controller, unless marks go back by the agent link:"
            " leave out --onos and --installed, or add --feedback link"
        )


def _law(options):
    """The part of an agent's configuration that is about the law."""
    return {
        "law": HYGENICC,
        "hygenicc": {"feedback": options.feedback},
        "limiter": options.limiter,
    }


def _bench_without_controller(laboratory, options):
    network = laboratory.network
    laboratory.start_switches([])
    network.forward_statically()
    (wire,) = network.wires
    port_agent = agents.port_agent(network, wire, BOTTLENECK_MBPS)
    port_agent.reconfigure(agents.MARKS_BY_BATCH)
    port = laboratory.start_agent(port_agent)
    hosts = {}
    for host in addresses.HOSTS:
        agent = agents.host_agent(
            network, host, BOTTLENECK_MBPS, endpoints_source=options.endpoints
        )
        agent.reconfigure({**_law(options), "enforcement": "off"})
        hosts[host] = laboratory.start_agent(agent)
    receiver = addresses.endpoint(addresses.RECEIVER).address(options.ip)
    for host in addresses.SENDERS:
        wait_until_reached(network.machines[host], host, receiver, REACHED_WITHIN_SECONDS)

    def enforce():
        # The receiver's first: marks are counted from then on.
        for host in (addresses.RECEIVER, *addresses.SENDERS):
            hosts[host].stop()
            hosts[host].reconfigure({"enforcement": "on"})
            hosts[host].start()

    return Bench(port, hosts, enforce)


def _bench_with_controller(laboratory, options, given):
    own = None if given else startup.own_controller(laboratory, options)
    if own:
        laboratory.progress.log("starting ONOS")
    controller = given or own.start()
    deployment, chosen = startup.deploy(laboratory, options, controller, BOTTLENECK_MBPS)
    deployment.sluice.set(enforcement="off")
    deployment.restart_agents(_law(options), agents.MARKS_BY_BATCH)
    return Bench(
        deployment.port_agent,
        deployment.host_agents,
        lambda: deployment.sluice.set(enforcement="on"),
        lambda: deployment.sluice.set(enforcement="off"),
        chosen,
        own.kill if own else None,
    )


def _warm_up(traffic, bench):
    """Have the controller pass marks on; nothing of it is judged."""
    bench.enforce()
    floods = _flood(traffic)

    def passed_on():
        statuses = [bench.hosts[host].status() for host in FLOODING_HOSTS]
        return sum(status["feedback"]["relayed"] for status in statuses) >= WARM_UP_REPORTS

    polling.until(
        *(passed_on, "the controller to pass marks on"), timeout_seconds=60, interval_seconds=1
    )
    for job in floods:
        job.end()
    bench.relent()


def _flood(traffic):
    now = time.monotonic_ns()
    return [traffic.flood(host, BOTTLENECK_MBPS, start_nanos=now) for host in FLOODING_HOSTS]


def _run_phases(runner, traffic, bench):
    floods = []

    def flood():
        floods.extend(_flood(traffic))

    def release():
        for job in floods:
            job.end()

    flooded = runner.run(Phase("flooded", FLOODED_SECONDS, flooding=True), flood)
    bench.enforce()
    phases = [flooded, runner.run(Phase("controlled", CONTROLLED_SECONDS, flooding=True))]
    if bench.lose_controller is not None:
        orphaned = Phase("orphaned", ORPHANED_SECONDS, flooding=True)
        phases.append(runner.run(orphaned, bench.lose_controller))
    phases.append(runner.run(Phase("released", RELEASED_SECONDS, flooding=False), release))
    return phases


def marks_returned(statuses):
    """How many marks arrived at receiving hosts and came back to sending ones, and in how much.

    statuses: of all hosts' agents.
    """
    pairs = [pair for status in statuses for pair in status["pairs"]]
    return {
        "arrived": sum(pair["cePackets"] for pair in pairs),
        "returned": sum(pair["returnedMarks"] for pair in pairs),
        "byBit": sum(pair["reflectedMarks"] for pair in pairs),
        "messages": sum(status["feedback"]["sent"] for status in statuses),
        "relayed": sum(status["feedback"]["relayed"] for status in statuses),
    }
