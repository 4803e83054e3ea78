# SPDX-License-Identifier: Apache-2.0
"""`lab/run`: the parser, and the exit status."""

import argparse
import sys

from testbed.cli.experiments import EXPERIMENTS
from testbed.system.errors import LabError

NOT_RUN = 2
INTERRUPTED = 130
EXIT_HELP = (
    "exit status: 0 every expectation holds and nothing is left behind; 1 not so; 2 could not run;"
    " 3 inconclusive, the machine had under 10 % idle CPU or its hypervisor gave time to others"
)


def main(arguments=None):
    """Parse the command line and run; returns the exit status."""
    options = parser().parse_args(arguments)
    try:
        return options.run(options)
    except LabError as failure:
        print(f"lab/run: {failure}", file=sys.stderr)
        return NOT_RUN
    except KeyboardInterrupt:
        print("lab/run: interrupted; what it had made is removed", file=sys.stderr)
        return INTERRUPTED


def parser():
    """The parser of the whole command line."""
    made = argparse.ArgumentParser(
        prog="lab/run",
        description="Experiments with real packets in namespaces of this machine; needs root.",
        epilog=EXIT_HELP,
    )
    made.add_argument("--list", action=_ListExperiments, nargs=0, help="list and exit")
    commands = made.add_subparsers(metavar="EXPERIMENT", dest="experiment", required=True)
    for name, experiment in EXPERIMENTS.items():
        command = commands.add_parser(
            name, help=experiment.summary, description=experiment.summary, epilog=EXIT_HELP
        )
        experiment.add_options(command)
        command.set_defaults(run=experiment.run)
    return made


class _ListExperiments(argparse.Action):
    """--list: one experiment a line."""

    def __call__(self, parser, namespace, values, option_string=None):
        for name, experiment in EXPERIMENTS.items():
            print(f"{name:<18}{experiment.summary}")
        parser.exit()
