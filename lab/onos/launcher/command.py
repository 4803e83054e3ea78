# SPDX-License-Identifier: Apache-2.0
"""The command line: start, stop, status, components, cli, log."""

import argparse
import json
import secrets
import signal
import sys
import time
from pathlib import Path

from launcher import components, distribution, jvm, readiness, rundirectory, shell
from launcher.errors import FailedStartError, LauncherError, UsageError
from launcher.process import Process
from launcher.rundirectory import RunDirectory
from launcher.settings import Settings, parse_property

_STOP_GRACE_SECONDS = 30.0
_EPILOG = """\
exit status: 0 done; 1 failed; 2 wrong usage; 3 not running (status).
Without --dir, start makes a new directory below $XDG_RUNTIME_DIR or /tmp, and the other commands
take the only one there is. REST user onos/rocks, ssh user karaf/karaf.
"""


def main() -> int:
    """Runs one command; returns the exit status."""
    arguments = _parser().parse_args()
    # Ended from outside, `start` still has to end what it began.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        return arguments.run(arguments)
    except UsageError as error:
        print(f"onos: {error}", file=sys.stderr)
        return 2
    except LauncherError as error:
        print(f"onos: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="onos",
        description="The lab's ONOS 2.5.6, assembled from Maven Central.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    start = commands.add_parser("start", help="start an ONOS and wait until it is ready")
    defaults = Settings()
    start.add_argument("--bind", default=defaults.bind, metavar="ADDRESS", help="listen here")
    for name, port in defaults.ports.items():
        start.add_argument(
            f"--{name}-port", type=int, default=port, metavar="N", help=f"default {port}"
        )
    start.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="COMPONENT:PROPERTY=VALUE",
        help="set a component's property before it starts; may be given again",
    )
    start.add_argument("--heap-mib", type=int, default=defaults.heap_mib, metavar="N")
    start.add_argument("--timeout", type=float, default=180, metavar="SECONDS")
    start.set_defaults(run=_start)
    stop = commands.add_parser("stop", help="stop it and remove its directory")
    stop.add_argument("--keep", action="store_true", help="keep the directory, for a restart")
    stop.set_defaults(run=_stop)
    status = commands.add_parser("status", help="whether it runs and is ready")
    status.set_defaults(run=_status)
    listing = commands.add_parser("components", help="list components that are not satisfied")
    listing.add_argument("--all", action="store_true", help="list the satisfied ones too")
    listing.set_defaults(run=_components)
    cli = commands.add_parser("cli", help="run one command of ONOS's own command line")
    cli.add_argument("line", nargs=argparse.REMAINDER, help="for example: flows -s")
    cli.set_defaults(run=_cli)
    log = commands.add_parser("log", help="print karaf.log")
    log.set_defaults(run=_log)
    for command in (start, stop, status, listing, cli, log):
        command.add_argument("--dir", type=Path, help="the run directory")
    for command in (start, status, listing):
        command.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _start(arguments: argparse.Namespace) -> int:
    settings = Settings(
        bind=arguments.bind,
        rest_port=arguments.rest_port,
        ssh_port=arguments.ssh_port,
        openflow_port=arguments.openflow_port,
        cluster_port=arguments.cluster_port,
        heap_mib=arguments.heap_mib,
        properties=tuple(parse_property(each) for each in arguments.set),
    )
    path = arguments.dir or rundirectory.parent() / (rundirectory.PREFIX + secrets.token_hex(3))
    run = RunDirectory(path.resolve())
    kept = run.is_ours
    if kept and _process(run.read_record()) is not None:
        raise LauncherError(f"--dir {run.path}: an ONOS runs there already; stop it first")
    settings.check()
    distribution.ensure_built()
    began = time.monotonic()
    try:
        process = _started_in_two(run, settings, arguments.timeout, keeps_data=kept)
    except BaseException:
        if run.is_ours and not kept:
            run.remove()
        raise
    print(f"onos: ready after {time.monotonic() - began:.0f} s", file=sys.stderr)
    _print(_report(run, process), arguments.json)
    return 0


