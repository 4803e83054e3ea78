# SPDX-License-Identifier: Apache-2.0
"""The command line."""

import pytest

from testbed.cli import command
from testbed.cli.experiments import COMMANDS
from testbed.deployment import startup

NAMES = [each.name for each in COMMANDS]


def test_list_names_every_experiment(capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(["--list"])
    assert ended.value.code == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == NAMES


@pytest.mark.parametrize("experiment", NAMES)
def test_every_experiment_has_help(experiment, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main([experiment, "--help"])
    assert ended.value.code == 0
    assert "exit status" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["dumbell"],
        ["dumbbell", "--cc", "vegas"],
        ["dumbbell", "--law", "none"],
        ["dumbbell", "--law", "paper"],
    ],
)
def test_wrong_usage(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(arguments)
    assert ended.value.code == 2


def test_a_missing_application_is_reported_before_anything_is_changed(
    capsys, tmp_path, monkeypatch
):
    monkeypatch.setattr(startup.agent_process, "BINARY", tmp_path)
    status = command.main(["dumbbell", "--oar", str(tmp_path / "absent.oar")])
    assert status == command.NOT_RUN
    assert "absent.oar is missing: build it with 'make build'" in capsys.readouterr().err


@pytest.mark.parametrize("experiment", ["parking-lot", "leaf-spine", "asymmetric-rtts", "partial"])
def test_topologies_take_one_choice_each(experiment, capsys):
    assert command.parser().parse_args([experiment, "--signals", "meters"]).signals == "meters"
    with pytest.raises(SystemExit):
        command.parser().parse_args([experiment, "--signals", "all"])


@pytest.mark.parametrize("law", ["sluice", "sdn-gcc"])
def test_laws_have_the_names_that_sluice_takes(law):
    assert command.parser().parse_args(["dumbbell", "--law", law]).law == law
