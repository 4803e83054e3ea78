# SPDX-License-Identifier: Apache-2.0
"""`lab/run`: the parser, and the exit status."""

import argparse
import sys

from testbed.cli.experiments import COMMANDS
from testbed.options.common import ListAndExit
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
    made.add_argument("--list", action=ListAndExit, listed=COMMANDS, width=18, help="list and exit")
    commands = made.add_subparsers(metavar="EXPERIMENT", dest="experiment", required=True)
    for each in COMMANDS:
        command = commands.add_parser(
            each.name, help=each.summary, description=each.summary, epilog=EXIT_HELP
        )
        each.add_options(command)
        command.set_defaults(run=each.run)
    return made
