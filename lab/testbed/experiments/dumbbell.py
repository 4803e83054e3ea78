# SPDX-License-Identifier: Apache-2.0
"""`lab/run dumbbell`: one TCP tenant, rescued from three UDP floods by Sluice on ONOS."""

import itertools
import json
import time
from dataclasses import dataclass
from pathlib import Path

from testbed import (
    addresses,
    agents,
    controller,
    criteria,
    marktorate,
    matrix,
    phases,
    plot,
    report,
)
from testbed.expectations import verdict
from testbed.laboratory import Laboratory
from testbed.phases import FLOODING_HOSTS, TCP_HOST, Phase, PhaseRunner
from testbed.progress import Progress
from testbed.site import Site
from testbed.traffic import Traffic

EXPERIMENT = "dumbbell"
BOTTLENECK_MBPS = 50
WEIGHTS = {"h1": 2, "h2": 1, "h3": 1, "h4": 1}
ALL_PHASES = (
    Phase("alone", 8, flooding=False),
    Phase("flooded", 8, flooding=True),
    Phase("controlled", 10, flooding=True),
    Phase("weighted", 10, flooding=True, weights=WEIGHTS),
    Phase("released", 8, flooding=False, weights=WEIGHTS),
)
SHORT_PHASES = (Phase("flooded", 6, flooding=True), Phase("controlled", 8, flooding=True))
QUIET_SECONDS = 3
PULSE_SECONDS = 10
PULSE_ON_MILLIS, PULSE_OFF_MILLIS = 250, 400
BOOT_SECONDS, SET_UP_SECONDS, TEAR_DOWN_SECONDS = 60, 25, 10


@dataclass
class Case:
    """One congestion control under one law, and what came of it."""

    congestion_control: str
    law: str
    results: list
    flows: dict
    delays: list
    unanswered: int
    quiet_probe: dict | None
    attempt: int = 1


def run(options):
    """Run the experiment (or the whole matrix); returns the exit status."""
    agents.require_binary()
    if not options.installed:
        controller.require_archive(options.oar)
    wanted = [(options.cc, options.law)]
    if options.matrix:
        wanted = list(itertools.product(("reno", "cubic", "bbr"), ("sluice", "paper")))
    plan = SHORT_PHASES if options.short else ALL_PHASES
    case_seconds = sum(phase.seconds for phase in plan) + 4
    if not options.short:
        case_seconds += QUIET_SECONDS + PULSE_SECONDS
    is_foreign = controller.locate(options) is not None
    before_seconds = SET_UP_SECONDS + (0 if is_foreign else BOOT_SECONDS)
    progress = Progress(before_seconds + case_seconds * len(wanted) + TEAR_DOWN_SECONDS)
    given = controller.foreign(options) if is_foreign else None
    laboratory = Laboratory(EXPERIMENT, progress)
    cases = []
    with laboratory:
        site, chosen = open_site(laboratory, options, given)
        for number, (congestion_control, law) in enumerate(wanted):
            remaining = case_seconds * (len(wanted) - number) + TEAR_DOWN_SECONDS
            progress.expect(remaining)
            case = run_case(site, plan, congestion_control, law)
            if options.short and _verdict_so_far(case) != "pass":
                progress.expect(remaining)
                progress.say("the direction is not clear: repeating once")
                case = run_case(site, plan, congestion_control, law)
                case.attempt = 2
            cases.append(case)
        if options.keep:
            laboratory.keep()
    cells = [_conclude(case, options, chosen.version, laboratory.leftovers) for case in cases]
    if options.matrix:
        _conclude_matrix(cells, options, laboratory.leftovers)
    if laboratory.kept:
        print(what_is_up(site))
    return matrix.status(cells)


def open_site(laboratory, options, given):
    """The dumbbell under Sluice on a given controller or (None) the lab's: (Site, Controller)."""
    chosen = given
    if given is None:
        laboratory.progress.say("starting ONOS")
        lab_onos = controller.LabOnos(
            laboratory.lab_run, laboratory.network.management.controller_address
        )
        laboratory.cleanup.callback(lab_onos.stop_if_started)
        chosen = lab_onos.start()
    laboratory.progress.say(f"ONOS {chosen.version} at {chosen.onos.url}")
    site = Site(laboratory, chosen, options, BOTTLENECK_MBPS)
    site.bring_up(controller.free_ports(1)[0])
    return site, chosen


def run_case(site, plan, congestion_control, law):
    """Run all phases of a plan, and the pulses after a full one."""
    site.progress.say(f"{congestion_control} under the law '{law}'")
    site.sluice.set(law=law, enforcement="off")
    for host in addresses.SENDERS:
        site.set_weight(host, 1)
    traffic = Traffic(site.network, f"{congestion_control}-{law}")
    site.laboratory.cleanup.callback(traffic.end)
    traffic.start_measuring()
    runner = PhaseRunner(
        traffic, site.port_agent, BOTTLENECK_MBPS, congestion_control, site.progress
    )
    quiet_probe = runner.quiet_probe(QUIET_SECONDS) if plan is ALL_PHASES else None
    traffic.start_long_lived(TCP_HOST, congestion_control)
    floods = []

    def flood():
        floods.extend(
            traffic.flood(host, BOTTLENECK_MBPS, start_nanos=time.monotonic_ns())
            for host in FLOODING_HOSTS
        )

    def change_weights():
        for host, weight in WEIGHTS.items():
            site.set_weight(host, weight)

    def release():
        for job in floods:
            job.end()

    enter = {
        "flooded": flood,
        "controlled": lambda: site.sluice.set(enforcement="on"),
        "weighted": change_weights,
        "released": release,
    }
    results = [runner.run(phase, enter.get(phase.name, lambda: None)) for phase in plan]
    flows = traffic.flows()
    delays, unanswered = [], 0
    if plan is ALL_PHASES:
        delays, unanswered = _pulses(site, traffic, congestion_control)
    traffic.end()
    return Case(congestion_control, law, results, flows, delays, unanswered, quiet_probe)


