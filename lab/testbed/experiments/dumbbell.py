# SPDX-License-Identifier: Apache-2.0
"""`lab/run dumbbell`: one TCP tenant, rescued from three UDP floods by Sluice on ONOS."""

import itertools
import json
from pathlib import Path

from testbed import (
    agents,
    controller,
    criteria,
    marktorate,
    matrix,
    phases,
    plot,
    report,
)
from testbed.case import FULL, SHORT, run_case, wait_for_a_calm_machine
from testbed.expectations import verdict
from testbed.laboratory import Laboratory
from testbed.progress import Progress
from testbed.site import Site

EXPERIMENT = "dumbbell"
WHY_AGAIN = {
    "fail": "it did not show the direction clearly",
    "inconclusive": "the machine was too busy to judge",
}
BOOT_SECONDS, SET_UP_SECONDS, TEAR_DOWN_SECONDS = 60, 25, 10


def run(options):
    """Run the experiment (or the whole matrix); returns the exit status."""
    agents.require_binary()
    if not options.installed:
        controller.require_archive(options.oar)
    wanted = [(options.cc, options.law)]
    if options.matrix:
        wanted = list(itertools.product(("reno", "cubic", "bbr"), ("sluice", "paper")))
    course = SHORT if options.short else FULL
    is_foreign = controller.locate(options) is not None
    before_seconds = SET_UP_SECONDS + (0 if is_foreign else BOOT_SECONDS)
    progress = Progress(before_seconds + course.seconds * len(wanted) + TEAR_DOWN_SECONDS)
    given = controller.foreign(options) if is_foreign else None
    laboratory = Laboratory(EXPERIMENT, progress)
    cases = []
    with laboratory:
        site, chosen = open_site(laboratory, options, given, course.bottleneck_mbps)
        for number, (congestion_control, law) in enumerate(wanted):
            remaining = course.seconds * (len(wanted) - number) + TEAR_DOWN_SECONDS
            progress.expect(remaining)
            if options.short:
                wait_for_a_calm_machine(progress)
            case = run_case(site, course, congestion_control, law, options.ip)
            if options.short and _verdict_so_far(case) != "pass":
                progress.expect(remaining)
                why = WHY_AGAIN[_verdict_so_far(case)]
                progress.say(f"{why}: repeating once")
                wait_for_a_calm_machine(progress)
                case = run_case(site, course, congestion_control, law, options.ip)
                case.first_attempt = why
            cases.append(case)
        if options.keep:
            laboratory.keep()
    cells = [_conclude(case, options, chosen.version, laboratory.leftovers) for case in cases]
    if options.matrix:
        _conclude_matrix(cells, options, laboratory.leftovers)
    if laboratory.kept:
        print(what_is_up(site))
    return matrix.status(cells)


def open_site(laboratory, options, given, bottleneck_mbps):
    """The dumbbell under Sluice on a given controller or (None) the lab's: (Site, Controller)."""
    chosen = given
    if given is None:
        laboratory.progress.say("starting ONOS")
        lab_onos = controller.LabOnos.within(laboratory)
        chosen = lab_onos.start()
    laboratory.progress.say(f"ONOS {chosen.version} at {chosen.onos.url}")
    site = Site(laboratory, chosen, options, bottleneck_mbps)
    site.bring_up(controller.free_ports(1)[0])
    return site, chosen


def _verdict_so_far(case):
    """The short plan's verdict before anything was removed."""
    judged = criteria.short(case.by_name, case.congestion_control, case.law)
    return verdict(judged, [], phases.mean_cpu_idle(case.results))


def _conclude(case, options, onos_version, leftovers):
    """Judge, print and write one case; returns it as a cell of the matrix."""
    out = Path(options.out)
    by_name = case.by_name
    if options.short:
        expected, aims = criteria.short(by_name, case.congestion_control, case.law), []
    else:
        expected = criteria.full(by_name, case.congestion_control, len(case.delays), case.law)
        aims = criteria.aims(by_name, case.quiet_probe) if case.law == criteria.SLUICE else []
    name = EXPERIMENT
    if options.matrix:
        name = f"{EXPERIMENT}-{case.congestion_control}-{case.law}"
    elif options.short:
        name = f"{EXPERIMENT}-short"
    if options.ip != 4:
        name += f"-ipv{options.ip}"
    result = report.Result(
        experiment=name,
        bottleneck_mbps=case.bottleneck_mbps,
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
        *(case.results, case.flows, case.bottleneck_mbps),
        f"One TCP tenant ({case.congestion_control}) against three UDP floods,"
        f" law '{case.law}', ONOS {onos_version}",
        picture,
    )
    if case.first_attempt:
        print(f"\nThis is the second attempt. Of the first: {case.first_attempt}.")
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
