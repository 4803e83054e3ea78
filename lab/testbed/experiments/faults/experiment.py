# SPDX-License-Identifier: Apache-2.0
"""`lab/run faults`: making faults one after the other, and the result document."""

from testbed.control.agent_process import AgentEnded
from testbed.deployment import startup
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.faults import catalogue
from testbed.experiments.faults.environment import FaultEnvironment
from testbed.experiments.faults.finding import Finding
from testbed.report import documents
from testbed.report.expectations import EXIT_STATUS, Expectation, worst
from testbed.system.errors import LabError
from testbed.system.progress import Progress

EXPERIMENT = "faults"
SET_UP_SECONDS, TEAR_DOWN_SECONDS = 75, 15


def run(options):
    """Make the chosen faults; returns the exit status."""
    faults = catalogue.chosen(options.only)
    startup.require_own_controller(options, "kills its controller")
    seconds = sum(fault.seconds for fault in faults)
    progress = Progress(SET_UP_SECONDS + seconds + TEAR_DOWN_SECONDS)
    laboratory = Laboratory(EXPERIMENT, progress)
    with laboratory:
        environment = FaultEnvironment(laboratory, options)
        environment.bring_up()
        findings = {}
        for number, fault in enumerate(faults):
            remaining = sum(later.seconds for later in faults[number:])
            progress.expect(remaining + TEAR_DOWN_SECONDS)
            progress.log(f"{fault.name}: {fault.summary}")
            findings[fault.name] = _make(fault, environment, number + 1 < len(faults))
            progress.log(_line(fault.name, findings[fault.name]))
    version = environment.deployment.controller.version
    return _conclude(findings, options, version, laboratory.leftovers)


def _make(fault, environment, more_to_come):
    """Make one fault; if it cannot be completed it fails, and the next one is made all the same."""
    try:
        finding = fault.run(environment)
    except (LabError, AgentEnded) as failure:
        finding = Finding(fault.summary).expect(
            Expectation(str(failure), None, "carried out", False)
        )
    if more_to_come:
        environment.wait_until_normal()
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
    path = documents.path_of(EXPERIMENT, options.out, options.json)
    documents.write_json(document, path)
    for name, finding in findings.items():
        print(f"\n{_line(name, finding)}\n{finding.cause}")
        print(documents.judgement(finding.expectations, finding.leftovers, finding.verdict))
    for item in leftovers:
        print(f"LEFT BEHIND  {item}")
    print(f"\nverdict: {document['verdict']}\nresult:  {path}")
    return EXIT_STATUS[document["verdict"]]
