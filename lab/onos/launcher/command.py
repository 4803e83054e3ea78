# SPDX-License-Identifier: Apache-2.0
"""The commands of `onos`."""

import argparse
import json
from pathlib import Path

from karaf.command import Launcher
from karaf.process import Process
from karaf.rundirectory import RunDirectory
from karaf.settings import Settings

from launcher import components, distribution, jvm, readiness
from launcher.rundirectory import OnosDirectory


class OnosLauncher(Launcher):
    """Starts, watches and stops an ONOS."""

    name = "onos"
    title = "ONOS"
    description = "The lab's ONOS 2.5.6, assembled from Maven Central."
    users = "REST user onos/rocks, ssh user karaf/karaf.\n"
    cli_example = "flows -s"
    property_form = "COMPONENT:PROPERTY=VALUE"
    version_key = "onosVersion"
    defaults = Settings()
    start_seconds = 180.0

    def directory(self, path: Path) -> OnosDirectory:
        return OnosDirectory(path)

    def add_commands(self, commands, start: argparse.ArgumentParser) -> list:
        listing = commands.add_parser("components", help="list components that are not satisfied")
        listing.add_argument("--all", action="store_true", help="list the satisfied ones too")
        listing.add_argument("--json", action="store_true", help="print JSON")
        listing.set_defaults(run=self._components)
        return [listing]

    def version(self, arguments: argparse.Namespace) -> str:
        return distribution.ONOS_VERSION

    def ensure_built(self, version: str) -> None:
        distribution.ensure_built(self.note)

    def launch(self, run: RunDirectory, settings: Settings, version: str) -> Process:
        run.prepare(settings)
        return Process.start(jvm.command(run, settings), run.base, run.console_log)

    def missing(self, process: Process, settings: Settings) -> str | None:
        return readiness.missing(process, settings)

    def _components(self, arguments: argparse.Namespace) -> int:
        _, record = self.running(arguments)
        listed = components.listed(record["address"], record["ports"]["ssh"])
        shown = [each for each in listed if arguments.all or not each.is_satisfied]
        if arguments.json:
            print(json.dumps([vars(each) | {"satisfied": each.is_satisfied} for each in shown]))
        else:
            for each in shown:
                print(f"{','.join(each.states) or 'no instance':24} {each.bundle:40} {each.name}")
        return 0 if all(each.is_satisfied for each in listed) else 1
