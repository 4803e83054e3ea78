# SPDX-License-Identifier: Apache-2.0
"""sluicectl with the application in ONOS: it finds the path, its changes are there, exit codes."""

import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from controller import Controller
from sluice import REST, ROOT, installed

GOLD = "id: gold\nweight: 2\nmembers:\n  - ipPrefix: 10.21.0.0/16\n"

Ctl = Callable[..., subprocess.CompletedProcess]


@pytest.fixture(scope="module")
def sluice(onos: Controller) -> Iterator[Controller]:
    with installed(onos):
        yield onos


@pytest.fixture
def command(sluice: Controller, tmp_path: Path) -> dict[str, Any]:
    """How it is run as ONOS's administrator."""
    binary = ROOT / "host-agent" / "bin" / "sluicectl"
    if not binary.exists():
        pytest.fail(f"{binary} is missing: run 'make build' first")
    password = tmp_path / "password"
    password.touch(mode=0o600)
    password.write_text("rocks\n")
    environment = {
        "HOME": str(tmp_path),
        "SLUICE_SERVER": f"http://{sluice.bind}:{sluice.ports['rest']}",
        "SLUICE_PASSWORD_FILE": str(password),
    }
    return {"executable": binary, "env": os.environ | environment, "text": True}


@pytest.fixture
def ctl(command: dict[str, Any], sluice: Controller) -> Iterator[Ctl]:
    """Runs it; the tenant is gone before and afterwards. Tenants outlive an installation."""

    def run(*arguments: str, document: str = "") -> subprocess.CompletedProcess:
        line = ["sluicectl", "--user", "onos", *arguments]
        return subprocess.run(
            line, input=document, capture_output=True, check=False, timeout=60, **command
        )

    sluice.request("DELETE", f"{REST}/tenants/gold")
    try:
        yield run
    finally:
        sluice.request("DELETE", f"{REST}/tenants/gold")


def test_what_is_applied_is_there_and_what_is_printed_can_be_applied(ctl: Ctl, sluice: Controller):
    dry = ctl("apply", "-f", "-", "--dry-run", document=GOLD)
    assert (dry.returncode, dry.stderr) == (0, "")
    assert "tenant gold: would be created" in dry.stdout
    assert sluice.request("GET", f"{REST}/tenants/gold")[0] == 404

    assert ctl("apply", "-f", "-", document=GOLD).stdout == "tenant gold: created\n"
    assert sluice.get(f"{REST}/tenants/gold")["weight"] == 2
    printed = ctl("get", "tenant", "gold", "-o", "yaml").stdout
    assert ctl("apply", "-f", "-", document=printed).stdout == "tenant gold: unchanged\n"
    assert ctl("set", "tenant", "gold", "--weight", "3").stdout == "tenant gold: changed\n"
    tenants = json.loads(ctl("get", "tenants", "-o", "json").stdout)["tenants"]
    assert [tenant["weight"] for tenant in tenants if tenant["id"] == "gold"] == [3]
    assert ctl("delete", "tenant", "gold").stdout == "tenant gold: removed\n"


def test_refusals_have_the_controllers_remedy_and_an_exit_code(ctl: Ctl):
    refused = ctl("set", "tenant", "gold", "--weight", "0", "-o", "json")
    problem = json.loads(refused.stderr)
    assert (refused.returncode, problem["field"], float(problem["value"])) == (4, "weight", 0)
    assert problem["remedy"]
    dry = ctl("apply", "-f", "-", "--dry-run", document="id: gold\nweight: 0\n")
    assert dry.returncode == 4
    assert "gold: weight" in dry.stderr
    assert ctl("delete", "tenant", "nosuch").returncode == 4
    assert ctl("delete", "host", "nosuch").returncode == 4


def test_every_kind_of_thing_is_shown(ctl: Ctl):
    usage = ctl("get").stderr
    for resource in usage.partition("one of ")[2].strip().split(", "):
        shown = ctl("get", resource)
        assert (shown.returncode, shown.stderr) == (0, ""), resource
        assert shown.stdout, resource
    assert ctl("doctor").returncode in (0, 1)
    status = json.loads(ctl("status", "-o", "json").stdout)
    assert (status["role"], status["server"].rpartition(":")[2].partition("/")[2]) == (
        "admin",
        "onos/sluice/v1",
    )


def test_changes_are_watched(ctl: Ctl, command: dict[str, Any]):
    line = ["sluicectl", "--user", "onos", "watch", "tenants"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, **command) as watching:
        deadline = threading.Timer(60, watching.kill)
        deadline.start()
        try:
            assert "tenants: " in watching.stdout.readline()
            ctl("apply", "-f", "-", document=GOLD)
            assert "tenant gold is new" in watching.stdout.readline()
            ctl("set", "tenant", "gold", "--weight", "5")
            assert "tenant gold weight: 2 -> 5" in watching.stdout.readline()
        finally:
            deadline.cancel()
            watching.terminate()
        assert watching.wait(20) == 0
