# SPDX-License-Identifier: Apache-2.0
"""`lab/run beside`: what results were expected to be and are, a column per controller."""

import json
from pathlib import Path

from testbed.options.command import Command
from testbed.report.expectations import EXIT_STATUS, worst
from testbed.report.figures import shown
from testbed.system.errors import LabError


def run(options):
    """Print the table; returns the exit status of the worst verdict."""
    results = [_read(Path(file)) for file in options.files]
    print(table(results))
    return EXIT_STATUS[worst(result["verdict"] for result in results)]


def _read(file):
    try:
        result = json.loads(file.read_text(encoding="utf-8"))
        _ = result["controller"]["version"], result["experiment"], result["expectations"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LabError(f"{file} is no result of an experiment with a controller") from error
    return result


def table(results):
    """The table as a document has it: a row per expectation, and one per verdict."""
    rows, columns = {}, []
    for result in results:
        column = "{name} {version}".format(**result["controller"])
        columns += [column] if column not in columns else []
        experiment = result["experiment"]
        for each in result["expectations"]:
            row = rows.setdefault((experiment, each["name"]), {"bound": each["bound"]})
            row[column] = shown(each["measured"], 3) + ("" if each["holds"] else " **fails**")
        rows.setdefault((experiment, "verdict"), {"bound": "pass"})[column] = result["verdict"]
    heads = ["experiment", "expectation", "bound", *columns]
    lines = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    for (experiment, name), row in rows.items():
        values = [row.get(column, "-") for column in columns]
        lines.append(f"| {' | '.join([experiment, name, row['bound'], *values])} |")
    return "\n".join(lines)


def _add_options(command):
    command.add_argument(
        "files", metavar="FILE", nargs="+", help="documents that experiments wrote with --json"
    )


COMMAND = Command(
    "beside", "results of experiments in one table, a column per controller", _add_options, run
)
