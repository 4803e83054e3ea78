# SPDX-License-Identifier: Apache-2.0
"""How the programs of this package are started, each as a process of its own."""

import sys
from pathlib import Path

DIRECTORY = Path(__file__).resolve().parent
# Where they are started: there Python finds the package by itself.
PACKAGE_PARENT = DIRECTORY.parents[1]


def command(program, *words):
    """The command line of a program, to be run in PACKAGE_PARENT."""
    return [sys.executable, "-B", "-m", f"testbed.programs.{program}", *words]
