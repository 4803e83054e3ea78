# SPDX-License-Identifier: Apache-2.0
"""`lab/run dumbbell`: one TCP tenant, rescued from three UDP floods by Sluice."""

import itertools
from dataclasses import dataclass, replace
from pathlib import Path

from testbed.control import agents
from testbed.control.laws import LAWS, SLUICE
from testbed.deployment import kept_run, signals, startup
from testbed.experiments.dumbbell import matrix
from testbed.flooding import criteria, goodput_plot, phase_report
from testbed.flooding.phase_sequence import FULL, SHORT
from testbed.flooding.sequence_run import run_sequence
from testbed.measure import mark_delays
from testbed.report import documents
from testbed.report.expectations import busy_intervals, verdict
from testbed.system import processors
from testbed.system.errors import LabError
from testbed.system.progress import Progress
from testbed.traffic.generators import CONGESTION_CONTROLS

EXPERIMENT = "dumbbell"
WHY_REPEATED = {
    "fail": "it did not show the direction clearly",
    "inconclusive": "the machine was too busy to judge",
}
BOOT_SECONDS, SET_UP_SECONDS, TEAR_DOWN_SECONDS = 60, 25, 10


@dataclass(frozen=True)
class Setting:
    """What is varied: a sequence of phases runs with each setting."""

    congestion_control: str
    law: str
    signals: signals.Signals


def run(options):
    """Run the experiment, with one setting or with several; returns the exit status."""
    return matrix.status(measure(options))


def measure(options):
    """Run the experiment, and report on it; returns a cell for each setting."""
    given = startup.given_controller(options)
    wanted = settings(options)
    sequence = sequence_of(options)
    before_seconds = SET_UP_SECONDS + (BOOT_SECONDS if given is None else 0)
    progress = Progress(before_seconds + sequence.seconds * len(wanted) + TEAR_DOWN_SECONDS)
    laboratory = startup.laboratory_of(EXPERIMENT, progress, options)
    results = []
    with laboratory:
        deployment, chosen = startup.deploy(
            *(laboratory, options, given, sequence.bottleneck_mbps),
            tau_micros=agents.tau_micros(sequence.bottleneck_mbps),
            port_settings=agents.MARKS_BY_BATCH,
        )
        signals.prepare(deployment, [setting.signals for setting in wanted])
        for number, setting in enumerate(wanted):
            remaining = sequence.seconds * (len(wanted) - number) + TEAR_DOWN_SECONDS
            results.append(_run_setting(deployment, sequence, setting, options, remaining))
        if options.keep:
            laboratory.keep()
    sweep = sweep_of(options)
    cells = [
        _conclude(result, setting, sweep, options, chosen, laboratory.leftovers)
        for result, setting in zip(results, wanted, strict=True)
    ]
    if sweep:
        _conclude_sweep(sweep, cells, options, laboratory.leftovers)
    if laboratory.kept:
        print(kept_run.describe(deployment))
    return cells


def _run_setting(deployment, sequence, setting, options, remaining_seconds):
    """Run a sequence with a setting; a short one is repeated once unless it passes."""
    progress = deployment.progress
    progress.expect(remaining_seconds)
    startup.wait_until_idle(progress)
    signals.use(deployment, setting.signals)
    law = (setting.congestion_control, setting.law)
    result = run_sequence(deployment, sequence, *law, options.ip)
    if not options.short or _verdict_so_far(result) == "pass":
        return result
    progress.expect(remaining_seconds)
    why = WHY_REPEATED[_verdict_so_far(result)]
    progress.log(f"{why}: repeating once")
    startup.wait_until_idle(progress)
    result = run_sequence(deployment, sequence, *law, options.ip)
    result.first_attempt = why
    return result


def sequence_of(options):
    """The phases that the options select, over the bottleneck that they select."""
    sequence = SHORT if options.short else FULL
    return replace(sequence, bottleneck_mbps=options.capacity or sequence.bottleneck_mbps)


