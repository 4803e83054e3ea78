# SPDX-License-Identifier: Apache-2.0
"""What an experiment reports at its end: a document, tables, a picture, the verdict."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from testbed.report import documents
from testbed.report.expectations import verdict
from testbed.system import processors


@dataclass(frozen=True)
class Report:
    """The results of an experiment.

    chosen, measured: the document's fields about what was chosen, and what came of it. tables:
    printed in this order. aims: None: the experiment has none. draw(path): the picture, whose file
    is named after the first table; None: there is none. judged_cpu: what the verdict goes by; None:
    cpu. busy: as expectations.verdict().
    """

    experiment: str
    chosen: dict
    measured: dict
    expected: list
    cpu: processors.CpuUse
    tables: list
    aims: list | None = None
    draw: Callable | None = None
    judged_cpu: processors.CpuUse | None = None
    busy: list = field(default_factory=list)

    def document(self, leftovers):
        """The document of `--json FILE`."""
        aims = {} if self.aims is None else {"aims": [each.as_json() for each in self.aims]}
        return {
            "experiment": self.experiment,
            **self.chosen,
            **self.cpu.as_json(),
            **self.measured,
            "expectations": [each.as_json() for each in self.expected],
            **aims,
            "leftovers": leftovers,
            "verdict": verdict(self.expected, leftovers, self.judged_cpu or self.cpu, self.busy),
        }

    def conclude(self, options, leftovers):
        """Draw, print and write everything; returns the exit status."""
        tables = list(self.tables)
        if self.draw is not None:
            plot = Path(options.out) / f"{self.experiment}.png"
            self.draw(plot)
            tables.insert(1, f"plot:    {plot}")
        print("\n" + "\n\n".join(tables) + "\n")
        document = self.document(leftovers)
        return documents.conclude(
            *(document, self.expected, options.out, options.json, self.aims or ()),
            cpu=self.judged_cpu or self.cpu,
            busy=self.busy,
        )
