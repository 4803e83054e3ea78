# SPDX-License-Identifier: Apache-2.0
"""Running commands: one place that turns a failed command into a readable error."""

import subprocess

from testbed.errors import LabError


def run(command, *, timeout_seconds=30, env=None, stdin=None, cwd=None):
    """Run a command (list of strings) and return its standard output.

    Raises LabError with the command's own words when it fails or takes too long.
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
        raise LabError(f"no answer within {timeout_seconds} s from: {' '.join(command)}") from late
    if done.returncode != 0:
        words = (done.stderr.strip() or done.stdout.strip()).splitlines()
        reason = words[-1] if words else f"exit status {done.returncode}"
        raise LabError(f"{' '.join(command)}: {reason}")
    return done.stdout
