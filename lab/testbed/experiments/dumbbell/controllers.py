# SPDX-License-Identifier: Apache-2.0
"""`lab/run dumbbell --controller all`: a run on each of the lab's controllers, side by side."""

import argparse
from pathlib import Path

from testbed.control import controller
from testbed.experiments.dumbbell import experiment
from testbed.flooding import criteria
from testbed.report import documents
from testbed.report.expectations import EXIT_STATUS, worst
from testbed.report.figures import shown
from testbed.system.errors import LabError

EXPERIMENT = "dumbbell-controllers"


def run(options, *, fits):
    """Run one after the other; returns the exit status.

    fits: whether what else was chosen is a run with a controller and its law.
    """
    if not fits or options.keep or options.archive or experiment.sweep_of(options):
        raise LabError(
            "--controller all: one run on each, with the applications that are built here: leave"
            " out --manual-rates, --law hygenicc, --keep, --oar, --kar, --matrix and 'all' of"
            " --signals and --notices"
        )
    if controller.locate(options) is not None:
        raise LabError(
            "--controller all: runs on the lab's own: leave out --onos and"
            f" {controller.ENVIRONMENT_VARIABLE}"
        )
    cells = [
        cell for kind in controller.CONTROLLERS for cell in experiment.measure(_of(kind, options))
    ]
    path = documents.path_of(EXPERIMENT, options.out, options.json)
    documents.write_json(document(cells), path)
    print(f"\n{table(cells)}\n\nresult:  {path}")
    return EXIT_STATUS[document(cells)["verdict"]]


def _of(kind, options):
    """The options of the run on one of them."""
    changed = {
        "controller": kind,
        "line": options.line if kind == controller.OPENDAYLIGHT else None,
        "out": str(Path(options.out) / kind),
        "json": None,
    }
    return argparse.Namespace(**{**vars(options), **changed})


def document(cells):
    """All as JSON; each one's own document is named."""
    return {
        "experiment": EXPERIMENT,
        "runs": [{"file": cell.file, **cell.further, **cell.report.as_json()} for cell in cells],
        "verdict": worst(cell.report.verdict for cell in cells),
    }


def table(cells):
    """The table as a document has it: a row per figure, a column per controller."""
    heads = [str(cell.report.controller) for cell in cells]
    lines = [f"| | {' | '.join(heads)} |", f"|{' --- |' * (len(cells) + 1)}"]
    for name, figure in _ROWS:
        values = [figure(cell) for cell in cells]
        if any(values):
            lines.append(f"| {name} | {' | '.join(value or '-' for value in values)} |")
    return "\n".join(lines)


def _percent(value):
    return None if value is None else f"{value:.1%}"


def _marks(cell):
    marks = cell.report.mark_to_rate
    return f"{shown(marks['p50'])} / {shown(marks['p99'])}" if marks["samples"] else None


def _deviation(name):
    def figure(cell):
        phase = cell.phase(name)
        return phase and _percent(criteria.largest_deviation(phase))

    return figure


def _takes(name):
    def figure(cell):
        return _percent(cell.report.further.get("controllerProcessors", {}).get(name))

    return figure


def _used(text):
    return lambda cell: text.format(**cell.report.controller.as_json())


_ROWS = (
    ("flooded: TCP of its share", lambda cell: _percent(cell.tcp_share("flooded"))),
    ("controlled: TCP of its share", lambda cell: _percent(cell.tcp_share("controlled"))),
    ("controlled: largest deviation from a share", _deviation("controlled")),
    (
        "controlled: the port is used",
        lambda cell: _percent(cell.phase("controlled").utilisation),
    ),
    ("weighted: largest deviation from a share", _deviation("weighted")),
    ("released: TCP of its share", lambda cell: _percent(cell.tcp_share("released"))),
    ("first mark to changed rate, p50 / p99, ms", _marks),
    ("controller: ready after", _used("{bootSeconds:.0f} s")),
    (
        "controller: processor time until ready; afterwards",
        _used("{bootCpuSeconds:.0f} s; {cpuSeconds:.0f} s in {seconds:.0f} s"),
    ),
    ("controller: of a processor, idle", _takes("idle")),
    ("controller: of a processor, under load", _takes("load")),
    ("controller: resident at the end", _used("{residentMib} MiB")),
    ("idle CPU while traffic ran", lambda cell: _percent(cell.report.cpu.idle)),
    ("verdict", lambda cell: cell.report.verdict),
)
