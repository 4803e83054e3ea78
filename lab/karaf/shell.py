# SPDX-License-Identifier: Apache-2.0
"""Karaf's command line, over ssh with the stock user and password."""

import os
import shutil
import subprocess

from karaf.errors import LauncherError

_LOST = 255  # ssh's own status, of a connection rather than of the command
_OPTIONS = (
    "StrictHostKeyChecking=no",
    "UserKnownHostsFile=/dev/null",
    "GlobalKnownHostsFile=/dev/null",
    "LogLevel=ERROR",
    "PreferredAuthentications=password",
    "PubkeyAuthentication=no",
    "ConnectTimeout=5",
)


def run(address: str, port: int, command: str, timeout_seconds: float = 30) -> str:
    """Runs one command and returns what it printed.

    It is run once more where Karaf closes the connection before ssh does, so it may be repeated.
    """
    for program, package in (("ssh", "openssh-client"), ("sshpass", "sshpass")):
        if shutil.which(program) is None:
            raise LauncherError(f"{program} not found: install Debian's package {package}")
    arguments = ["sshpass", "-e", "ssh", "-T", "-p", str(port)]
    for option in _OPTIONS:
        arguments += ["-o", option]
    arguments += [f"karaf@{address}", command]
    try:
        done = _once(arguments, timeout_seconds)
        if done.returncode == _LOST:
            done = _once(arguments, timeout_seconds)
    except subprocess.TimeoutExpired as error:
        raise LauncherError(f"ssh to port {port}: no answer in {timeout_seconds} s") from error
    if done.returncode != 0:
        raise LauncherError(f"ssh to port {port}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def _once(arguments: list[str], timeout_seconds: float) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        arguments,
        env=dict(os.environ, SSHPASS="karaf"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout_seconds,
        check=False,
    )
