# SPDX-License-Identifier: Apache-2.0
"""The agent on Debian's kernels, in emulation: what `sluice-agent probe` finds, whether agents run
with endpoints on a veth and a tap, and with a port, and their BPF tests. A kernel before 6.6 has to
be refused, with the remedy.

Exit status: 0 as expected; 1 not, or a kernel cannot be had."""

import argparse
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from . import emulation, packages, results

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / ".tools" / "kernels"
# Debian 12's own, which the agent refuses, the one of its backports, and those of Debian 13's.
TOO_OLD = ("6.1",)
SERIES = (*TOO_OLD, "6.12", "6.18", "7.3")
HINTS = "tcphints/cgroups"
# Tests that load, run or attach BPF programs, or make queues, and need no other program. Those of
# ports and uplinks measure rates, which a machine that is slower than its clock cannot show.
TESTED = ("shim", "congestion", HINTS, "hooks", "bpffs", "tap", "endpoints", "htb")
# What depends on when packets come; and random packets and floods of flows: minutes, for arithmetic
# that no kernel changes.
SKIPPED = (
    *("TestLimitsHold", "TestSparseFlowsAreServedFirst"),
    *("TestAFlowIsSparseUntilItHasSentTooMuch", "TestClassesAreTheSameWithLevels"),
    "TestNoWindowDependsOnWhatProgramsReturn",
    *("TestRandom.*", "TestAFloodOfFlowsEvictsNoFlowOfOthers"),
)
# Tests read a connection's least timeout by TCP_RTO_MIN_US, which Linux has since 6.17.
TIMEOUT_UNREADABLE = ("6.12",)


def end_as_interrupted() -> None:
    """SIGTERM ends this program as Ctrl-C does: with the machine that it runs."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))


def main(arguments: list[str]) -> int:
    end_as_interrupted()
    parser = argparse.ArgumentParser(
        prog="lab/kernels/run",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    every = " ".join(SERIES)
    parser.add_argument(
        "series", nargs="*", metavar="SERIES", help=f"some of {every}; default: all"
    )
    parser.add_argument(
        "--sources",
        type=Path,
        metavar="FILE",
        help="apt's lines for kernels that have left Debian's archive",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there")
    parser.add_argument(
        "--out",
        type=Path,
        default=ROOT / "target" / "kernels",
        metavar="DIR",
        help="for what machines write",
    )
    options = parser.parse_args(arguments)
    if unknown := set(options.series) - set(SERIES):
        parser.error(f"SERIES {', '.join(sorted(unknown))} is unknown: give some of {every}")
    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    if options.sources:
        sources = options.sources.read_text(encoding="utf-8")
    else:
        sources = packages.machine_sources()
    archive = packages.Packages(KERNELS, sources)
    files = _built(out / "tests")
    rows = []
    for series in options.series or SERIES:
        try:
            rows.append(_examine(archive.kernel(series), series, files, out))
        except packages.PackagesError as problem:
            rows.append(results.Row(series, faults=[str(problem)]))
    if options.json:
        text = json.dumps([vars(row) for row in rows], indent=2)
        options.json.write_text(text + "\n", encoding="utf-8")
    print(results.table(rows))
    return 1 if any(row.faults for row in rows) else 0


def _built(place: Path) -> dict[str, Path]:
    """What the machine needs of the agent, by path there: tests' data is where sources have it."""
    files = {
        "agent": Path(__file__).with_name("agent"),
        "bin/sluice-agent": ROOT / "host-agent" / "bin" / "sluice-agent",
        "api/vectors": ROOT / "api" / "vectors",
    }
    for package in TESTED:
        there = f"host-agent/internal/{package}"
        files[f"{there}/tests"] = place / package
        options = ["-vet=off", "-trimpath", "-ldflags=-s -w", "-o", place / package]
        subprocess.run(
            ["go", "test", "-c", *options, f"./internal/{package}"],
            cwd=ROOT / "host-agent",
            env=os.environ | {"CGO_ENABLED": "0"},
            check=True,
        )
        if (data := ROOT / there / "testdata").exists():
            files[f"{there}/testdata"] = data
    return files


def _examine(
    kernel: packages.Kernel, series: str, files: dict[str, Path], out: Path
) -> results.Row:
    """Boots a kernel, and judges what its steps wrote."""
    too_old = series in TOO_OLD
    tested = [it for it in TESTED if not (it == HINTS and series in TIMEOUT_UNREADABLE)]
    names = [results.PROBE, results.AGENT, *([] if too_old else tested)]
    image, console, output = (
        out / f"{kernel.release}.{it}" for it in ("cpio", "console", "output")
    )
    emulation.file_system(image, kernel, files, "".join(map(_step, names)))
    _report(f"{kernel.release} boots; what it writes: {output}")
    lines: list[str] = []

    def follow(text: str) -> None:
        lines.append(text)
        if text.startswith("@end "):
            _report(f"{kernel.release} {results.steps(lines)[-1]}")

    ended = emulation.run(emulation.command(kernel, image, console, output), output, follow)
    image.unlink()
    done = results.steps(lines)
    faults = results.faults(done, names, too_old)
    if not ended:
        faults.append(f"ended after {emulation.SILENCE_SECONDS} s of silence: see {console}")
    return results.row(kernel.release, done, faults)


def _step(name: str) -> str:
    """A line of what the machine's first process runs."""
    commands = {results.PROBE: "sluice-agent probe --json", results.AGENT: "/agent"}
    options = f"-test.v -test.timeout 1h -test.skip '^({'|'.join(SKIPPED)})$'"
    tests = f"in_directory /host-agent/internal/{name} ./tests {options}"
    return f"step {name} {commands.get(name, tests)}\n"


def _report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
