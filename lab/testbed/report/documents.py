# SPDX-License-Identifier: Apache-2.0
"""The result of an experiment: as JSON for machines, as a table for people."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from testbed.report.expectations import EXIT_STATUS, verdict
from testbed.system import processors

NO_MARKS = {"p50": None, "p99": None, "samples": 0}


@dataclass
class Result:
    """Everything that an experiment reports; further: what only this kind of experiment has."""

    experiment: str
    bottleneck_mbps: float
    onos_version: str | None
    cpu: processors.CpuUse
    phases: list
    expectations: list
    mark_to_rate: dict = field(default_factory=lambda: dict(NO_MARKS))
    leftovers: list = field(default_factory=list)
    aims: list = field(default_factory=list)
    further: dict = field(default_factory=dict)
    verdict: str = "fail"

    def as_json(self):
        """The document of `--json FILE`."""
        return {
            "experiment": self.experiment,
            "bottleneckMbps": self.bottleneck_mbps,
            "onosVersion": self.onos_version,
            **self.cpu.as_json(),
            "phases": [_phase_as_json(phase) for phase in self.phases],
            "markToRateMs": self.mark_to_rate,
            **self.further,
            "leftovers": self.leftovers,
            "expectations": [expectation.as_json() for expectation in self.expectations],
            "verdict": self.verdict,
        }


def _phase_as_json(phase):
    return {
        "name": phase.name,
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


def details(result):
    """What the schema has no place for: aims, probes, other connections, CPU."""
    told = {
        phase.name: {
            **phase.cpu.as_json(),
            "freshConnection": phase.fresh_connection,
            "longLivedConnection": phase.long_lived,
            "requestResponse": phase.probe,
            "bottleneckQueue": phase.queue,
        }
        for phase in result.phases
    }
    told["aims"] = [aim.as_json() for aim in result.aims]
    return told


def write_json(document, path):
    """Write a document so that a reader never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_name(path.name + ".new")
    staged.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    staged.replace(path)


def table(result):
    """The table that an experiment prints."""
    lines = [
        f"{'phase':<11}{'endpoint':<9}{'transport':<11}{'weight':>6}"
        f"{'Mbit/s':>9}{'fair':>8}{'of fair':>9}   the whole phase"
    ]
    for phase in result.phases:
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
    if probe["asked"]:
        notes.append(
            f"request-response p50 {probe['p50Millis']:.2f}, p99 {probe['p99Millis']:.2f} ms,"
            f" {probe['lost']} of {probe['asked']} lost"
        )
    queue = phase.queue
    notes.append(
        f"queue p50 {queue['p50Packets']}, p99 {queue['p99Packets']} packets,"
        f" {queue['markedPackets']} marked, {queue['droppedPackets']} dropped"
    )
    notes.append(
        f"long-lived {phase.long_lived['goodputMbps']:.2f} Mbit/s,"
        f" stood still up to {phase.long_lived['longestStandstillSeconds']:.1f} s"
    )
    return notes


def judgement(expectations, leftovers, the_verdict, aims=()):
    """Expectations, aims, leftovers and the verdict in lines."""
    lines = [_line(each, "holds", "FAILS") for each in expectations]
    lines += [_line(each, "reported, met:", "reported, NOT met:") for each in aims]
    lines += [f"LEFT BEHIND  {item}" for item in leftovers]
    lines.append(f"verdict: {the_verdict}")
    return "\n".join(lines)


def _line(expectation, good, bad):
    measured = "nothing" if expectation.measured is None else f"{expectation.measured:.3f}"
    mark = good if expectation.holds else bad
    return f"{mark}  {expectation.name}: {measured} ({expectation.bound})"


def conclude(result, out, json_file, picture):
    """Judge, print and write a result; returns the exit status.

    json_file: where the user wants the document (None: only in out, as EXPERIMENT.json).
    """
    result.verdict = verdict(result.expectations, result.leftovers, result.cpu)
    document_file = Path(json_file) if json_file else out / f"{result.experiment}.json"
    details_file = out / f"{result.experiment}-details.json"
    write_json(result.as_json(), document_file)
    write_json(details(result), details_file)
    print()
    print(table(result))
    print()
    if result.mark_to_rate["samples"]:
        marks = result.mark_to_rate
        print(
            f"mark to changed rate: p50 {marks['p50']:.1f} ms, p99 {marks['p99']:.1f} ms,"
            f" {marks['samples']} samples\n"
        )
    print(judgement(result.expectations, result.leftovers, result.verdict, result.aims))
    print()
    for what, path in (("plot", picture), ("result", document_file), ("details", details_file)):
        print(f"{what + ':':<9}{path}")
    return EXIT_STATUS[result.verdict]


def conclude_figures(told, expectations, out, json_file):
    """Write and judge an experiment without phases; returns the exit status.

    told: its document, with "experiment", "leftovers" and "verdict".
    """
    document_file = Path(json_file) if json_file else out / f"{told['experiment']}.json"
    write_json(told, document_file)
    print(judgement(expectations, told["leftovers"], told["verdict"]))
    print(f"\nresult:  {document_file}")
    return EXIT_STATUS[told["verdict"]]
