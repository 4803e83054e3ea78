# SPDX-License-Identifier: Apache-2.0
"""The commands of `odl`."""

import argparse
from pathlib import Path

from karaf import rest
from karaf.command import Launcher
from karaf.errors import UsageError
from karaf.process import Process
from karaf.rundirectory import RunDirectory
from karaf.settings import Settings

from launcher import configuration, manifests
from launcher.application import Application
from launcher.distribution import LINES

USER = "admin:admin"
_NODES = "/rests/data/opendaylight-inventory:nodes?content=nonconfig&depth=2"
_NO_DATA = 409
# A lab's controller lives for minutes beside the network that it controls: the second compiler
# would take more of two cores than its faster code gives back.
_COMPILER = "-XX:TieredStopAtLevel=1"


class OdlLauncher(Launcher):
    """Starts, watches and stops an OpenDaylight."""

    name = "odl"
    title = "OpenDaylight"
    description = "The lab's OpenDaylight, assembled from Maven Central."
    users = "RESTCONF user admin/admin, ssh user karaf/karaf.\n"
    cli_example = "feature:list -i"
    property_form = "PID:KEY=VALUE"
    version_key = "line"
    defaults = Settings(cluster_port=2550, heap_mib=1024)
    start_seconds = 300.0

    def directory(self, path: Path) -> RunDirectory:
        return RunDirectory(path)

    def add_commands(self, commands, start: argparse.ArgumentParser) -> list:
        usual, *_ = LINES
        build = commands.add_parser("build", help="assemble it, as the first start does")
        build.set_defaults(run=self._build)
        for command in (start, build):
            command.add_argument("--line", choices=LINES, default=usual, help=f"default {usual}")
        install = commands.add_parser("install", help="install an application's .kar")
        install.add_argument("archive", type=Path, metavar="FILE.kar")
        install.set_defaults(run=self._install)
        uninstall = commands.add_parser("uninstall", help="remove an application")
        uninstall.add_argument("name", metavar="NAME", help="of its file, without .kar")
        uninstall.set_defaults(run=self._uninstall)
        for command in (install, uninstall):
            command.add_argument("--timeout", type=float, default=60.0, metavar="SECONDS")
        listing = commands.add_parser(
            "manifests", help="write what its bundles offer and need, for tests of resolution"
        )
        listing.add_argument("file", type=Path, metavar="FILE.gz")
        listing.set_defaults(run=self._manifests)
        return [install, uninstall, listing]

    def version(self, arguments: argparse.Namespace) -> str:
        return arguments.line

    def ensure_built(self, version: str) -> None:
        LINES[version].ensure_built(self.note)

    def launch(self, run: RunDirectory, settings: Settings, version: str) -> Process:
        configuration.prepare(run, settings, LINES[version])
        environment = LINES[version].environment | {
            "EXTRA_JAVA_OPTS": f"-Xms256m -Xmx{settings.heap_mib}m {_COMPILER}",
            "CHECK_ROOT_INSTANCE_RUNNING": "false",
        }
        command = [str(run.base / "bin" / "karaf"), "daemon"]
        return Process.start(command, run.base, run.console_log, environment)

    def missing(self, process: Process, settings: Settings) -> str | None:
        # OpenDaylight opens it once every bundle is active.
        if settings.openflow_port not in process.listening_ports:
            return f"nothing listens for switches on port {settings.openflow_port}"
        # Karaf opens it anew when it has read its settings.
        if settings.ssh_port not in process.listening_ports:
            return f"nothing listens for ssh on port {settings.ssh_port}"
        response = rest.get(settings.url + _NODES, USER)
        if response is None:
            return "RESTCONF does not answer"
        status, _ = response
        return None if status in (rest.OK, _NO_DATA) else f"RESTCONF answers {status}"

    def _build(self, arguments: argparse.Namespace) -> int:
        self.ensure_built(self.version(arguments))
        return 0

    def _manifests(self, arguments: argparse.Namespace) -> int:
        run, record = self.running(arguments)
        self.note(f"{manifests.write(run, record, arguments.file)} manifests")
        return 0

    def _install(self, arguments: argparse.Namespace) -> int:
        run, record = self.running(arguments)
        Application(arguments.archive, record).install(run, arguments.timeout)
        return 0

    def _uninstall(self, arguments: argparse.Namespace) -> int:
        run, record = self.running(arguments)
        archive = run.deploy / f"{arguments.name}.kar"
        if not archive.exists():
            names = ", ".join(sorted(each.stem for each in run.deploy.glob("*.kar"))) or "none"
            raise UsageError(f"NAME {arguments.name}: is not installed; installed: {names}")
        Application(archive, record).uninstall(arguments.timeout)
        return 0
