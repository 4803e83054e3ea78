# SPDX-License-Identifier: Apache-2.0
"""`lab/run faults`: making faults one after the other, and the result document."""

import argparse

from testbed.control import browser
from testbed.control.agent_process import AgentEnded
from testbed.deployment import startup
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.faults import catalogue
from testbed.experiments.faults.environment import FaultEnvironment
from testbed.experiments.faults.finding import Finding
from testbed.experiments.faults.page_watch import NoPageWatch, PageWatch, is_possible
from testbed.options import common
from testbed.options.command import Command
from testbed.report import documents
from testbed.report.expectations import EXIT_STATUS, Expectation, verdict, worst
from testbed.system.errors import LabError
from testbed.system.progress import Progress

EXPERIMENT = "faults"
SET_UP_SECONDS, TEAR_DOWN_SECONDS = 75, 15


def add_options(command):
    """Declare the options."""
    common.own_deployment(command)
    command.add_argument(
        "--list",
        action=common.ListAndExit,
        listed=catalogue.FAULTS,
        width=20,
        help="list the faults and exit",
    )
    common.only(command, "NAME", "fault")
    command.add_argument(
        "--page",
        action=argparse.BooleanOptionalAction,
        help="check the operator's page in Chromium meanwhile (if it is installed)",
    )


def run(options):
    """Make the chosen faults; returns the exit status."""
    faults = catalogue.chosen(options.only, options.controller)
    startup.require_own_controller(options, "kills its controller")
    if options.page:
        browser.require()
    seconds = sum(fault.seconds for fault in faults)
    progress = Progress(SET_UP_SECONDS + seconds + TEAR_DOWN_SECONDS)
    laboratory = Laboratory(EXPERIMENT, progress)
    with laboratory:
        environment = FaultEnvironment(laboratory, options)
        environment.bring_up()
        findings = {}
        is_watched = is_possible() if options.page is None else options.page
        with PageWatch(environment) if is_watched else NoPageWatch() as watch:
            for number, fault in enumerate(faults):
                remaining = sum(later.seconds for later in faults[number:])
                progress.expect(remaining + TEAR_DOWN_SECONDS)
                progress.log(f"{fault.name}: {fault.summary}")
                watch.fault = fault.name
                findings[fault.name] = make(fault, environment, watch)
                progress.log(_line(fault.name, findings[fault.name]))
    controller = environment.deployment.controller
    return _conclude(findings, watch, options, controller, laboratory.leftovers)


def make(fault, environment, watch):
    """Make one fault, and wait until all is as usual again.

    If it cannot be completed it fails, and the next one is made all the same.
    """
    try:
        finding = fault.run(environment)
    except (LabError, AgentEnded) as failure:
        finding = Finding(fault.summary).expect(
            Expectation(str(failure), None, "carried out", False)
        )
    if fault.is_undone:
        environment.wait_until_normal()
        finding.expect(*watch.expect_usual(environment.agents))
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


def _conclude(findings, watch, options, controller, leftovers):
    of_page, page = watch.conclude()
    verdicts = [finding.verdict for finding in findings.values()]
    page_verdict = verdict(of_page, [], None)
    verdicts.append(page_verdict)
    document = {
        "experiment": EXPERIMENT,
        "controller": controller.as_json(),
        "faults": [finding.as_json(name) for name, finding in findings.items()],
        "page": page,
        "leftovers": leftovers,
        "expectations": [
            {**each.as_json(), "name": f"{name}: {each.name}"}
            for name, finding in findings.items()
            for each in finding.expectations
        ]
        + [each.as_json() for each in of_page],
        "verdict": worst([*verdicts, "fail" if leftovers else "pass"]),
    }
    path = documents.path_of(EXPERIMENT, options.out, options.json)
    documents.write_json(document, path)
    for name, finding in findings.items():
        print(f"\n{_line(name, finding)}\n{finding.cause}")
        print(
            documents.judgement(
                finding.expectations, finding.leftovers, finding.verdict, cpu=finding.cpu
            )
        )
    if of_page:
        print("\nthe operator's page, meanwhile")
        print("\n".join(page["failures"]))
        print(documents.judgement(of_page, [], page_verdict))
    for item in leftovers:
        print(f"LEFT BEHIND  {item}")
    print(f"\nverdict: {document['verdict']}\nresult:  {path}")
    return EXIT_STATUS[document["verdict"]]


COMMAND = Command(
    EXPERIMENT,
    "failures of agents, the controller, switches, clocks, tenants in one shared network",
    add_options,
    run,
)
