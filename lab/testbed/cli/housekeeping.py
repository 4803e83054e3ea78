# SPDX-License-Identifier: Apache-2.0
"""`lab/run cleanup` and `lab/run runs`: existing runs."""

from testbed.options.command import Command
from testbed.runs import registry
from testbed.system import requirements


def cleanup(options):
    """Remove the named runs, or those whose owner has ended (--kept: also those left up)."""
    requirements.check()
    if options.run_ids:
        chosen = [registry.find(run_id) for run_id in options.run_ids]
    else:
        chosen = [
            candidate
            for candidate in registry.existing()
            if candidate.is_stale() or (options.kept and candidate.read().get("kept"))
        ]
    for target in chosen:
        registry.remove(target)
        print(f"removed run {target.id}")
    if not chosen:
        print("nothing to remove")
    return 0


def list_runs(options):
    """Print every run that exists."""
    for found in registry.existing():
        record = found.read()
        state = "kept" if record.get("kept") else "owner ended" if found.is_stale() else "running"
        name, since = record.get("experiment", "?"), record.get("startedAt", "?")
        print(f"{found.id}  {name:<24}{since}  {state}")
    return 0


def _add_cleanup_options(command):
    command.add_argument(
        "run_ids", metavar="ID", nargs="*", help="these; none: all whose owner has ended"
    )
    command.add_argument("--kept", action="store_true", help="also those left up with --keep")


RUNS = Command("runs", "list existing runs", lambda command: None, list_runs)
CLEANUP = Command("cleanup", "remove existing runs", _add_cleanup_options, cleanup)
