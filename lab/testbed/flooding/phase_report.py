# SPDX-License-Identifier: Apache-2.0
"""The report on a sequence of phases: its documents, and the table that is printed."""

from dataclasses import dataclass, field
from pathlib import Path

from testbed.report import documents
from testbed.report.expectations import EXIT_STATUS, busy_intervals, verdict
from testbed.system import processors

NO_MARKS = {"p50": None, "p99": None, "samples": 0}


@dataclass
class PhaseReport:
    """All that is reported of a sequence; further: fields that only this experiment has."""

    experiment: str
    bottleneck_mbps: float
    controller: object  # the Controller; None: there was none
    cpu: processors.CpuUse
    phases: list
    expectations: list
    mark_to_rate: dict = field(default_factory=lambda: dict(NO_MARKS))
    leftovers: list = field(default_factory=list)
    aims: list = field(default_factory=list)
    further: dict = field(default_factory=dict)
    verdict: str = "fail"

    @property
    def busy_phases(self):
        """Names of the phases in which the machine had too little idle CPU to judge."""
        return busy_intervals({phase.name: phase.cpu for phase in self.phases})

    def as_json(self):
        """The document of `--json FILE`."""
        return {
            "experiment": self.experiment,
            "bottleneckMbps": self.bottleneck_mbps,
            "controller": self.controller.as_json() if self.controller else None,
            **self.cpu.as_json(),
            "phases": [_phase_as_json(phase) for phase in self.phases],
            "markToRateMs": self.mark_to_rate,
            "busyPhases": self.busy_phases,
            **self.further,
            "leftovers": self.leftovers,
            "expectations": [expectation.as_json() for expectation in self.expectations],
            "verdict": self.verdict,
        }

    def details(self):
        """What the document has no field for: aims, probes, other connections, CPU use."""
        phases = {
            phase.name: {
                "freshConnection": phase.fresh_connection,
                "longLivedConnection": phase.long_lived,
                "requestResponse": phase.probe,
                "bottleneckQueue": phase.queue,
            }
            for phase in self.phases
        }
        return {**phases, "aims": [aim.as_json() for aim in self.aims]}


def _phase_as_json(phase):
    return {
        "name": phase.name,
        **phase.cpu.as_json(),
        "seconds": phase.window.phase.seconds,
        "utilisation": round(phase.utilisation, 4),
        "jain": None if phase.jain is None else round(phase.jain, 4),
        "endpoints": [
            {
                "name": endpoint.name,
                "transport": endpoint.transport,
                "weight": endpoint.weight,
                "goodputMbps": round(endpoint.goodput_mbps, 3),
                "fairShareMbps": round(endpoint.fair_share_mbps, 3),
            }
            for endpoint in phase.endpoints
        ],
    }


def table(report):
    """The table that an experiment prints."""
    lines = [
        f"{'phase':<11}{'endpoint':<9}{'transport':<11}{'weight':>6}"
        f"{'Mbit/s':>9}{'fair':>8}{'of fair':>9}   the whole phase"
    ]
    for phase in report.phases:
        notes = _notes(phase)
        for row in range(max(len(phase.endpoints), len(notes))):
            left = " " * 63
            if row < len(phase.endpoints):
                endpoint = phase.endpoints[row]
                left = (
                    f"{phase.name if row == 0 else '':<11}{endpoint.name:<9}"
                    f"{endpoint.transport:<11}{endpoint.weight:>6g}"
                    f"{endpoint.goodput_mbps:>9.2f}{endpoint.fair_share_mbps:>8.2f}"
                    f"{endpoint.share:>9.1%}"
                )
            lines.append((left + "   " + (notes[row] if row < len(notes) else "")).rstrip())
    return "\n".join(lines)


def _notes(phase):
    probe = phase.probe
    fairness = "-" if phase.jain is None else f"{phase.jain:.3f}"
    notes = [f"utilisation {phase.utilisation:.1%}, Jain {fairness}, {phase.cpu}"]
    if probe["requests"]:
        notes.append(
            f"request-response p50 {probe['p50Millis']:.2f}, p99 {probe['p99Millis']:.2f} ms,"
            f" {probe['lost']} of {probe['requests']} lost"
        )
    queue = phase.queue
    notes.append(
        f"queue p50 {queue['p50Packets']}, p99 {queue['p99Packets']} packets,"
        f" {queue['markedPackets']} marked, {queue['droppedPackets']} dropped"
    )
    notes.append(
        f"long-lived {phase.long_lived['goodputMbps']:.2f} Mbit/s,"
        f" stalled for up to {phase.long_lived['longestStallSeconds']:.1f} s"
    )
    return notes


def conclude(report, out, json_file, plot):
    """Judge, print and write a report; returns the exit status.

    json_file: where the user wants the document; None: only in out.
    """
    busy = report.busy_phases
    report.verdict = verdict(report.expectations, report.leftovers, report.cpu, busy)
    document_file = documents.path_of(report.experiment, out, json_file)
    details_file = Path(out) / f"{report.experiment}-details.json"
    documents.write_json(report.as_json(), document_file)
    documents.write_json(report.details(), details_file)
    print(f"\n{table(report)}\n")
    if report.mark_to_rate["samples"]:
        marks = report.mark_to_rate
        print(
            f"mark to changed rate: p50 {marks['p50']:.1f} ms, p99 {marks['p99']:.1f} ms,"
            f" {marks['samples']} samples\n"
        )
    print(
        documents.judgement(
            report.expectations, report.leftovers, report.verdict, report.aims, report.cpu, busy
        )
    )
    print()
    for what, path in (("plot", plot), ("result", document_file), ("details", details_file)):
        print(f"{what + ':':<9}{path}")
    return EXIT_STATUS[report.verdict]
