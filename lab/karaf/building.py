# SPDX-License-Identifier: Apache-2.0
"""What is assembled by Maven on first use."""

import contextlib
import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from karaf.errors import LauncherError


@contextlib.contextmanager
def lock(path: Path) -> Iterator[None]:
    """Two starts at once must not build into the same place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def maven(
    arguments: list[str],
    expected: Path,
    program: str = "mvn",
    environment: Mapping[str, str] | None = None,
) -> None:
    """Runs Maven, which must make what is expected.

    environment: variables beside those of this process.
    """
    if shutil.which(program) is None:
        raise LauncherError(f"{program} not found: run lab/setup")
    command = [program, "-q", "-B", *arguments]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | (environment or {}),
    )
    if done.returncode != 0 or not expected.exists():
        tail = (done.stdout + done.stderr).splitlines()[-20:]
        raise LauncherError("\n".join([f"{' '.join(command)} failed:", *tail]))
