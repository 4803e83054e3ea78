# SPDX-License-Identifier: Apache-2.0
"""The directory one controller runs in: its configuration, data, log and record."""

import json
import os
import shutil
import tempfile
from pathlib import Path

from karaf.errors import LauncherError


def parent() -> Path:
    """Where run directories go unless --dir says otherwise."""
    return Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir())


class RunDirectory:
    """Layout and content of a run directory; Karaf's base is a part of it."""

    def __init__(self, path: Path):
        self.path = path
        self.base = path / "karaf"
        self.etc = self.base / "etc"
        self.data = self.base / "data"
        self.deploy = self.base / "deploy"
        self.record_path = path / "run.json"
        self.console_log = path / "console.log"
        self.karaf_log = self.data / "log" / "karaf.log"

    @property
    def is_ours(self) -> bool:
        return self.record_path.exists()

    def claim(self) -> None:
        """Creates it, or takes over one that a launcher made before."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self.is_ours and any(self.path.iterdir()):
            raise LauncherError(f"--dir {self.path}: holds other files; give a new or empty one")
        self.record({})

    def record(self, content: dict) -> None:
        self.record_path.write_text(json.dumps(content, indent=2) + "\n")

    def read_record(self) -> dict:
        if not self.is_ours:
            raise LauncherError(f"--dir {self.path}: no controller was started there")
        return json.loads(self.record_path.read_text())

    def set_log_aside(self) -> None:
        """Lets the next start begin a log of its own; the one so far stays beside it."""
        self.karaf_log.replace(self.path / "karaf.log.before")

    def forget(self) -> None:
        """Removes what the controller stored, for a start as in a new directory."""
        for entry in self.path.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry)

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def merge_properties(path: Path, values: dict[str, str]) -> None:
    """Sets properties in a file of KEY = VALUE lines, which need not exist."""
    lines = path.read_text().splitlines() if path.exists() else []
    kept = [line for line in lines if line.split("=")[0].strip() not in values]
    kept += [f"{key} = {value}" for key, value in values.items()]
    path.write_text("\n".join(kept) + "\n")
