# SPDX-License-Identifier: Apache-2.0
"""Transports and laws side by side."""

import pytest

from testbed.control.laws import SDN_GCC, SLUICE
from testbed.experiments.dumbbell import matrix
from testbed.flooding import criteria, phase_report
from testbed.system import processors
from testbed.tests.builders import BOTTLENECK_MBPS, controller, phase_result

EQUAL = {"h1": 11.8, "h2": 12.1, "h3": 12.2, "h4": 12.1}


def cell(congestion_control, law, verdict="pass", controlled=11.8):
    phases = [
        phase_result("flooded", {**EQUAL, "h1": 0.1}),
        phase_result("controlled", {**EQUAL, "h1": controlled}),
    ]
    by_name = {phase.name: phase for phase in phases}
    report = phase_report.PhaseReport(
        experiment=f"dumbbell-{congestion_control}-{law}",
        bottleneck_mbps=BOTTLENECK_MBPS,
        controller=controller(),
        cpu=processors.CpuUse(0.3),
        phases=phases,
        expectations=criteria.short(by_name, congestion_control, law),
        verdict=verdict,
    )
    file = f"out/{report.experiment}.json"
    return matrix.Cell(congestion_control, law, law, report, file)


CELLS = [
    cell("reno", SLUICE),
    cell("reno", SDN_GCC, controlled=8.7),
    cell("bbr", SLUICE),
    cell("bbr", SDN_GCC, controlled=8.7),
]


def test_table_has_a_line_for_every_cell_and_names_the_bounds_that_it_is_judged_by():
    lines = matrix.table(matrix.BY_LAW, CELLS).splitlines()
    assert [line.split()[:2] for line in lines[1:-1]] == [
        ["reno", "sluice"],
        ["reno", "sdn-gcc"],
        ["bbr", "sluice"],
        ["bbr", "sdn-gcc"],
    ]
    assert ["Sluice's bounds" in line for line in lines[1:-1]] == [True, False] * 2
    assert ["SDN-GCC's bounds" in line for line in lines[1:-1]] == [False, True] * 2
    assert "98.7%" in lines[1] and "72.8%" in lines[2]


@pytest.mark.parametrize(
    ("verdicts", "verdict", "status"),
    [
        (("pass", "pass"), "pass", 0),
        (("pass", "inconclusive"), "inconclusive", 3),
        (("inconclusive", "fail"), "fail", 1),
    ],
)
def test_the_worst_cell_decides(verdicts, verdict, status):
    cells = [cell("reno", SLUICE, verdicts[0]), cell("reno", SDN_GCC, verdicts[1])]
    assert matrix.document(matrix.BY_LAW, cells, [])["verdict"] == verdict
    assert matrix.status(cells) == status


def test_document_names_the_cell_in_every_expectation():
    document = matrix.document(matrix.BY_LAW, CELLS, ["link: slc-0000-m"])
    assert list(document)[-3:] == ["leftovers", "expectations", "verdict"]
    assert document["leftovers"] == ["link: slc-0000-m"]
    names = [each["name"] for each in document["expectations"]]
    assert len(names) == len(set(names)) == sum(len(c.report.expectations) for c in CELLS)
    assert "reno under sluice: controlled: TCP / its fair share" in names
    assert [each["judgedBy"] for each in document["cells"]][:2] == [
        "Sluice's bounds",
        "SDN-GCC's bounds",
    ]


def test_plot(tmp_path):
    file = tmp_path / "deep" / "matrix.png"
    matrix.draw(matrix.BY_LAW, CELLS, file)
    assert file.stat().st_size > 10_000
