# SPDX-License-Identifier: Apache-2.0
"""A system of its own under systemd, and terminals on it."""

import os
import secrets
import select
import subprocess
import time

from testbed.system import polling
from testbed.system.errors import LabError
from testbed.system.repository import ROOT
from testbed.system.shell import run

SYSTEM = ROOT / "host-agent" / "packaging" / "system"
# What building needs is where this machine has it.
ENVIRONMENT = ("env", "-i", *(f"{name}={os.environ[name]}" for name in ("PATH", "HOME")))
END_SECONDS = 30


class Machine:
    """A booted overlay of this machine; all that happens on it is gone with it."""

    def __init__(self):
        self._system = subprocess.Popen(
            [str(SYSTEM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.within = self._system.stdout.readline().split()
        if not self.within:
            raise LabError("the system did not boot: its reason is above")

    @property
    def pid(self):
        """The process whose namespaces are its."""
        return int(self.within[self.within.index("--target") + 1])

    def run(self, *command, timeout_seconds=30):
        """Run a command on it beside what is typed; returns what it prints."""
        return run([*self.within, *ENVIRONMENT, *command], timeout_seconds=timeout_seconds)

    def until(self, what, condition, timeout_seconds=30):
        """Poll until a condition, which may use run(), returns something true; returns that."""
        return polling.until(condition, what, timeout_seconds=timeout_seconds, interval_seconds=0.2)

    def end(self):
        """End it, with every process in it; returns what is left, which should be nothing."""
        self._system.stdin.close()
        name = f"sluice-system-{self._system.pid}"
        try:
            self._system.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._system.terminate()
            return [f"system: {name}"]
        return [
            f"directory: {path}"
            for path in (f"/tmp/{name}", f"/sys/fs/cgroup/{name}")
            if os.path.exists(path)
        ]


class Terminal:
    """A shell of an operator on a machine: keeps its variables, aliases and directory."""

    def __init__(self, machine, directory):
        self._shell = subprocess.Popen(
            [*machine.within, *ENVIRONMENT, "bash", "-O", "expand_aliases"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.type(f"cd '{directory}'", timeout_seconds=10)

    def type(self, command, timeout_seconds):
        """Type a command; returns what it prints, LabError if it fails."""
        mark = secrets.token_hex(8)
        line = f"{{ {command}\n}} </dev/null; echo {mark} $?\n"
        self._shell.stdin.write(line.encode())
        self._shell.stdin.flush()
        output = self._read(f"{mark} ".encode(), command, timeout_seconds)
        text, _, status = output.decode(errors="replace").rpartition(f"{mark} ")
        if int(status) != 0:
            raise LabError(f"'{command}' ends with {status.strip()}: {text.strip()[-2000:]}")
        return text

    def _read(self, mark, command, timeout_seconds):
        deadline = time.monotonic() + timeout_seconds
        output = b""
        while not (output.endswith(b"\n") and mark in output):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._shell.stdout], [], [], left)[0]:
                raise LabError(f"'{command}' does not end within {timeout_seconds} s")
            part = os.read(self._shell.stdout.fileno(), 65536)
            if not part:
                raise LabError(f"'{command}' ended the shell: {output.decode(errors='replace')}")
            output += part
        return output
