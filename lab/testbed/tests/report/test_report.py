# SPDX-License-Identifier: Apache-2.0
"""Tables, and what an experiment reports: its document, what is printed, the exit status."""

import json
import types

from testbed.report import table
from testbed.report.expectations import below
from testbed.report.report import Report
from testbed.system.processors import CpuUse


def test_a_table_has_a_head_and_no_blanks_at_line_ends():
    columns = [
        table.left("name", 6, lambda row: row[0]),
        table.Column("n", 4, lambda row: row[1]),
        table.left("", 9, lambda row: ""),
    ]
    assert table.lines(columns, [("a", 1), ("b", "-")]) == [
        "name     n",
        "a        1",
        "b        -",
    ]


def report(**changes):
    given = {
        "experiment": "own",
        "chosen": {"capacityMbps": 50},
        "measured": {"turns": [1, 2]},
        "expected": [below("loss", 1, 2)],
        "cpu": CpuUse(0.5),
        "tables": ["first", "second"],
    }
    return Report(**given | changes)


def test_a_document_has_what_was_chosen_measured_and_expected():
    document = report().document([])
    assert (document["experiment"], document["capacityMbps"], document["turns"]) == (
        *("own", 50),
        [1, 2],
    )
    assert document["cpuIdle"] == 0.5 and document["expectations"][0]["name"] == "loss"
    assert document["verdict"] == "pass" and "aims" not in document
    assert report(aims=[below("aim", 3, 2)]).document([])["aims"][0]["holds"] is False
    assert report().document(["a pin"])["verdict"] == "fail"


def test_a_verdict_may_go_by_the_busiest_mode():
    document = report(judged_cpu=CpuUse(0.05)).document([])
    assert (document["cpuIdle"], document["verdict"]) == (0.5, "inconclusive")


def test_an_interval_without_idle_processors_is_named_and_suffices(tmp_path, capsys):
    options = types.SimpleNamespace(out=str(tmp_path), json=None)
    assert report(busy=["flows"]).conclude(options, []) == 3
    assert "NOT JUDGED  under 10% idle CPU in: flows" in capsys.readouterr().out


def test_a_conclusion_draws_prints_and_writes(tmp_path, capsys):
    drawn = []
    options = types.SimpleNamespace(out=str(tmp_path), json=None)
    assert report(draw=drawn.append).conclude(options, []) == 0
    assert drawn == [tmp_path / "own.png"]
    printed = capsys.readouterr().out
    assert printed.startswith(f"\nfirst\n\nplot:    {tmp_path}/own.png\n\nsecond\n\nholds  loss")
    assert json.loads((tmp_path / "own.json").read_text(encoding="utf-8"))["verdict"] == "pass"
    assert report(expected=[below("loss", 3, 2)]).conclude(options, []) == 1
    assert capsys.readouterr().out.startswith("\nfirst\n\nsecond\n\nFAILS  loss")
