# SPDX-License-Identifier: Apache-2.0
"""`lab/run dumbbell`: one TCP tenant, rescued from three UDP floods by Sluice on ONOS."""

import itertools
import json
from dataclasses import dataclass
from pathlib import Path

from testbed.deployment import signals, startup
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.dumbbell import criteria, goodput_plot, matrix, phases
from testbed.experiments.dumbbell.phase_run import FULL, SHORT, run_case, wait_for_a_calm_machine
from testbed.measure import mark_delays, notices
from testbed.report import documents
from testbed.report.expectations import verdict
from testbed.system.errors import LabError
from testbed.system.progress import Progress

EXPERIMENT = "dumbbell"
WHY_AGAIN = {
    "fail": "it did not show the direction clearly",
    "inconclusive": "the machine was too busy to judge",
}
BOOT_SECONDS, SET_UP_SECONDS, TEAR_DOWN_SECONDS = 60, 25, 10


def run(options):
    """Run the experiment (or the whole matrix); returns the exit status."""
    given = startup.given_controller(options)
    wanted = settings(options)
    course = SHORT if options.short else FULL
    before_seconds = SET_UP_SECONDS + (BOOT_SECONDS if given is None else 0)
    progress = Progress(before_seconds + course.seconds * len(wanted) + TEAR_DOWN_SECONDS)
    laboratory = Laboratory(EXPERIMENT, progress)
    cases = []
    with laboratory:
        site, chosen = startup.open_site(laboratory, options, given, course.bottleneck_mbps)
        signals.prepare(site, [setting.signals for setting in wanted])
        for number, setting in enumerate(wanted):
            remaining = course.seconds * (len(wanted) - number) + TEAR_DOWN_SECONDS
            progress.expect(remaining)
            if options.short:
                wait_for_a_calm_machine(progress)
            signals.use(site, setting.signals)
            case = run_case(site, course, setting.congestion_control, setting.law, options.ip)
            if options.short and _verdict_so_far(case) != "pass":
                progress.expect(remaining)
                why = WHY_AGAIN[_verdict_so_far(case)]
                progress.say(f"{why}: repeating once")
                wait_for_a_calm_machine(progress)
                case = run_case(site, course, setting.congestion_control, setting.law, options.ip)
                case.first_attempt = why
            cases.append(case)
        if options.keep:
            laboratory.keep()
    sweep = sweep_of(options)
    cells = [
        _conclude(case, setting, sweep, options, chosen.version, laboratory.leftovers)
        for case, setting in zip(cases, wanted, strict=True)
    ]
    if sweep:
        _conclude_sweep(sweep, cells, options, laboratory.leftovers)
    if laboratory.kept:
        print(what_is_up(site))
    return matrix.status(cells)


@dataclass(frozen=True)
class Setting:
    """What one case of the experiment is run with."""

    congestion_control: str
    law: str
    signals: signals.Signals


def settings(options):
    """All that the options ask for; LabError for --matrix together with a sweep of signals."""
    senses = signals.chosen(options.signals, options.notices)
    if not options.matrix:
        return [Setting(options.cc, options.law, each) for each in senses]
    if len(senses) > 1:
        raise LabError("--matrix goes through transports and laws: leave out 'all' beside it")
    return [
        Setting(*pair, senses[0])
        for pair in itertools.product(("reno", "cubic", "bbr"), ("sluice", "paper"))
    ]


def sweep_of(options):
    """The sweep that the options ask for; None for a single case."""
    if options.matrix:
        return matrix.BY_LAW
    return matrix.BY_SIGNALS if signals.ALL in (options.signals, options.notices) else None


def _verdict_so_far(case):
    """The short plan's verdict before anything was removed."""
    judged = criteria.short(case.by_name, case.congestion_control, case.law)
    return verdict(judged, [], phases.mean_cpu_use(case.results))


def _conclude(case, setting, sweep, options, onos_version, leftovers):
    """Judge, print and write one case; returns it as a cell of the matrix."""
    out = Path(options.out)
    by_name = case.by_name
    if options.short:
        expected, aims = criteria.short(by_name, case.congestion_control, case.law), []
    else:
        expected = criteria.full(by_name, case.congestion_control, len(case.delays), case.law)
        aims = criteria.aims(by_name, case.quiet_probe) if case.law == criteria.SLUICE else []
    expected += notices.expected(setting.signals.way, case.law, case.notices)
    cell_of = {
        None: (case.congestion_control, case.law),
        matrix.BY_LAW: (case.congestion_control, case.law),
        matrix.BY_SIGNALS: (setting.signals.source, setting.signals.way),
    }[sweep]
    name = EXPERIMENT
    if sweep:
        name = f"{EXPERIMENT}-{'-'.join(cell_of)}"
    elif options.short:
        name = f"{EXPERIMENT}-short"
    if options.ip != 4:
        name += f"-ipv{options.ip}"
    result = documents.Result(
        experiment=name,
        bottleneck_mbps=case.bottleneck_mbps,
        onos_version=onos_version,
        cpu=phases.mean_cpu_use(case.results),
        phases=case.results,
        expectations=expected,
        mark_to_rate=mark_delays.summary(case.delays),
        leftovers=leftovers,
        aims=aims,
        further={
            "signals": setting.signals.source,
            "notices": setting.signals.way,
            "noticesCame": case.notices,
            "noticeDetours": case.detours,
        },
    )
    picture = out / f"{name}.png"
    goodput_plot.goodput_over_time(
        *(case.results, case.flows, case.bottleneck_mbps),
        f"One TCP tenant ({case.congestion_control}) against three UDP floods,"
        f" law '{case.law}', ONOS {onos_version}",
        picture,
    )
    if case.first_attempt:
        print(f"\nThis is the second attempt. Of the first: {case.first_attempt}.")
    json_file = Path(options.json) if options.json and not sweep else None
    documents.conclude(result, out, json_file, picture)
    file = json_file or out / f"{name}.json"
    more = {
        "congestionControl": case.congestion_control,
        "law": case.law,
        "signals": setting.signals.source,
        "notices": setting.signals.way,
    }
    return matrix.Cell(*cell_of, case.law, result, str(file), more)


def _conclude_sweep(sweep, cells, options, leftovers):
    out = Path(options.out)
    picture = out / f"{sweep.experiment}.png"
    summary_file = Path(options.json) if options.json else out / f"{sweep.experiment}.json"
    matrix.draw(sweep, cells, picture)
    summary = matrix.document(sweep, cells, leftovers)
    documents.write_json(summary, summary_file)
    print(f"\n{matrix.table(sweep, cells)}\nverdict of all: {summary['verdict']}")
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
