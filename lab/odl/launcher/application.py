# SPDX-License-Identifier: Apache-2.0
"""Installs a Karaf archive in a running OpenDaylight by its deploy directory, and removes it."""

import shutil
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

from karaf import shell
from karaf.errors import LauncherError, UsageError
from karaf.rundirectory import RunDirectory

from launcher import manifests

_STARTED, _ACTIVE = "Started", ("Active", "Fragment")
_UNRESOLVED = "Unable to resolve"


class Application:
    """The features of an archive in a running OpenDaylight."""

    def __init__(self, archive: Path, record: dict):
        self._archive = archive
        self._record = record
        try:
            self.features, self.bundles = _content(archive)
        except (OSError, zipfile.BadZipFile, ElementTree.ParseError) as error:
            raise UsageError(f"{archive}: not a Karaf archive (.kar): {error}") from error
        if not self.features:
            raise UsageError(f"{archive}: has no features.xml below repository/")

    def install(self, run: RunDirectory, timeout_seconds: float) -> None:
        """Returns once its features are started and every bundle of theirs is active."""
        installed = run.deploy / self._archive.name
        if installed.exists():
            raise UsageError(
                f"{self._archive.name}: is installed already; uninstall {installed.stem} first"
            )
        # Not watched, so that OpenDaylight does not read half of it.
        copy = run.base / self._archive.name
        shutil.copyfile(self._archive, copy)
        log_before = run.karaf_log.stat().st_size
        copy.rename(installed)

        def lacking() -> str | None:
            with run.karaf_log.open("rb") as log:
                log.seek(log_before)
                logged = log.read().decode(errors="replace").splitlines()
            # The last is the innermost reason.
            if unresolved := [line for line in logged if _UNRESOLVED in line]:
                raise LauncherError(f"{self._archive.name} is not installed: {unresolved[-1]}")
            return self._lacking()

        try:
            _wait(lacking, f"{self._archive.name} is not installed", timeout_seconds)
        except BaseException:
            installed.unlink()
            raise

    def uninstall(self, timeout_seconds: float) -> None:
        """Removes it; returns once none of its features is left."""
        self._archive.unlink()
        _wait(self._remaining, f"{self._archive.name} is not removed", timeout_seconds)

    def _lacking(self) -> str | None:
        started = self._started()
        missing = [name for name in self.features if name not in started]
        if missing:
            return f"features not started: {', '.join(missing)}"
        states = self._states()
        idle = [
            f"{name} {states.get(name, 'is missing')}"
            for name in self.bundles
            if states.get(name) not in _ACTIVE
        ]
        if idle:
            reasons = self._shell("bundle:diag")
            return f"bundles not active: {', '.join(idle)}\n{reasons}"
        return None

    def _remaining(self) -> str | None:
        left = sorted(self._started() & set(self.features))
        return f"features left: {', '.join(left)}" if left else None

    def _started(self) -> set[str]:
        lines = self._shell("feature:list -i --no-format | cat").splitlines()
        rows = [[cell.strip() for cell in line.split("\t")] for line in lines]
        return {row[0] for row in rows if _STARTED in row}

    def _states(self) -> dict[str, str]:
        """The state of each bundle by its symbolic name."""
        lines = self._shell("bundle:list -t 0 -s --no-format | cat").splitlines()
        rows = [[cell.strip() for cell in line.split("\t")] for line in lines]
        return {row[-1]: row[1] for row in rows if len(row) > 1}

    def _shell(self, command: str) -> str:
        return shell.run(self._record["address"], self._record["ports"]["ssh"], command)


def _content(archive: Path) -> tuple[list[str], list[str]]:
    """Names of the features in an archive, and symbolic names of the bundles in it."""
    features, bundles = [], []
    with zipfile.ZipFile(archive) as opened:
        for name in opened.namelist():
            if name.endswith("features.xml"):
                root = ElementTree.fromstring(opened.read(name))
                features += [each.attrib["name"] for each in root.findall("{*}feature")]
            elif name.endswith(".jar"):
                with opened.open(name) as jar:
                    symbolic_name = manifests.read(jar).get("Bundle-SymbolicName", "")
                bundles.append(symbolic_name.partition(";")[0])
    return features, [name for name in bundles if name]


def _wait(lacking: Callable[[], str | None], failure: str, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while reason := lacking():
        if time.monotonic() > deadline:
            raise LauncherError(f"{failure} after {seconds:.0f} s: {reason}")
        time.sleep(0.5)
