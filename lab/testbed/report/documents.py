# SPDX-License-Identifier: Apache-2.0
"""Result documents: writing them, printing how they are judged, and the exit status."""

import json
from pathlib import Path

from testbed.report.expectations import EXIT_STATUS, why_inconclusive


def write_json(document, path):
    """Write a document in one step, so that a reader never gets half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_name(path.name + ".new")
    staged.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    staged.replace(path)


def path_of(name, out, json_file):
    """Where a document goes: to json_file, which the user names, or (None) to out/NAME.json."""
    return Path(json_file) if json_file else Path(out) / f"{name}.json"


def judgement(expectations, leftovers, the_verdict, aims=(), cpu=None, busy=()):
    """Expectations, aims, leftovers and the verdict in lines; why, if it is inconclusive.

    cpu, busy: as expectations.verdict().
    """
    lines = [_line(each, "holds", "FAILS") for each in expectations]
    lines += [_line(each, "reported, met:", "reported, NOT met:") for each in aims]
    lines += [f"LEFT BEHIND  {item}" for item in leftovers]
    if the_verdict == "inconclusive":
        lines += [f"NOT JUDGED  {reason}" for reason in why_inconclusive(cpu, busy)]
    lines.append(f"verdict: {the_verdict}")
    return "\n".join(lines)


def _line(expectation, good, bad):
    measured = "nothing" if expectation.measured is None else f"{expectation.measured:.3f}"
    mark = good if expectation.holds else bad
    return f"{mark}  {expectation.name}: {measured} ({expectation.bound})"


def conclude(document, expectations, out, json_file, aims=(), cpu=None, busy=()):
    """Write a document, print how it is judged; returns the exit status.

    document: with "experiment", "leftovers" and "verdict"; cpu, busy: as expectations.verdict().
    """
    path = path_of(document["experiment"], out, json_file)
    write_json(document, path)
    print(judgement(expectations, document["leftovers"], document["verdict"], aims, cpu, busy))
    print(f"\nresult:  {path}")
    return EXIT_STATUS[document["verdict"]]
