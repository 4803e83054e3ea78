# SPDX-License-Identifier: Apache-2.0
"""One network and one OpenDaylight for all tests; both are removed afterwards in any case."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "karaf" / "testing"))

from fixtures import network
from network import Network
from opendaylight import OpenDaylight

__all__ = ["network"]


@pytest.fixture(scope="session")
def odl(network: Network) -> Iterator[OpenDaylight]:
    directory = Path(tempfile.gettempdir()) / f"sluice-odl-test-{network.run_id}"
    controller = OpenDaylight(directory, network.controller_address, network.free_ports())
    try:
        controller.start()
        network.set_controller(controller.ports["openflow"])
        yield controller
    finally:
        if directory.exists():
            controller.call("stop")
