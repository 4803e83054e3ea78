# SPDX-License-Identifier: Apache-2.0
"""The command line."""

import pytest

from testbed import cli, opening


def test_list_names_every_experiment(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["--list"])
    assert ended.value.code == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == list(cli.EXPERIMENTS)


@pytest.mark.parametrize("experiment", list(cli.EXPERIMENTS))
def test_every_experiment_has_help(experiment, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main([experiment, "--help"])
    assert ended.value.code == 0
    assert "exit status" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words", [[], ["dumbell"], ["dumbbell", "--cc", "vegas"], ["dumbbell", "--law", "none"]]
)
def test_wrong_usage(words, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(words)
    assert ended.value.code == 2


def test_a_missing_application_is_named_before_anything_is_touched(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(opening.agents, "BINARY", tmp_path)
    status = cli.main(["dumbbell", "--oar", str(tmp_path / "absent.oar")])
    assert status == cli.NOT_RUN
    assert "absent.oar is missing: build it with 'make build'" in capsys.readouterr().err
