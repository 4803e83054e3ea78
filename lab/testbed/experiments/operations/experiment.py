# SPDX-License-Identifier: Apache-2.0
"""`lab/run operations`: the pages' steps from installation to removal, as they stand there."""

import time

from testbed.experiments.operations import pages
from testbed.experiments.operations.homes import HOMES, ONOS
from testbed.experiments.operations.machine import Terminal
from testbed.options import common
from testbed.options.command import Command
from testbed.report import documents
from testbed.report.expectations import Expectation, verdict
from testbed.system import requirements
from testbed.system.errors import LabError
from testbed.system.progress import Progress
from testbed.system.repository import ROOT

EXPERIMENT = "operations"
EXPECTED_SECONDS = 150
TYPE_SECONDS, CHECK_SECONDS = 300, 60


def add_options(command):
    """Declare the options."""
    common.output(command)
    command.add_argument(
        "--home",
        choices=HOMES,
        default=ONOS,
        help=f"with ONOS, or two hosts with bridges and sluiced ({ONOS})",
    )


def run(options):
    """Run the experiment; returns the exit status."""
    requirements.check()
    home = HOMES[options.home]
    typed = [(step, pages.commands(step.page, step.heading, step.begins)) for step in home.steps]
    if not list(ROOT.glob(home.built)):
        raise LabError(f"there is no {home.built} to install: run {home.by} first")
    progress = Progress(EXPECTED_SECONDS)
    progress.log("a fresh system")
    site = home.site(progress)
    results = []
    try:
        walk = _Walk(site, home)
        for step, commands in typed:
            results.append(_follow(walk, step, commands, progress))
            if results[-1]["failure"]:
                break  # what follows stands on it
    finally:
        leftovers = site.end()
    expectations = [
        Expectation(
            f"{each['step']}: {each['promise']}",
            each["seconds"],
            "comes true",
            each["failure"] is None,
        )
        for each in results
    ]
    expectations.append(
        Expectation("steps done", len(results), f"all {len(typed)}", len(results) == len(typed))
    )
    document = {
        "experiment": home.experiment,
        "steps": results,
        "expectations": [each.as_json() for each in expectations],
        "leftovers": leftovers,
        "verdict": verdict(expectations, leftovers, None),
    }
    return documents.conclude(document, expectations, options.out, options.json)


class _Walk:
    """An operator with a terminal in each directory, and ONOS's shell."""

    def __init__(self, site, home):
        self.site = site
        self.home = home
        self._terminals = {}

    def type(self, command, step):
        """Type a command of a page where a step is done; returns what it prints."""
        if command.of_onos:
            return self.site.onos(command.text)
        return self.shell(command.text, step.host, step.where)

    def shell(self, text, host, where):
        """Type into a machine's shell."""
        if (host, where) not in self._terminals:
            self._terminals[host, where] = Terminal(self.site.machine_of(host), where)
        return self._terminals[host, where].type(text, TYPE_SECONDS)


def _follow(walk, step, commands, progress):
    """Do a step; its part of the result."""
    begin = time.monotonic()
    failure = None
    lines = []
    try:
        walk.site.carry(step)
        for table in (walk.home.before, walk.home.copied):
            if step.name in table:
                walk.shell(table[step.name], step.host, str(ROOT))
        for command in commands[:1] if step.types_output else commands:
            for each in _named(command, walk.home.names | step.names):
                lines.append((pages.PROMPT if each.of_onos else "") + each.text)
                output = walk.type(each, step)
                if step.types_output:
                    lines.append(output.strip())
                    walk.shell(output.strip(), step.host, step.where)
        walk.site.machine.until(step.promise, lambda: step.check(walk.site), CHECK_SECONDS)
    except LabError as failed:
        failure = str(failed)
    seconds = time.monotonic() - begin
    progress.log(f"  {step.name}: {failure or step.promise}, {seconds:.0f} s")
    return {
        "step": step.name,
        "page": f"{step.page}: {step.heading}",
        "typed": lines,
        "promise": step.promise,
        "seconds": round(seconds, 1),
        "failure": failure,
    }


def _named(command, names):
    """A command with a name that stands for something, once for each of what it stands for."""
    for name, values in names.items():
        if name in command.text:
            return [
                pages.Command(command.text.replace(name, value), command.of_onos)
                for value in values
            ]
    return [command]


COMMAND = Command(
    EXPERIMENT,
    "the documents' steps from installation to removal, typed as they stand on a fresh system",
    add_options,
    run,
)