def settings(options):
    """All settings that the options select; LabError for --matrix together with a sweep."""
    choices = signals.chosen(options.signals, options.notices)
    if not options.matrix:
        return [Setting(options.cc, options.law, each) for each in choices]
    if len(choices) > 1:
        raise LabError("--matrix goes through transports and laws: leave out 'all' beside it")
    return [Setting(*pair, choices[0]) for pair in itertools.product(CONGESTION_CONTROLS, LAWS)]


def sweep_of(options):
    """The sweep that the options select; None for a single setting."""
    if options.matrix:
        return matrix.BY_LAW
    return matrix.BY_SIGNALS if signals.ALL in (options.signals, options.notices) else None


def _verdict_so_far(result):
    """The short sequence's verdict before anything was removed."""
    judged = criteria.short(result.by_name, result.congestion_control, result.law)
    busy = busy_intervals({phase.name: phase.cpu for phase in result.phases})
    return verdict(judged, [], processors.mean_cpu_use(result.phases), busy)


def _conclude(result, setting, sweep, options, controller, leftovers):
    """Judge, print and write one sequence; returns it as a cell of the matrix."""
    source, notices = setting.signals.source, setting.signals.notices
    cell_of = {
        None: (result.congestion_control, result.law),
        matrix.BY_LAW: (result.congestion_control, result.law),
        matrix.BY_SIGNALS: (source, notices),
    }[sweep]
    name = _name_of(sweep, cell_of, options)
    expected, aims = _expected(result, notices, options.short)
    report = phase_report.PhaseReport(
        experiment=name,
        bottleneck_mbps=result.bottleneck_mbps,
        controller=controller,
        cpu=processors.mean_cpu_use(result.phases),
        phases=result.phases,
        expectations=expected,
        mark_to_rate=mark_delays.summary(result.delays),
        leftovers=leftovers,
        aims=aims,
        further={
            "signals": source,
            "notices": notices,
            "noticesReceived": result.notices,
            "noticeLinkFallbacks": result.link_fallbacks,
            "controllerProcessors": result.controller_takes,
        },
    )
    plot = Path(options.out) / f"{name}.png"
    goodput_plot.goodput_over_time(
        *(result.phases, result.flows, result.bottleneck_mbps),
        f"One TCP tenant ({result.congestion_control}) against three UDP floods,"
        f" law '{result.law}', {controller}",
        plot,
    )
    if result.first_attempt:
        print(f"\nThis is the second attempt. Reason: in the first, {result.first_attempt}.")
    json_file = None if sweep else options.json
    phase_report.conclude(report, options.out, json_file, plot)
    file = documents.path_of(name, options.out, json_file)
    further = {
        "congestionControl": result.congestion_control,
        "law": result.law,
        "signals": source,
        "notices": notices,
    }
    return matrix.Cell(*cell_of, result.law, report, str(file), further)


def _name_of(sweep, cell_of, options):
    """What a sequence's documents are called."""
    name = EXPERIMENT
    if sweep:
        name = f"{EXPERIMENT}-{'-'.join(cell_of)}"
    elif options.short:
        name = f"{EXPERIMENT}-short"
    return name if options.ip == 4 else f"{name}-ipv{options.ip}"


def _expected(result, notices, is_short):
    """(expectations, aims) of a sequence."""
    by_name, aims = result.by_name, []
    if is_short:
        expected = criteria.short(by_name, result.congestion_control, result.law)
    else:
        marks_answered = len(result.delays)
        expected = criteria.full(by_name, result.congestion_control, marks_answered, result.law)
        if result.law == SLUICE:
            aims = criteria.aims(by_name, result.quiet_probe)
    return expected + criteria.notices_in_band(notices, result.law, result.notices), aims


def _conclude_sweep(sweep, cells, options, leftovers):
    plot = Path(options.out) / f"{sweep.experiment}.png"
    matrix.draw(sweep, cells, plot)
    path = documents.path_of(sweep.experiment, options.out, options.json)
    document = matrix.document(sweep, cells, leftovers)
    documents.write_json(document, path)
    print(f"\n{matrix.table(sweep, cells)}\nverdict of all: {document['verdict']}")
    print(f"\nplot:    {plot}\nresult:  {path}")
