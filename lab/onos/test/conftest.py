# SPDX-License-Identifier: Apache-2.0
"""One network and one ONOS for all tests; both are removed afterwards in any case."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "karaf" / "testing"))

from controller import Controller
from fixtures import network
from network import Network

__all__ = ["network"]


@pytest.fixture(scope="session")
def onos(network: Network) -> Iterator[Controller]:
    directory = Path(tempfile.gettempdir()) / f"sluice-onos-test-{network.run_id}"
    controller = Controller(directory, network.controller_address, network.free_ports())
    try:
        controller.start()
        network.set_controller(controller.ports["openflow"])
        yield controller
    finally:
        if directory.exists():
            controller.call("stop")
