# SPDX-License-Identifier: Apache-2.0
"""The directory one ONOS runs in: its configuration, data, log and record."""

import json
import os
import shutil
import tempfile
from pathlib import Path

from launcher import distribution
from launcher.errors import LauncherError
from launcher.settings import REQUIRED_APPLICATIONS, Settings

PREFIX = "sluice-onos-"
_OPENFLOW_CONTROLLER = "org.onosproject.openflow.controller.impl.OpenFlowControllerImpl"


def parent() -> Path:
    """Where run directories go unless --dir says otherwise."""
    return Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir())


def find_only() -> Path:
    """The one run directory there is; raises when there is none or a choice."""
    found = sorted(path for path in parent().glob(PREFIX + "*") if RunDirectory(path).is_ours)
    if len(found) == 1:
        return found[0]
    if not found:
        raise LauncherError(f"no ONOS found in {parent()}; give --dir, or run `onos start`")
    names = ", ".join(str(path) for path in found)
    raise LauncherError(f"more than one ONOS: {names}; choose with --dir")


class RunDirectory:
    """Layout and content of a run directory. ONOS reads `../apps` and `../config`."""

    def __init__(self, path: Path):
        self.path = path
        self.base = path / "karaf"
        self.etc = self.base / "etc"
        self.data = self.base / "data"
        self.record_path = path / "run.json"
        self.console_log = path / "console.log"
        self.karaf_log = self.data / "log" / "karaf.log"

    @property
    def is_ours(self) -> bool:
        return self.record_path.exists()

    def prepare(self, settings: Settings) -> None:
        """Creates the directory, or refreshes the configuration of a kept one."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        foreign = [entry for entry in self.path.iterdir() if not self.is_ours]
        if foreign:
            raise LauncherError(f"--dir {self.path}: holds other files; give a new or empty one")
        self.record({})
        if not (self.path / "apps").exists():
            shutil.copytree(distribution.HOME / "apps", self.path / "apps")
            for name in REQUIRED_APPLICATIONS:
                (self.path / "apps" / name / "active").touch()
        shutil.copytree(distribution.KARAF / "etc", self.etc, dirs_exist_ok=True)
        for folder in (self.data / "tmp", self.data / "log", self.base / "system"):
            folder.mkdir(parents=True, exist_ok=True)
        (self.base / "deploy").mkdir(exist_ok=True)
        (self.path / "VERSION").write_text(distribution.ONOS_VERSION + "\n")
        self._write_etc(settings)
        self._write_config(settings)

    def _write_etc(self, settings: Settings) -> None:
        _merge_properties(
            self.etc / "org.apache.karaf.shell.cfg",
            {"sshHost": settings.bind, "sshPort": str(settings.ssh_port)},
        )
        (self.etc / "org.ops4j.pax.web.cfg").write_text(
            f"org.osgi.service.http.port = {settings.rest_port}\n"
            f"org.ops4j.pax.web.listening.addresses = {settings.bind}\n"
            "org.osgi.service.http.enabled = true\n"
            "org.osgi.service.http.secure.enabled = false\n"
            "org.ops4j.pax.web.session.timeout = 1440\n"
            "org.ops4j.pax.web.session.url = none\n"
            "org.ops4j.pax.web.config.file = ${karaf.etc}/jetty.xml\n"
        )

    def _write_config(self, settings: Settings) -> None:
        config = self.path / "config"
        config.mkdir(exist_ok=True)
        node = {
            "id": settings.reachable_address,
            "ip": settings.reachable_address,
            "port": settings.cluster_port,
        }
        cluster = {"name": "sluice-lab", "node": node, "controller": [node], "storage": []}
        (config / "cluster.json").write_text(json.dumps(cluster, indent=2) + "\n")
        components = {_OPENFLOW_CONTROLLER: {"openflowPorts": str(settings.openflow_port)}}
        for component, name, value in settings.properties:
            components.setdefault(component, {})[name] = value
        (config / "component-cfg.json").write_text(json.dumps(components, indent=2) + "\n")

    def record(self, content: dict) -> None:
        self.record_path.write_text(json.dumps(content, indent=2) + "\n")

    def read_record(self) -> dict:
        if not self.is_ours:
            raise LauncherError(f"--dir {self.path}: no ONOS was started there")
        return json.loads(self.record_path.read_text())

    def set_log_aside(self) -> None:
        """Lets the next start begin a log of its own; the one so far stays beside it."""
        self.karaf_log.replace(self.path / "karaf.log.before")

    def forget(self) -> None:
        """Removes what Karaf and ONOS stored, for a start as in a new directory."""
        shutil.rmtree(self.base)
        shutil.rmtree(self.path / "apps")

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def _merge_properties(path: Path, values: dict[str, str]) -> None:
    lines = [
        line for line in path.read_text().splitlines() if line.split("=")[0].strip() not in values
    ]
    lines += [f"{key} = {value}" for key, value in values.items()]
    path.write_text("\n".join(lines) + "\n")
