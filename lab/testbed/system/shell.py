# SPDX-License-Identifier: Apache-2.0
"""Running commands: one place that turns a failed command into a readable error."""

import re
import subprocess

from testbed.system.errors import LabError

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
LONGEST_REASON = 2000


def run(command, *, timeout_seconds=30, env=None, stdin=None, cwd=None):
    """Run a command (list of strings) and return its standard output.

    Raises LabError with the command's own output when it fails or takes too long.
    """
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=timeout_seconds,
            env=env,
            input=stdin,
            cwd=cwd,
            check=False,
        )
    except FileNotFoundError as missing:
        raise LabError(f"command not found: {missing.filename}") from missing
    except subprocess.TimeoutExpired as late:
        raise LabError(f"timed out after {timeout_seconds} s: {' '.join(command)}") from late
    if done.returncode != 0:
        output = COLOURS.sub("", done.stderr.strip() or done.stdout.strip()).splitlines()
        reason = "\n".join(line for line in output if line.strip()) or f"status {done.returncode}"
        raise LabError(f"{' '.join(command)}: {reason[-LONGEST_REASON:]}")
    return done.stdout
