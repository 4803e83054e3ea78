# SPDX-License-Identifier: Apache-2.0
"""What a machine's steps wrote, and whether it is what is expected of the kernel."""

import json
import re
from dataclasses import dataclass, field

PROBE = "probe"
AGENT = "agent"
# What Linux before 6.6 lacks of what the agent needs, and what the agent has to say then.
TOO_OLD = {"tcx", "shim-programs"}
REMEDY = "boot Linux 6.6 or newer"

_ENDED = re.compile(r"--- (PASS|FAIL|SKIP): (\S+)")


@dataclass
class Step:
    """One command on the machine. status: None if it did not come to its end."""

    name: str
    status: int | None = None
    lines: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        passed = len(self.tests("PASS"))
        return f"{self.name}: exit status {self.status}" + (f", {passed} passed" if passed else "")

    def tests(self, verdict: str) -> list[str]:
        """Names of Go's tests that ended so."""
        matches = map(_ENDED.match, self.lines)
        return [match[2] for match in matches if match and match[1] == verdict]


def steps(lines: list[str]) -> list[Step]:
    found: list[Step] = []
    for line in lines:
        word, *rest = line.split(" ")
        if word == "@begin":
            found.append(Step(rest[0]))
        elif word == "@end":
            found[-1].status = int(rest[1])
        elif found and found[-1].status is None:
            found[-1].lines.append(line)
    return found


def features(probe: Step) -> list[dict]:
    """What `sluice-agent probe --json` lists, before its error if any; none where it lists none."""
    try:
        return json.JSONDecoder().raw_decode("\n".join(probe.lines))[0]["features"]
    except (ValueError, KeyError):
        return []


def missing(probe: Step) -> list[str]:
    return [feature["name"] for feature in features(probe) if not feature["present"]]


def faults(done: list[Step], expected: list[str], too_old: bool) -> list[str]:
    """What is not as expected. too_old: the agent has to refuse it, for the known reason."""
    by_name = {step.name: step for step in done}
    found = [f"{name}: did not run" for name in expected if name not in by_name]
    found += [f"{step.name}: did not end" for step in done if step.status is None]
    ended = [step for step in done if step.status is not None]
    judge = _refused if too_old else _works
    return found + [fault for step in ended for fault in judge(step)]


def _works(step: Step) -> list[str]:
    if step.name == PROBE and not features(step):
        return ["probe: lists no features"]
    if step.name == PROBE and missing(step):
        return [f"probe: this kernel lacks {', '.join(missing(step))}"]
    if failed := step.tests("FAIL"):
        return [f"{step.name}: {', '.join(failed)} failed"]
    if step.status != 0:
        return [f"{step.name}: exit status {step.status}: {' '.join(step.lines[-3:])}"]
    if step.name not in (PROBE, AGENT) and not step.tests("PASS"):
        return [f"{step.name}: no test ran"]
    return []


def _refused(step: Step) -> list[str]:
    if step.status == 0:
        return [f"{step.name}: has to fail on a kernel before 6.6, and did not"]
    if step.name == PROBE:
        needed = {f["name"]: f for f in features(step) if not f["present"] and f.get("neededBy")}
        if set(needed) != TOO_OLD:
            return [f"probe: lacks {sorted(needed)} of what is needed, not {sorted(TOO_OLD)}"]
        return [
            f"probe: the remedy of {name} is {feature.get('remedy')!r}, not {REMEDY!r}"
            for name, feature in needed.items()
            if REMEDY not in feature.get("remedy", "")
        ]
    if REMEDY not in "\n".join(step.lines):
        return [f"{step.name}: names no remedy ({REMEDY!r}): {' '.join(step.lines[-3:])}"]
    return []


@dataclass
class Row:
    """One kernel of the table. tests: how many passed, by package."""

    kernel: str
    missing: list[str] = field(default_factory=list)
    tests: dict[str, int] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def row(release: str, done: list[Step], found: list[str]) -> Row:
    return Row(
        release,
        [name for step in done if step.name == PROBE for name in missing(step)],
        {step.name: len(passed) for step in done if (passed := step.tests("PASS"))},
        [name for step in done for name in step.tests("SKIP")],
        found,
    )


def table(rows: list[Row]) -> str:
    width = max(len(row.kernel) for row in rows)
    return "\n".join(f"{row.kernel:{width}}  {_verdict(row)}" for row in rows)


def _verdict(row: Row) -> str:
    if row.faults:
        return "NOT AS EXPECTED: " + "; ".join(row.faults)
    if row.missing:
        return f"refused, as expected: lacks {', '.join(row.missing)}; remedy: {REMEDY}"
    tests = ", ".join(f"{name} {count}" for name, count in row.tests.items())
    skipped = f"; skipped: {', '.join(row.skipped)}" if row.skipped else ""
    return f"has all features, agents run; tests passed: {tests}{skipped}"
