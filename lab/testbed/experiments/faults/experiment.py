# SPDX-License-Identifier: Apache-2.0
"""`lab/run faults`: what breaks, for whom, for how long, and what is left of it."""

import argparse
from pathlib import Path

from testbed.control import agents
from testbed.deployment import startup
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.faults import catalogue
from testbed.experiments.faults.environment import Scene
from testbed.experiments.faults.observation import Finding
from testbed.report import documents
from testbed.report.expectations import EXIT_STATUS, Expectation, worst
from testbed.system.errors import LabError
from testbed.system.progress import Progress

EXPERIMENT = "faults"
SUMMARY = "what breaks: agents, ONOS, switches, clocks, tenants; one shared network"
BUILDING_SECONDS = 75
REMOVING_SECONDS = 15


def add_options(command):
    """Options of the experiment beside those of output and application."""
    command.add_argument("--list", action=_ListFaults, nargs=0, help="list the faults and exit")
    command.add_argument(
        "--only", metavar="NAME", action="append", default=[], help="this fault; may be repeated"
    )


class _ListFaults(argparse.Action):
    """--list: one fault a line."""

    def __call__(self, parser, namespace, values, option_string=None):
        for fault in catalogue.FAULTS:
            print(f"{fault.name:<20}{fault.summary}")
        parser.exit()


def run(options):
    """Make the chosen faults; returns the exit status."""
    faults = catalogue.chosen(options.only)
    startup.require_own_controller(options, "kills its controller")
    seconds = sum(fault.seconds for fault in faults)
    progress = Progress(BUILDING_SECONDS + seconds + REMOVING_SECONDS)
    laboratory = Laboratory(EXPERIMENT, progress)
    with laboratory:
        scene = Scene(laboratory, options)
        scene.bring_up()
        findings = {}
        for number, fault in enumerate(faults):
            remaining = sum(later.seconds for later in faults[number:])
            progress.expect(remaining + REMOVING_SECONDS)
            progress.say(f"{fault.name}: {fault.summary}")
            findings[fault.name] = _make(fault, scene, number + 1 < len(faults))
            progress.say(_line(fault.name, findings[fault.name]))
    return _conclude(findings, options, scene.site.controller.version, laboratory.leftovers)


def _make(fault, scene, more_to_come):
    """Make one fault; what it cannot carry through fails by itself, and the next may still pass."""
    try:
        finding = fault.run(scene)
    except (LabError, agents.AgentEnded) as failure:
        finding = Finding(fault.summary).expect(
            Expectation(str(failure), None, "carried out", False)
        )
    if more_to_come:
        scene.wait_until_normal()
    return finding


def _line(name, finding):
    parts = [f"{name}: {finding.verdict}"]
    for what, millis in (
        ("gap of others", finding.gap_others_millis),
        ("of the affected", finding.gap_affected_millis),
        (finding.recovery_of, finding.recovery_millis),
    ):
        if millis is not None:
            parts.append(f"{what} {millis:.0f} ms")
    return ", ".join(parts)


def _conclude(findings, options, onos_version, leftovers):
    verdicts = [finding.verdict for finding in findings.values()]
    document = {
        "experiment": EXPERIMENT,
        "onosVersion": onos_version,
        "faults": [finding.as_json(name) for name, finding in findings.items()],
        "leftovers": leftovers,
        "expectations": [
            {**each.as_json(), "name": f"{name}: {each.name}"}
            for name, finding in findings.items()
            for each in finding.expectations
        ],
        "verdict": worst([*verdicts, "fail" if leftovers else "pass"]),
    }
    path = Path(options.json) if options.json else Path(options.out) / f"{EXPERIMENT}.json"
    documents.write_json(document, path)
    for name, finding in findings.items():
        print(f"\n{_line(name, finding)}\n{finding.cause}")
        print(documents.judgement(finding.expectations, finding.leftovers, finding.verdict))
    for item in leftovers:
        print(f"LEFT BEHIND  {item}")
    print(f"\nverdict: {document['verdict']}\nresult: {path}")
    return EXIT_STATUS[document["verdict"]]
