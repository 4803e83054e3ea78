# SPDX-License-Identifier: Apache-2.0
"""A process known by its id and start time, so that a reused id is never signalled."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

_LISTENING = "0A"  # of /proc/net/tcp


class Process:
    """A JVM that was started in a session of its own."""

    def __init__(self, pid: int, start_ticks: int):
        self.pid = pid
        self.start_ticks = start_ticks

    @classmethod
    def start(
        cls,
        command: list[str],
        directory: Path,
        console_log: Path,
        environment: Mapping[str, str] | None = None,
    ) -> "Process":
        """environment: variables beside those of this process."""
        with console_log.open("ab") as log:
            child = subprocess.Popen(
                command,
                cwd=directory,
                env=os.environ | (environment or {}),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        return cls(child.pid, _start_ticks(child.pid) or 0)

    @property
    def is_alive(self) -> bool:
        return _start_ticks(self.pid) == self.start_ticks

    @property
    def cpu_seconds(self) -> float:
        """The processor time that it has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def resident_mib(self) -> int:
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) // 1024
        return 0

    @property
    def listening_ports(self) -> set[int]:
        """The TCP ports that anybody listens on in the process's network namespace."""
        ports = set()
        for table in ("tcp", "tcp6"):
            for line in Path(f"/proc/{self.pid}/net/{table}").read_text().splitlines()[1:]:
                local, state = line.split()[1], line.split()[3]
                if state == _LISTENING:
                    ports.add(int(local.rpartition(":")[2], 16))
        return ports

    def stop(self, grace_seconds: float) -> None:
        """Terminates the JVM, and kills it when it has not ended in time."""
        for request, seconds in ((signal.SIGTERM, grace_seconds), (signal.SIGKILL, 10.0)):
            if not self.is_alive:
                return
            os.kill(self.pid, request)
            deadline = time.monotonic() + seconds
            while self.is_alive and time.monotonic() < deadline:
                time.sleep(0.1)


def _start_ticks(pid: int) -> int | None:
    """The kernel's start time of a live process, None for a dead one or a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] == "Z" else int(fields[19])
