# SPDX-License-Identifier: Apache-2.0
"""Runs Schemathesis against a controller's REST, with the settings of lab/onos/contract."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from controller import Controller
from sluice import REST, ROOT

PROGRAM = ROOT / ".tools" / "schemathesis" / "bin" / "schemathesis"
SETTINGS = ROOT / "lab" / "onos" / "contract"
TIMEOUT_SECONDS = 300


def run(
    onos: Controller, directory: Path, document: Path, user: str | None, *options: str
) -> subprocess.CompletedProcess:
    """Tests every operation of a document; what it writes is in the directory."""
    if not PROGRAM.exists():
        pytest.fail(f"{PROGRAM} is missing: run lab/setup first")
    origin = f"http://{onos.bind}:{onos.ports['rest']}/onos/{REST}"
    login = ["--auth", user] if user else []
    command = [
        PROGRAM, "--config-file", SETTINGS / "schemathesis.toml", "--no-color", "run", document,
        "--url", origin, *login, "--checks", "all", "--report", "ndjson",
        "--report-ndjson-path", directory / "events.ndjson", *options,
    ]  # fmt: skip
    settings = {"SCHEMATHESIS_HOOKS": str(SETTINGS / "hooks.py"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        return subprocess.run(
            command,
            cwd=directory,
            env=os.environ | settings,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired as late:
        # Bytes, whatever was requested.
        output = b"".join(filter(None, (late.stdout, late.stderr))).decode(errors="replace")
        pytest.fail(f"Schemathesis does not end within {TIMEOUT_SECONDS} s:\n{output}")


def statuses(directory: Path) -> dict[str, set[int]]:
    """Which statuses each operation answered with."""
    found: dict[str, set[int]] = {}
    for line in (directory / "events.ndjson").read_text().splitlines():
        recorded = json.loads(line).get("ScenarioFinished", {}).get("recorder", {})
        for case, exchange in recorded.get("interactions", {}).items():
            request = recorded["cases"][case]["value"]
            response = exchange["response"] or {}
            key = f"{request['method']} {request['path']}"
            found.setdefault(key, set()).add(response.get("status_code"))
    return found
