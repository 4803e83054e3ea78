# SPDX-License-Identifier: Apache-2.0
"""The application in the ONOS of the tests: installed, configured, removed."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from controller import Controller
from waiting import eventually

ROOT = Path(__file__).resolve().parents[3]
VERSION = (ROOT / "VERSION").read_text().strip()
ARCHIVE = ROOT / "app" / "onos" / "target" / f"sluice-{VERSION}.oar"
APPLICATION = "org.sluice"
COMPONENT = "org.sluice.onos.SluiceManager"
REST = "sluice/v1"
START_SECONDS = 60


@contextlib.contextmanager
def installed(onos: Controller) -> Iterator[Controller]:
    """ONOS with the application, which is removed afterwards."""
    if not ARCHIVE.exists():
        pytest.fail(f"{ARCHIVE} is missing: run 'make build' first")
    status, answer = onos.request(
        "POST", "v1/applications?activate=true", content=ARCHIVE.read_bytes()
    )
    assert status == 200, answer
    eventually(
        "Sluice's REST", lambda: onos.request("GET", f"{REST}/tenants")[0] == 200, START_SECONDS
    )
    try:
        yield onos
    finally:
        onos.request("DELETE", f"v1/applications/{APPLICATION}")


def set_properties(onos: Controller, **properties: str) -> None:
    """Changes parameters of the application."""
    assert onos.request("POST", f"v1/configuration/{COMPONENT}", properties)[0] == 200
