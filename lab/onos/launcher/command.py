# SPDX-License-Identifier: Apache-2.0
"""The commands of `onos`."""

import argparse
import dataclasses
import json
import os
from pathlib import Path

from karaf.command import NOT_RUNNING, Launcher, print_report
from karaf.errors import UsageError
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
        start.add_argument(
            "--nodes",
            type=int,
            default=1,
            metavar="N",
            help="so many, and what they store in, in network namespaces of a run's own; needs"
            " root; addresses and ports are chosen (1)",
        )
        start.add_argument("--peers", metavar="ADDRESS,ADDRESS", help=argparse.SUPPRESS)
        start.add_argument("--storage", metavar="ADDRESS", help=argparse.SUPPRESS)
        storage = commands.add_parser("storage")  # of a cluster: becomes the JVM
        storage.add_argument("--bind", required=True)
        storage.set_defaults(run=self._storage)
        listing = commands.add_parser("components", help="list components that are not satisfied")
        listing.add_argument("--all", action="store_true", help="list the satisfied ones too")
        listing.add_argument("--json", action="store_true", help="print JSON")
        listing.set_defaults(run=self._components)
        for name, command in commands.choices.items():
            if name not in ("start", "storage"):
                command.add_argument(
                    "--node", type=int, metavar="N", help="of a cluster, from 1 on"
                )
        return [listing, storage]

    def settings(self, arguments: argparse.Namespace) -> Settings:
        peers = tuple(arguments.peers.split(",")) if arguments.peers else ()
        return dataclasses.replace(
            super().settings(arguments), peers=peers, storage=arguments.storage
        )

    def run_directory(self, arguments: argparse.Namespace) -> RunDirectory:
        """That of one node where --node names it."""
        run = super().run_directory(arguments)
        if arguments.node is None:
            return run
        names = run.read_record().get("nodes", ())
        if not 0 < arguments.node <= len(names):
            raise UsageError(f"--node {arguments.node}: {run.path} is a cluster of {len(names)}")
        return self.directory(run.path / names[arguments.node - 1])

    def start(self, arguments: argparse.Namespace) -> int:
        if arguments.nodes == 1:
            return super().start(arguments)
        settings = self.settings(arguments)
        chosen = dataclasses.replace(
            self.defaults, heap_mib=settings.heap_mib, properties=settings.properties
        )
        if arguments.nodes < 1 or settings != chosen:
            raise UsageError(
                f"--nodes {arguments.nodes}: give 1 or more, and neither --bind nor a port with"
                " several: each node has an address of its own"
            )
        self.ensure_built(self.version(arguments))
        options = ["--heap-mib", str(settings.heap_mib), "--timeout", str(arguments.timeout)]
        for each in arguments.set:
            options += ["--set", each]
        run = self.new_directory(arguments)
        self.note(f"starting {arguments.nodes} nodes in {run.path} ...")
        _cluster().start(run, arguments.nodes, options)
        print_report(self._cluster_state(run), arguments.json)
        return 0

    def stop(self, arguments: argparse.Namespace) -> int:
        run = self.run_directory(arguments)
        if not _is_cluster(run):
            return super().stop(arguments)
        if arguments.keep:
            raise UsageError("--keep: nothing is kept of a cluster; leave it out")
        _cluster().stop(run)
        return 0

    def status(self, arguments: argparse.Namespace) -> int:
        run = self.run_directory(arguments)
        if not _is_cluster(run):
            return super().status(arguments)
        report = self._cluster_state(run)
        print_report(report, arguments.json)
        return 0 if report["running"] else NOT_RUNNING

    def log(self, arguments: argparse.Namespace) -> int:
        _require_node(self.run_directory(arguments))
        return super().log(arguments)

    def running(self, arguments: argparse.Namespace) -> tuple[RunDirectory, dict]:
        _require_node(self.run_directory(arguments))
        return super().running(arguments)

    def _cluster_state(self, run: RunDirectory) -> dict:
        record = run.read_record()
        nodes = {name: self.state(self.directory(run.path / name)) for name in record["nodes"]}
        return {
            "running": all(each["running"] for each in nodes.values()),
            "ready": all(each.get("ready") for each in nodes.values()),
            "directory": str(run.path),
            "storage": record["storage"],
            **nodes,
        }

    def _storage(self, arguments: argparse.Namespace) -> int:
        command = jvm.storage_command(arguments.bind, arguments.dir / "data")
        os.execv(command[0], command)

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


def _is_cluster(run: RunDirectory) -> bool:
    return "nodes" in run.read_record()


def _require_node(run: RunDirectory) -> None:
    if _is_cluster(run):
        raise UsageError(f"{run.path} is a cluster: choose one with --node")


def _cluster():
    # It needs the testbed, and what that needs; a single ONOS does not.
    from launcher import cluster

    return cluster
