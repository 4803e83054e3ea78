# SPDX-License-Identifier: Apache-2.0
"""The command line of a launcher: start, stop, status, cli, log, and what a controller adds."""

import argparse
import json
import secrets
import signal
import sys
import time
from pathlib import Path
from typing import ClassVar

from karaf import readiness, rundirectory, shell
from karaf.errors import FailedStartError, LauncherError, UsageError
from karaf.process import Process
from karaf.rundirectory import RunDirectory
from karaf.settings import Settings, parse_property

STOP_GRACE_SECONDS = 30.0
NOT_RUNNING = 3
_EPILOG = """\
exit status: 0 done; 1 failed; 2 wrong usage; 3 not running (status).
Without --dir, start makes a new directory below $XDG_RUNTIME_DIR or /tmp, and the other commands
take the only one there is. """


class Launcher:
    """The commands for one kind of controller, which subclasses describe."""

    name: ClassVar[str]  # of the program
    title: ClassVar[str]
    description: ClassVar[str]
    users: ClassVar[str]
    cli_example: ClassVar[str]
    property_form: ClassVar[str]
    version_key: ClassVar[str]
    defaults: ClassVar[Settings]
    start_seconds: ClassVar[float]

    def directory(self, path: Path) -> RunDirectory:
        """The run directory at a path."""
        raise NotImplementedError

    def add_commands(self, commands, start: argparse.ArgumentParser) -> list:
        """Adds options of `start`, and further commands, which are returned."""
        raise NotImplementedError

    def version(self, arguments: argparse.Namespace) -> str:
        """What is to be started."""
        raise NotImplementedError

    def launch(self, run: RunDirectory, settings: Settings, version: str) -> Process:
        """Starts the process in a claimed directory, whose content it makes or refreshes."""
        raise NotImplementedError

    def ensure_built(self, version: str) -> None:
        """Builds what is started when that is missing."""
        raise NotImplementedError

    def missing(self, process: Process, settings: Settings) -> str | None:
        """What a controller still lacks, None when it is ready."""
        raise NotImplementedError

    def main(self) -> int:
        """Runs one command; returns the exit status."""
        arguments = self._parser().parse_args()
        # Ended from outside, `start` still has to end what it began.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        try:
            return arguments.run(arguments)
        except UsageError as error:
            print(f"{self.name}: {error}", file=sys.stderr)
            return 2
        except LauncherError as error:
            print(f"{self.name}: {error}", file=sys.stderr)
            return 1

    def _parser(self) -> argparse.ArgumentParser:
        parser = argparse.ArgumentParser(
            prog=self.name,
            description=self.description,
            epilog=_EPILOG + self.users,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        commands = parser.add_subparsers(required=True, metavar="COMMAND")
        start = commands.add_parser("start", help=f"start {self.title} and wait until it is ready")
        start.add_argument(
            "--bind", default=self.defaults.bind, metavar="ADDRESS", help="listen here"
        )
        for name, port in self.defaults.ports.items():
            start.add_argument(
                f"--{name}-port", type=int, default=port, metavar="N", help=f"default {port}"
            )
        start.add_argument(
            "--set",
            action="append",
            default=[],
            metavar=self.property_form,
            help="set a property before it starts; may be given again",
        )
        start.add_argument(
            "--heap-mib",
            type=int,
            default=self.defaults.heap_mib,
            metavar="N",
            help=f"default {self.defaults.heap_mib}",
        )
        start.add_argument(
            "--timeout",
            type=float,
            default=self.start_seconds,
            metavar="SECONDS",
            help=f"default {self.start_seconds:.0f}",
        )
        start.set_defaults(run=self.start)
        stop = commands.add_parser("stop", help="stop it and remove its directory")
        stop.add_argument("--keep", action="store_true", help="keep the directory, for a restart")
        stop.set_defaults(run=self.stop)
        status = commands.add_parser("status", help="whether it runs and is ready")
        status.set_defaults(run=self.status)
        cli = commands.add_parser("cli", help=f"run one command of {self.title}'s command line")
        cli.add_argument("line", nargs=argparse.REMAINDER, help=f"for example: {self.cli_example}")
        cli.set_defaults(run=self._cli)
        log = commands.add_parser("log", help="print karaf.log")
        log.set_defaults(run=self.log)
        further = self.add_commands(commands, start)
        for command in (start, stop, status, cli, log, *further):
            command.add_argument("--dir", type=Path, help="the run directory")
        for command in (start, status):
            command.add_argument("--json", action="store_true", help="print JSON")
        return parser

    def settings(self, arguments: argparse.Namespace) -> Settings:
        """What `start` was given."""
        return Settings(
            bind=arguments.bind,
            rest_port=arguments.rest_port,
            ssh_port=arguments.ssh_port,
            openflow_port=arguments.openflow_port,
            cluster_port=arguments.cluster_port,
            heap_mib=arguments.heap_mib,
            properties=tuple(parse_property(each, self.property_form) for each in arguments.set),
        )

    def new_directory(self, arguments: argparse.Namespace) -> RunDirectory:
        """The one of --dir, or else a new name."""
        path = arguments.dir or rundirectory.parent() / (self._prefix + secrets.token_hex(3))
        return self.directory(path.resolve())

    def start(self, arguments: argparse.Namespace) -> int:
        """Starts one, and returns once it is ready."""
        settings = self.settings(arguments)
        run = self.new_directory(arguments)
        kept = run.is_ours
        if kept and live_process(run.read_record()) is not None:
            raise LauncherError(f"--dir {run.path}: {self.title} runs there already; stop it first")
        settings.check()
        version = self.version(arguments)
        self.ensure_built(version)
        began = time.monotonic()
        try:
            process = self._started_in_two(
                run, settings, version, arguments.timeout, keeps_data=kept
            )
        except BaseException:
            if run.is_ours and not kept:
                run.remove()
            raise
        self.note(
            f"ready after {time.monotonic() - began:.0f} s,"
            f" {process.cpu_seconds:.0f} s of processor time"
        )
        print_report(self._report(run, process), arguments.json)
        return 0

    def _started_in_two(
        self,
        run: RunDirectory,
        settings: Settings,
        version: str,
        timeout_seconds: float,
        *,
        keeps_data: bool,
    ) -> Process:
        """As _started(), with a second attempt after a failed one, each within half of the time.

        Now and then OpenDaylight goes on starting for ever: its OpenFlow port stays closed.

        keeps_data: whether the second attempt goes on with what the controller stored; otherwise
        it inherits nothing from the first one, whose bundles and settings may have caused the
        failure.
        """
        try:
            return self._started(run, settings, version, timeout_seconds / 2)
        except FailedStartError as error:
            self.note(f"{error}\n{self.name}: starting once more")
        run.set_log_aside()
        if not keeps_data:
            run.forget()
        return self._started(run, settings, version, timeout_seconds / 2)

    def _started(
        self, run: RunDirectory, settings: Settings, version: str, timeout_seconds: float
    ) -> Process:
        """A process whose controller is ready; none is left when it does not become so."""
        run.claim()
        self.note(f"starting in {run.path} ...")
        process = self.launch(run, settings, version)
        try:
            run.record(self._record(process, settings, version))
            readiness.wait(
                self.title, process, run, lambda: self.missing(process, settings), timeout_seconds
            )
        except BaseException:
            process.stop(STOP_GRACE_SECONDS)
            raise
        return process

    def _record(self, process: Process, settings: Settings, version: str) -> dict:
        return {
            "pid": process.pid,
            "startTicks": process.start_ticks,
            "bind": settings.bind,
            "address": settings.reachable_address,
            "url": settings.url,
            "ports": settings.ports,
            self.version_key: version,
        }

    def _report(self, run: RunDirectory, process: Process | None) -> dict:
        record = run.read_record()
        report = {
            "running": process is not None,
            "directory": str(run.path),
            "url": record.get("url"),
            "address": record.get("address"),
            "ports": record.get("ports"),
            self.version_key: record.get(self.version_key),
            "log": str(run.karaf_log),
        }
        if process is not None:
            report["pid"] = process.pid
            report["residentMib"] = process.resident_mib
            report["cpuSeconds"] = process.cpu_seconds
        return report

    def stop(self, arguments: argparse.Namespace) -> int:
        """Stops it, and removes its directory unless that is to be kept."""
        run = self.run_directory(arguments)
        process = live_process(run.read_record())
        if process is not None:
            process.stop(STOP_GRACE_SECONDS)
            if process.is_alive:
                raise LauncherError(f"process {process.pid} does not end")
        if not arguments.keep:
            run.remove()
        return 0

    def status(self, arguments: argparse.Namespace) -> int:
        """Prints whether it runs and is ready."""
        report = self.state(self.run_directory(arguments))
        print_report(report, arguments.json)
        return 0 if report["running"] else NOT_RUNNING

    def state(self, run: RunDirectory) -> dict:
        """What is reported of one now."""
        record = run.read_record()
        process = live_process(record)
        report = self._report(run, process)
        if process is not None:
            ports = {f"{name}_port": port for name, port in record["ports"].items()}
            report["missing"] = self.missing(process, Settings(bind=record["bind"], **ports))
            report["ready"] = report["missing"] is None
        return report

    def _cli(self, arguments: argparse.Namespace) -> int:
        _, record = self.running(arguments)
        line = " ".join(arguments.line)
        print(shell.run(record["address"], record["ports"]["ssh"], line), end="")
        return 0

    def log(self, arguments: argparse.Namespace) -> int:
        """Prints its logs."""
        run = self.run_directory(arguments)
        for path in (run.console_log, run.karaf_log):
            if path.exists():
                sys.stdout.write(path.read_text(errors="replace"))
        return 0

    def note(self, text: str) -> None:
        """Reports progress."""
        print(f"{self.name}: {text}", file=sys.stderr)

    def run_directory(self, arguments: argparse.Namespace) -> RunDirectory:
        """The one of --dir, or else the only one there is."""
        return self.directory(arguments.dir.resolve() if arguments.dir else self._find_only())

    def running(self, arguments: argparse.Namespace) -> tuple[RunDirectory, dict]:
        """The run directory of a running controller, and its record."""
        run = self.run_directory(arguments)
        record = run.read_record()
        if live_process(record) is None:
            raise LauncherError(f"--dir {run.path}: its {self.title} does not run")
        return run, record

    @property
    def _prefix(self) -> str:
        return f"sluice-{self.name}-"

    def _find_only(self) -> Path:
        above = rundirectory.parent()
        candidates = sorted(above.glob(self._prefix + "*"))
        found = [each for each in candidates if RunDirectory(each).is_ours]
        if len(found) == 1:
            return found[0]
        if not found:
            raise LauncherError(
                f"no {self.title} found in {above}; give --dir, or run `{self.name} start`"
            )
        names = ", ".join(str(path) for path in found)
        raise LauncherError(f"more than one {self.title}: {names}; choose with --dir")


def live_process(record: dict) -> Process | None:
    """The process of a record while it is alive."""
    if "pid" not in record:
        return None
    process = Process(record["pid"], record["startTicks"])
    return process if process.is_alive else None


def print_report(report: dict, as_json: bool) -> None:
    """Prints a report for a program or for a reader."""
    if as_json:
        print(json.dumps(report, indent=2))
        return
    for key, value in report.items():
        shown = " ".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else value
        print(f"{key}: {shown}")