def _pulses(site, traffic, congestion_control):
    """Bursts of UDP into a link that TCP fills: every burst gives a first mark to answer."""
    site.progress.say(f"bursts for mark to rate: {PULSE_SECONDS} s")
    begin = time.monotonic_ns() + 500_000_000
    end = begin + PULSE_SECONDS * 1_000_000_000
    background = traffic.tcp(
        *(TCP_HOST, phases.FRESH_TCP_PORTS[-1], congestion_control),
        start_nanos=begin,
        stop_nanos=end,
    )
    for number, host in enumerate(FLOODING_HOSTS, start=1):
        traffic.flood(
            *(host, BOTTLENECK_MBPS),
            start_nanos=begin + 1_000_000_000 + number * 210_000_000,
            stop_nanos=end,
            on_millis=PULSE_ON_MILLIS,
            off_millis=PULSE_OFF_MILLIS,
        )
    background.report(timeout_seconds=PULSE_SECONDS + 10)
    return marks_answered(site.network.lab_run.directory, begin, end)


def marks_answered(directory, begin_nanos, end_nanos):
    """Delays in milliseconds from first marks within a window to the changed class."""
    receiver_trace = marktorate.read_trace(directory / f"trace-{addresses.RECEIVER}.jsonl")
    first_marks = [
        (event["tNanos"], event["source"])
        for event in receiver_trace
        if event["event"] == "first-ce" and begin_nanos <= event["tNanos"] <= end_nanos
    ]
    class_changes = {
        addresses.endpoint(host).ip: [
            event["tNanos"]
            for event in marktorate.read_trace(directory / f"trace-{host}.jsonl")
            if event["event"] == "class-change"
        ]
        for host in addresses.SENDERS
    }
    return marktorate.delays_millis(first_marks, class_changes)


def _by_name(case):
    return {result.name: result for result in case.results}


def _verdict_so_far(case):
    """The short plan's verdict before anything was removed."""
    judged = criteria.short(_by_name(case), case.law)
    return verdict(judged, [], phases.mean_cpu_idle(case.results))


def _conclude(case, options, onos_version, leftovers):
    """Judge, print and write one case; returns it as a cell of the matrix."""
    out = Path(options.out)
    by_name = _by_name(case)
    if options.short:
        expected, aims = criteria.short(by_name, case.law), []
    else:
        expected = criteria.full(by_name, case.congestion_control, len(case.delays), case.law)
        aims = criteria.aims(by_name, case.quiet_probe) if case.law == criteria.SLUICE else []
    name = EXPERIMENT
    if options.matrix:
        name = f"{EXPERIMENT}-{case.congestion_control}-{case.law}"
    elif options.short:
        name = f"{EXPERIMENT}-short"
    result = report.Result(
        experiment=name,
        bottleneck_mbps=BOTTLENECK_MBPS,
        onos_version=onos_version,
        cpu_idle=phases.mean_cpu_idle(case.results),
        phases=case.results,
        expectations=expected,
        mark_to_rate=marktorate.summary(case.delays),
        leftovers=leftovers,
        aims=aims,
    )
    picture = out / f"{name}.png"
    plot.goodput_over_time(
        *(case.results, case.flows, BOTTLENECK_MBPS),
        f"One TCP tenant ({case.congestion_control}) against three UDP floods,"
        f" law '{case.law}', ONOS {onos_version}",
        picture,
    )
    if case.attempt > 1:
        print("\nThis is the second attempt: the first did not show the direction clearly.")
    json_file = Path(options.json) if options.json and not options.matrix else None
    report.conclude(result, out, json_file, picture)
    file = json_file or out / f"{name}.json"
    return matrix.Cell(case.congestion_control, case.law, result, str(file))


def _conclude_matrix(cells, options, leftovers):
    out = Path(options.out)
    picture = out / f"{matrix.EXPERIMENT}.png"
    summary_file = Path(options.json) if options.json else out / f"{matrix.EXPERIMENT}.json"
    matrix.draw(cells, picture)
    summary = matrix.document(cells, leftovers)
    report.write_json(summary, summary_file)
    print(f"\n{matrix.table(cells)}\nverdict of all: {summary['verdict']}")
    print(f"\nplot:    {picture}\nresult:  {summary_file}")


def what_is_up(site):
    """What a kept run offers, how to reach it and how to end it."""
    chosen = site.controller
    lab_run = site.network.lab_run
    machines = json.dumps({host: node.netns for host, node in site.network.machines.items()})
    lines = [
        "",
        "Everything is left up.",
        f"  REST       {chosen.onos.url}/onos/sluice/v1/tenants   (lab's user onos:rocks)",
        f"  page       {chosen.onos.url}/onos/sluice/ui",
        f"  CLI        ssh -p {chosen.ssh_port} karaf@{chosen.ssh_address}"
        "   (lab's password karaf)",
        f"  machines   {machines}",
        "  enter      nsenter --net=/run/netns/NAMESPACE COMMAND",
        f"  to end it  lab/run cleanup {lab_run.id}",
    ]
    if chosen.is_foreign and not site.options.installed:
        lines.append(f"Sluice stays installed on {chosen.onos.url}: app deactivate, app uninstall")
    return "\n".join(lines) + "\n"
