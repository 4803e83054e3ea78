# SPDX-License-Identifier: Apache-2.0
"""How programs are started, each as a process of its own: of this package, or compiled."""

import sys
from pathlib import Path

DIRECTORY = Path(__file__).resolve().parent
# Where they are started: there Python finds the package by itself.
PACKAGE_PARENT = DIRECTORY.parents[1]
# What handles most packets, host-agent/lab: {program: its command line}. A flood of 50 Mbit/s takes
# 7.4 % of a processor, most of it the kernel's; interpreted it took 8.7 %.
COMPILED = {
    "flood": ("traffic", "flood"),
    "sink": ("traffic", "sink"),
    "probe": ("traffic", "probe"),
    "guest": ("guest",),
}
COMPILED_BINARIES = DIRECTORY.parents[2] / "host-agent" / "bin"


def command(program, *words):
    """The command line of a program, to be run in PACKAGE_PARENT."""
    if program in COMPILED:
        binary, *first_words = COMPILED[program]
        path = COMPILED_BINARIES / binary
        if not path.exists():
            raise FileNotFoundError(f"{path} is missing: build it with 'make build'")
        return [str(path), *first_words, *words]
    return [sys.executable, "-B", "-m", f"testbed.programs.{program}", *words]
