# SPDX-License-Identifier: Apache-2.0
"""`lab/run standalone`: its own case, or another experiment with sluiced over bridges."""

import argparse

from testbed.control.controller import STANDALONE
from testbed.experiments.deadlines import experiment as deadlines
from testbed.experiments.sharing import leaf_spine
from testbed.experiments.standalone import experiment as standalone
from testbed.experiments.tenants import experiment as tenants
from testbed.options.command import Command
from testbed.system.errors import LabError

OWN = "dumbbell"
OTHERS = {each.name: each for each in (tenants.COMMAND, deadlines.COMMAND, leaf_spine.COMMAND)}


def add_options(command):
    """Those of its own case, and --case."""
    standalone.add_options(command)
    command.add_argument(
        "--case",
        choices=(OWN, *OTHERS),
        default=OWN,
        help=f"what is run; all but {OWN} are experiments of that name: `lab/run NAME --controller"
        f" {STANDALONE}` has all their options ({OWN})",
    )


def run(options):
    """Run the case; returns the exit status."""
    if options.case == OWN:
        return standalone.run(options)
    chosen = options_of(options)
    return OTHERS[options.case].run(chosen)


def options_of(options):
    """The options of another case; LabError for what only its own experiment can take."""
    if options.beside or options.short or options.keep:
        raise LabError(f"--case {options.case}: leave out --beside, --short and --keep")
    parser = argparse.ArgumentParser()
    OTHERS[options.case].add_options(parser)
    given = {"--json": options.json, "--capacity": options.capacity, "--cc": options.cc}
    arguments = ["--controller", STANDALONE, "--out", options.out]
    for name, value in given.items():
        if value is None:
            continue
        if name not in parser.format_help():
            raise LabError(f"--case {options.case}: it has no {name}; leave it out")
        arguments += [name, str(value)]
    return parser.parse_args(arguments)


COMMAND = Command(standalone.EXPERIMENT, standalone.SUMMARY, add_options, run)
