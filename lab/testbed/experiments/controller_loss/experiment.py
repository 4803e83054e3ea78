# SPDX-License-Identifier: Apache-2.0
"""`lab/run controller-loss`: the controller dies for 20 s and returns, by law."""

import time
from pathlib import Path

from testbed.control.laws import SDN_GCC, SLUICE
from testbed.deployment import startup
from testbed.deployment.deployment import Deployment
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.controller_loss import criteria, shares_plot
from testbed.experiments.controller_loss.absence import Absence, Instants, parts_by_second
from testbed.measure.series import CumulativeSeries
from testbed.network import addresses
from testbed.network.controller_access import free_ports
from testbed.options import common
from testbed.options.command import Command
from testbed.report import documents
from testbed.report.expectations import EXIT_STATUS, LEAST_IDLE_SHARE, verdict, worst
from testbed.report.processor_log import ProcessorLog
from testbed.system import polling, processors
from testbed.system.progress import Progress
from testbed.traffic.generators import FLOOD_PORT, FRESH_TCP_PORTS, Traffic

EXPERIMENT = "controller-loss"
LAWS = (SLUICE, SDN_GCC)
BOTTLENECK_MBPS = 50
TCP_HOST, FLOODING_HOSTS, NEWCOMER = "h1", ("h2", "h3"), "h4"
BEFORE_SECONDS, JOIN_SECONDS, AWAY_SECONDS, AFTER_SECONDS = 8, 8, 20, 10
SETTLE_SECONDS = 3
BACK_WITHIN_SECONDS = 120
SET_UP_SECONDS, TEAR_DOWN_SECONDS = 75, 15
LAW_SECONDS = SETTLE_SECONDS + BEFORE_SECONDS + AWAY_SECONDS + 30 + AFTER_SECONDS


def add_options(command):
    """Declare the options."""
    common.own_deployment(command)
    common.congestion_control(command)


def run(options):
    """Run the experiment; returns the exit status."""
    startup.require_own_controller(options, "kills its controller")
    progress = Progress(SET_UP_SECONDS + LAW_SECONDS * len(LAWS) + TEAR_DOWN_SECONDS)
    laboratory = Laboratory(EXPERIMENT, progress)
    with laboratory:
        own = startup.own_controller(laboratory, options)
        progress.log(f"starting {own.title}")
        deployment = Deployment(laboratory, own.start(), options, BOTTLENECK_MBPS)
        deployment.bring_up(free_ports(1)[0])
        controller = deployment.controller
        absences = []
        for number, law in enumerate(LAWS):
            progress.expect(LAW_SECONDS * (len(LAWS) - number) + TEAR_DOWN_SECONDS)
            absences.append(_run_law(deployment, own, law, options.cc))
    return _conclude(absences, options, controller, laboratory.leftovers)


