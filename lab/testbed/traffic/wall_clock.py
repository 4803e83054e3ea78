# SPDX-License-Identifier: Apache-2.0
"""A wall clock for ONOS alone, which can be set while it runs; the machine's is not changed."""

import struct

from testbed.programs import launch
from testbed.system.shell import run

SOURCE = launch.DIRECTORY / "wall_clock.c"
COMPILER = "clang-14"
OFFSET = struct.Struct("=q")


class WallClock:
    """How far ONOS's wall clock is ahead of the machine's."""

    def __init__(self, directory, ahead_seconds):
        self._file = directory / "wall-clock"
        self._library = directory / "wall_clock.so"
        run(
            [COMPILER, "-shared", "-fPIC", "-O2", "-o", str(self._library), str(SOURCE)],
            timeout_seconds=60,
        )
        self.ahead_seconds = ahead_seconds
        self._file.write_bytes(OFFSET.pack(ahead_seconds))

    @property
    def environment(self):
        """The environment variables by which a process uses this clock."""
        return {"LD_PRELOAD": str(self._library), "SLUICE_LAB_CLOCK_FILE": str(self._file)}

    def step(self, seconds):
        """Set it forward, or back if below 0, at once."""
        self.ahead_seconds += seconds
        with open(
            self._file, "r+b", buffering=0
        ) as file:  # other processes have it mapped: no new file
            file.write(OFFSET.pack(self.ahead_seconds))