def _started_in_two(
    run: RunDirectory, settings: Settings, timeout_seconds: float, *, keeps_data: bool
) -> Process:
    """As _started(), with a second attempt after a failed one.

    keeps_data: whether the second attempt goes on with what ONOS stored; otherwise it inherits
    nothing from the first one, whose bundles and settings may have caused the failure.
    """
    try:
        return _started(run, settings, timeout_seconds)
    except FailedStartError as error:
        print(f"onos: {error}\nonos: starting once more", file=sys.stderr)
    run.set_log_aside()
    if not keeps_data:
        run.forget()
    return _started(run, settings, timeout_seconds)


def _started(run: RunDirectory, settings: Settings, timeout_seconds: float) -> Process:
    """A process whose ONOS is ready; none is left when it does not become so."""
    run.prepare(settings)
    print(f"onos: starting in {run.path} ...", file=sys.stderr)
    process = Process.start(jvm.command(run, settings), run.base, run.console_log)
    try:
        run.record(_record(process, settings))
        readiness.wait(process, run, settings, timeout_seconds)
    except BaseException:
        process.stop(_STOP_GRACE_SECONDS)
        raise
    return process


def _record(process: Process, settings: Settings) -> dict:
    return {
        "pid": process.pid,
        "startTicks": process.start_ticks,
        "bind": settings.bind,
        "address": settings.reachable_address,
        "url": settings.url,
        "ports": settings.ports,
        "onosVersion": distribution.ONOS_VERSION,
    }


def _report(run: RunDirectory, process: Process | None) -> dict:
    record = run.read_record()
    report = {
        "running": process is not None,
        "directory": str(run.path),
        "url": record.get("url"),
        "address": record.get("address"),
        "ports": record.get("ports"),
        "onosVersion": record.get("onosVersion"),
        "log": str(run.karaf_log),
    }
    if process is not None:
        report["pid"] = process.pid
        report["residentMib"] = process.resident_mib
    return report


def _print(report: dict, as_json: bool) -> None:
    if as_json:
        print(json.dumps(report, indent=2))
        return
    for key, value in report.items():
        shown = " ".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else value
        print(f"{key}: {shown}")


def _run_directory(arguments: argparse.Namespace) -> RunDirectory:
    return RunDirectory(arguments.dir.resolve() if arguments.dir else rundirectory.find_only())


def _process(record: dict) -> Process | None:
    """The process of a record while it is alive."""
    if "pid" not in record:
        return None
    process = Process(record["pid"], record["startTicks"])
    return process if process.is_alive else None


def _stop(arguments: argparse.Namespace) -> int:
    run = _run_directory(arguments)
    process = _process(run.read_record())
    if process is not None:
        process.stop(_STOP_GRACE_SECONDS)
        if process.is_alive:
            raise LauncherError(f"process {process.pid} does not end")
    if not arguments.keep:
        run.remove()
    return 0


def _status(arguments: argparse.Namespace) -> int:
    run = _run_directory(arguments)
    record = run.read_record()
    process = _process(record)
    report = _report(run, process)
    if process is not None:
        ports = {f"{name}_port": port for name, port in record["ports"].items()}
        report["missing"] = readiness.missing(process, Settings(bind=record["bind"], **ports))
        report["ready"] = report["missing"] is None
    _print(report, arguments.json)
    return 0 if process is not None else 3


def _components(arguments: argparse.Namespace) -> int:
    record = _running(arguments)
    listed = components.listed(record["address"], record["ports"]["ssh"])
    shown = [each for each in listed if arguments.all or not each.is_satisfied]
    if arguments.json:
        print(json.dumps([vars(each) | {"satisfied": each.is_satisfied} for each in shown]))
    else:
        for each in shown:
            print(f"{','.join(each.states) or 'no instance':24} {each.bundle:40} {each.name}")
    return 0 if all(each.is_satisfied for each in listed) else 1


def _cli(arguments: argparse.Namespace) -> int:
    record = _running(arguments)
    print(shell.run(record["address"], record["ports"]["ssh"], " ".join(arguments.line)), end="")
    return 0


def _running(arguments: argparse.Namespace) -> dict:
    run = _run_directory(arguments)
    record = run.read_record()
    if _process(record) is None:
        raise LauncherError(f"--dir {run.path}: its ONOS does not run")
    return record


def _log(arguments: argparse.Namespace) -> int:
    run = _run_directory(arguments)
    for path in (run.console_log, run.karaf_log):
        if path.exists():
            sys.stdout.write(path.read_text(errors="replace"))
    return 0