def _run_law(deployment, own, law, congestion_control):
    progress = deployment.progress
    progress.log(f"law '{law}'")
    deployment.sluice.set(law=law, enforcement="on")
    traffic = Traffic(deployment.network, f"loss-{law}")
    deployment.laboratory.cleanup.callback(traffic.end)
    traffic.start_measuring()
    now = time.monotonic_ns()
    for host in FLOODING_HOSTS:
        traffic.flood(host, BOTTLENECK_MBPS, start_nanos=now)
    traffic.tcp(
        *(TCP_HOST, FRESH_TCP_PORTS[0], congestion_control),
        start_nanos=now,
        stop_nanos=traffic.horizon_nanos,
    )
    time.sleep(SETTLE_SECONDS)
    begin, cpu_before = time.monotonic_ns(), processors.cpu_times()
    processor_log = ProcessorLog()
    deployment.laboratory.cleanup.callback(processor_log.stop)
    time.sleep(BEFORE_SECONDS)
    progress.log(f"killing {own.title}")
    killed = time.monotonic_ns()
    own.kill()
    _sleep_until(killed, JOIN_SECONDS)
    progress.log(f"{NEWCOMER} joins")
    joined = time.monotonic_ns()
    traffic.flood(NEWCOMER, BOTTLENECK_MBPS, start_nanos=joined)
    _sleep_until(killed, AWAY_SECONDS)
    progress.log(f"starting {own.title} again")
    restarted = time.monotonic_ns()
    cpu = processors.cpu_use(cpu_before, processors.cpu_times())
    own.start(keeps_rules=True)
    deployment.wait_for_switches()
    polling.until(
        lambda: _are_connected(deployment),
        "all agents to be connected again",
        timeout_seconds=BACK_WITHIN_SECONDS,
    )
    connected = time.monotonic_ns()
    progress.log(f"all agents are connected, {(connected - killed) / 1e9:.0f} s after the kill")
    time.sleep(AFTER_SECONDS)
    end = time.monotonic_ns()
    processor_log.stop()
    flows = traffic.flows()
    traffic.end()
    instants = Instants(begin, killed, joined, restarted, connected, end)
    before = 1 + len(FLOODING_HOSTS)
    nothing = CumulativeSeries([(0, 0)])
    tcp = flows.get(f"tcp/{addresses.endpoint(TCP_HOST).ip}/{FRESH_TCP_PORTS[0]}", nothing)
    newcomer = flows.get(f"udp/{addresses.endpoint(NEWCOMER).ip}/{FLOOD_PORT}", nothing)
    return Absence(
        law,
        instants,
        parts_by_second(tcp, "tcp", instants, BOTTLENECK_MBPS, before),
        [
            (second, part)
            for second, part in parts_by_second(newcomer, "udp", instants, BOTTLENECK_MBPS, before)
            if instants.begin + second * 1e9 >= joined
        ],
        processor_log.busy_seconds(begin, end),
        cpu,
    )


def _sleep_until(since_nanos, seconds):
    time.sleep(max(0, since_nanos / 1e9 + seconds - time.monotonic_ns() / 1e9))


def _are_connected(deployment):
    return all(
        any(each["connected"] for each in agent.status()["controllers"])
        for agent in deployment.host_agents.values()
    )


def _conclude(absences, options, controller, leftovers):
    judged = {absence.law: criteria.judge(absence) for absence in absences}
    verdicts = [verdict(judged[each.law][0], leftovers, each.cpu) for each in absences]
    expectations = [one for expected, _ in judged.values() for one in expected]
    aims = [one for _, aimed in judged.values() for one in aimed]
    document = {
        "experiment": EXPERIMENT,
        "controller": controller.as_json(),
        "congestionControl": options.cc,
        "bottleneckMbps": BOTTLENECK_MBPS,
        "laws": [_law(absence) for absence in absences],
        "expectations": [one.as_json() for one in expectations],
        "aims": [one.as_json() for one in aims],
        "leftovers": leftovers,
        "verdict": worst(verdicts),
    }
    plot = Path(options.out) / f"{EXPERIMENT}.png"
    shares_plot.draw(absences, plot)
    for absence in absences:
        print(
            f"{absence.law}: {absence.cpu} until the controller started again; not judged, as under"
            f" {LEAST_IDLE_SHARE:.0%} was idle: {len(absence.busy)} seconds"
        )
    busiest = min((absence.cpu for absence in absences), key=lambda cpu: cpu.idle)
    documents.conclude(document, expectations, options.out, options.json, aims, cpu=busiest)
    print(f"plot:    {plot}")
    return EXIT_STATUS[document["verdict"]]


def _law(absence):
    at = absence.instants
    return {
        "law": absence.law,
        **absence.cpu.as_json(),
        "busySeconds": sorted(absence.busy),
        "secondsOf": {
            name: round((instant - at.begin) / 1e9, 1)
            for name, instant in (
                ("kill", at.killed),
                ("newcomer", at.joined),
                ("restart", at.restarted),
                ("connected", at.connected),
            )
        },
        "tcpOfItsShare": [[second, round(part, 3)] for second, part in absence.tcp],
        "newcomerOfItsShare": [[second, round(part, 3)] for second, part in absence.newcomer],
    }


COMMAND = Command(
    EXPERIMENT,
    "shares while the controller is dead for 20 s and after its return, by law",
    add_options,
    run,
)
