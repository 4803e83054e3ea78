# SPDX-License-Identifier: Apache-2.0
"""How programs are started, each as a process of its own: of this package, or compiled."""

import sys
from pathlib import Path

DIRECTORY = Path(__file__).resolve().parent
# Where they are started: there Python finds the package by itself.
PACKAGE_PARENT = DIRECTORY.parents[1]
# What sends and receives most packets, host-agent/lab/traffic. A flood of 50 Mbit/s takes 7.4 %
# of a processor, most of it the kernel's; interpreted it took 8.7 %.
COMPILED = ("flood", "sink", "probe")
COMPILED_BINARY = DIRECTORY.parents[2] / "host-agent" / "bin" / "traffic"


def command(program, *words):
    """The command line of a program, to be run in PACKAGE_PARENT."""
    if program in COMPILED:
        if not COMPILED_BINARY.exists():
            raise FileNotFoundError(f"{COMPILED_BINARY} is missing: build it with 'make build'")
        return [str(COMPILED_BINARY), program, *words]
    return [sys.executable, "-B", "-m", f"testbed.programs.{program}", *words]
