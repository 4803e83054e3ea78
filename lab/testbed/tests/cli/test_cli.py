# SPDX-License-Identifier: Apache-2.0
"""The command line."""

from types import SimpleNamespace

import pytest

from testbed.cli import command
from testbed.cli.experiments import COMMANDS
from testbed.deployment import startup
from testbed.network import taps
from testbed.network.plan import DUMBBELL
from testbed.options import common
from testbed.system.errors import LabError

NAMES = [each.name for each in COMMANDS]
REFUSED = "tap vm0 with virtio headers: operation not permitted"


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


@pytest.mark.parametrize("needing", [("--signals", "meters"), ("--notices", "in-band")])
def test_without_switches_what_needs_them_is_refused(needing, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(startup.agent_process, "BINARY", tmp_path)
    status = command.main(["dumbbell", "--controller", "standalone", *needing])
    assert status == command.NOT_RUN
    assert f"{' '.join(needing)}: --controller standalone reaches no" in capsys.readouterr().err


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


@pytest.mark.parametrize(
    ("arguments", "refusal", "guests"),
    [
        (["hostile"], None, "taps"),
        (["hostile"], REFUSED, "veth"),
        (["hostile", "--guests", "veth"], None, "veth"),
        (["tenants"], None, "taps"),
        (["partial"], None, "veth"),
        (["topology", "--guests", "taps"], None, "taps"),
    ],
)
def test_guests_are_on_taps_where_asked_or_usual_and_possible(
    arguments, refusal, guests, monkeypatch
):
    log = []
    monkeypatch.setattr(taps, "refusal", lambda: refusal)
    options = command.parser().parse_args(arguments)
    plan = common.with_guests(DUMBBELL, options, SimpleNamespace(log=log.append))
    assert plan.guests == guests
    assert log == ([f"machines are on veth pairs: {refusal}"] if refusal else [])


def test_taps_that_cannot_be_are_refused_with_the_reason(monkeypatch):
    monkeypatch.setattr(taps, "refusal", lambda: REFUSED)
    options = command.parser().parse_args(["hostile", "--guests", "taps"])
    with pytest.raises(LabError, match=f"--guests taps: {REFUSED}"):
        common.with_guests(DUMBBELL, options, None)
