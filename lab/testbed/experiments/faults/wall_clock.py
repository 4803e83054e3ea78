# SPDX-License-Identifier: Apache-2.0
"""A wall clock of ONOS's own, which can be set while it runs; the machine's is not touched."""

import struct

from testbed.programs import launch
from testbed.system.shell import run

SOURCE = launch.DIRECTORY / "wall_clock.c"
COMPILER = "clang-14"
FORM = struct.Struct("=q")


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
        self._file.write_bytes(FORM.pack(ahead_seconds))

    @property
    def environment(self):
        """What a process needs in its environment to live by this clock."""
        return {"LD_PRELOAD": str(self._library), "SLUICE_LAB_CLOCK_FILE": str(self._file)}

    def step(self, seconds):
        """Set it forward, or back if below 0, at once."""
        self.ahead_seconds += seconds
        with open(self._file, "r+b", buffering=0) as file:  # mapped by others: not a new file
            file.write(FORM.pack(self.ahead_seconds))
