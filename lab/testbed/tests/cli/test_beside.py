# SPDX-License-Identifier: Apache-2.0
"""Results of several controllers in one table."""

import json

import pytest

from testbed.cli import command

TCP = {"name": "TCP / its share", "bound": ">= 0.9"}


def written(directory, title, verdict, **expectation):
    document = {
        "experiment": "dumbbell",
        "controller": {"name": title, "version": "1"},
        "expectations": [{**TCP, **expectation}],
        "verdict": verdict,
    }
    file = directory / f"{title}.json"
    file.write_text(json.dumps(document))
    return str(file)


def test_controllers_have_a_column_each_and_the_worst_verdict_counts(tmp_path, capsys):
    files = [
        written(tmp_path, "ONOS", "pass", measured=0.975, holds=True),
        written(tmp_path, "OpenDaylight", "fail", measured=0.5, holds=False),
        written(tmp_path, "sluiced", "fail", name="other", measured=None, holds=False),
    ]
    assert command.main(["beside", *files]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "| experiment | expectation | bound | ONOS 1 | OpenDaylight 1 | sluiced 1 |",
        "| --- | --- | --- | --- | --- | --- |",
        "| dumbbell | TCP / its share | >= 0.9 | 0.975 | 0.500 **fails** | - |",
        "| dumbbell | verdict | pass | pass | fail | fail |",
        "| dumbbell | other | >= 0.9 | - | - | - **fails** |",
    ]


@pytest.mark.parametrize("text", ["", "{}", '{"controller": null}'])
def test_what_is_no_result_is_refused_by_its_name(tmp_path, capsys, text):
    file = tmp_path / "any.json"
    file.write_text(text)
    assert command.main(["beside", str(file)]) == 2
    assert f"{file} is no result of an experiment" in capsys.readouterr().err
