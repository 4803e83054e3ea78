# SPDX-License-Identifier: Apache-2.0
"""The assembled ONOS: Karaf, ONOS's jars and the stand-ins, built once by Maven."""

import contextlib
import fcntl
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from launcher.errors import LauncherError

MODULE = Path(__file__).resolve().parent.parent
HOME = MODULE / "distribution" / "target" / "onos"
KARAF = HOME / "apache-karaf-4.2.15"
ONOS_VERSION = "2.5.6"

_STAND_INS = KARAF / "system/org/sluice"
_FEATURES = _STAND_INS / f"onos-features/{ONOS_VERSION}/onos-features-{ONOS_VERSION}-features.xml"
_VERSION = MODULE.parents[1] / "VERSION"
_SOURCE_SUFFIXES = (".java", ".xml", ".properties", ".cfg", ".cfgdef")


def ensure_built() -> None:
    """Builds the distribution when it is missing or older than its sources."""
    with _build_lock():
        if not _is_current():
            _build()


def _is_current() -> bool:
    built = max((path.stat().st_mtime for path in _STAND_INS.rglob("*.*")), default=0.0)
    sources = (
        path
        for path in MODULE.rglob("*")
        if path.suffix in _SOURCE_SUFFIXES and "target" not in path.relative_to(MODULE).parts
    )
    newest = max(path.stat().st_mtime for path in (_VERSION, *sources))
    return _FEATURES.exists() and built >= newest


def _build() -> None:
    if shutil.which("mvn") is None:
        raise LauncherError("mvn not found: install Maven (Debian: maven) and a JDK 17")
    print("onos: assembling ONOS with Maven (first time: some minutes) ...", file=sys.stderr)
    version = f"-Drevision={_VERSION.read_text().strip()}"
    command = ["mvn", "-q", "-B", "-f", str(MODULE / "pom.xml"), version, "package", "-DskipTests"]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0 or not _FEATURES.exists():
        tail = (done.stdout + done.stderr).splitlines()[-20:]
        raise LauncherError("\n".join([f"{' '.join(command)} failed:", *tail]))


@contextlib.contextmanager
def _build_lock() -> Iterator[None]:
    """Two starts at once must not build into the same place."""
    lock = MODULE / "target" / "build.lock"
    lock.parent.mkdir(exist_ok=True)
    with lock.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
