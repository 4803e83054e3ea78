# SPDX-License-Identifier: Apache-2.0
"""Runs Schemathesis against a controller's REST, as lab/onos/contract says."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from controller import Controller
from sluice import REST, ROOT

PROGRAM = ROOT / ".tools" / "schemathesis" / "bin" / "schemathesis"
SETTINGS = ROOT / "lab" / "onos" / "contract"


def run(
    onos: Controller, directory: Path, document: Path, user: str | None, *options: str
) -> subprocess.CompletedProcess:
    """Tests every operation of a document; what it writes is in the directory."""
    if not PROGRAM.exists():
        pytest.fail(f"{PROGRAM} is missing: run lab/setup first")
    origin = f"http://{onos.bind}:{onos.ports['rest']}/onos/{REST}"
    login = ["--auth", user] if user else []
    return subprocess.run(
        [PROGRAM, "--config-file", SETTINGS / "schemathesis.toml", "--no-color", "run", document,
         "--url", origin, *login, "--checks", "all", "--report", "ndjson",
         "--report-ndjson-path", directory / "events.ndjson", *options],
        cwd=directory,
        env=os.environ | {
            "SCHEMATHESIS_HOOKS": str(SETTINGS / "hooks.py"), "PYTHONDONTWRITEBYTECODE": "1",
        },
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip


def statuses(directory: Path) -> dict[str, set[int]]:
    """Which statuses each operation answered with."""
    found: dict[str, set[int]] = {}
    for line in (directory / "events.ndjson").read_text().splitlines():
        recorded = json.loads(line).get("ScenarioFinished", {}).get("recorder", {})
        for case, exchange in recorded.get("interactions", {}).items():
            asked = recorded["cases"][case]["value"]
            response = exchange["response"] or {}
            key = f"{asked['method']} {asked['path']}"
            found.setdefault(key, set()).add(response.get("status_code"))
    return found
