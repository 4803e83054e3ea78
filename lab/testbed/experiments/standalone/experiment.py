# SPDX-License-Identifier: Apache-2.0
"""`lab/run standalone`: sluiced beside agents on bridges, from no marks to a guarantee."""

from pathlib import Path

from testbed.control import agents, controller
from testbed.control.laws import SLUICE
from testbed.deployment import kept_run, startup
from testbed.deployment.standalone import StandaloneDeployment
from testbed.experiments.standalone import criteria, faults, sequences, speed
from testbed.flooding import goodput_plot, phase_report
from testbed.flooding.sequence_run import run_sequence
from testbed.measure import mark_delays
from testbed.options import common, values
from testbed.system import processors
from testbed.system.progress import Progress

EXPERIMENT = "standalone"
SUMMARY = "no SDN controller: sluiced over plain bridges without ECN, its shares and its faults"
SET_UP_SECONDS, TEAR_DOWN_SECONDS = 20, 4
MARKS = "receivers' phantom queues: no ECN in the fabric"


def add_options(command):
    """Declare the options."""
    common.output(command)
    common.endpoints(command)
    common.congestion_control(command)
    command.add_argument(
        "--jar", dest="archive", metavar="FILE", help="sluiced (the one that is built here)"
    )
    command.add_argument(
        "--capacity",
        metavar="MBPS",
        type=values.mbps,
        help="of the receiver's wire; each flood has two thirds of it (the highest of"
        f" {', '.join(map(str, speed.SPEEDS_MBPS))} that leaves enough of this machine idle)",
    )
    command.add_argument(
        "--beside",
        choices=[each.name for each in faults.FAULTS],
        help="this fault, beside floods that are controlled, instead of all phases",
    )
    command.add_argument("--short", action="store_true", help="a first look, in under a minute")
    command.add_argument("--keep", action="store_true", help="leave everything up at the end")
    command.set_defaults(controller=controller.STANDALONE, line=None, installed=False, onos=None)


def run(options):
    """Run the experiment; returns the exit status."""
    startup.given_controller(options)
    fault = faults.named(options.beside)
    sequence_of = sequences.short if options.short else sequences.full
    seconds = fault.seconds if fault else sequence_of(0).seconds
    progress = Progress(SET_UP_SECONDS + seconds + TEAR_DOWN_SECONDS)
    laboratory = startup.laboratory_of(EXPERIMENT, progress, options)
    with laboratory:
        deployment, choice = _deploy(laboratory, options, fault)
        progress.expect(seconds + TEAR_DOWN_SECONDS)
        if fault:
            result, expected = faults.measure(deployment, fault, options.cc)
        else:
            result = run_sequence(deployment, sequence_of(choice.mbps), options.cc, SLUICE)
            expected = criteria.of_phases(result.by_name, options.cc)
        if options.keep:
            laboratory.keep()
    status = _conclude(deployment, result, expected, choice, fault, options)
    if laboratory.kept:
        print(kept_run.describe(deployment))
    return status


def _deploy(laboratory, options, fault):
    """(Deployment, Choice of its speed)."""
    own = startup.own_controller(laboratory, options)
    if fault:
        fault.prepare(laboratory, own)
    chosen = startup.started(laboratory, own)
    deployment = StandaloneDeployment(laboratory, chosen, options, speed.SPEEDS_MBPS[0])
    deployment.marks_nothing = True
    deployment.connect_switches()
    deployment.wait_until_reachable(timeout_seconds=20)
    choice = speed.given(options.capacity) if options.capacity else speed.probed(deployment)
    laboratory.progress.log(f"{choice.mbps:g} Mbit/s: {choice.because}")
    deployment.bottleneck_mbps = choice.mbps
    deployment.tau_micros = agents.tau_micros(choice.mbps)
    deployment.shape(choice.mbps)
    if fault:
        fault.join(deployment)
    deployment.install(startup.agent_link_port(chosen))
    deployment.wait_for_endpoints()
    return deployment, choice


def _conclude(deployment, result, expected, choice, fault, options):
    name = f"{EXPERIMENT}-{fault.name}" if fault else EXPERIMENT
    marks = mark_delays.summary(result.delays)
    if result.delays or not (fault or options.short):
        expected += criteria.of_marks(marks)
    chosen = deployment.controller
    report = phase_report.PhaseReport(
        experiment=name,
        bottleneck_mbps=choice.mbps,
        controller=chosen,
        cpu=processors.mean_cpu_use(result.phases),
        phases=result.phases,
        expectations=expected,
        mark_to_rate=marks,
        leftovers=deployment.laboratory.leftovers,
        aims=criteria.aims(marks, chosen.as_json()),
        further={"marks": MARKS, "speed": choice.as_json(), "fault": fault and fault.name},
    )
    plot = Path(options.out) / f"{name}.png"
    beside = f", {fault.summary}" if fault else ""
    goodput_plot.goodput_over_time(
        *(result.phases, result.flows, choice.mbps),
        f"One TCP tenant ({options.cc}) against three UDP floods on plain bridges{beside},"
        f" {chosen}",
        plot,
    )
    print(f"\n{choice.mbps:g} Mbit/s: {choice.because}; marks: {MARKS}")
    return phase_report.conclude(report, options.out, options.json, plot)
