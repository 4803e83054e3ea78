# SPDX-License-Identifier: Apache-2.0
"""One network and one ONOS for all tests; both are removed afterwards in any case."""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from controller import Controller, launcher
from network import Network


@pytest.fixture(scope="session")
def network() -> Iterator[Network]:
    if os.geteuid() != 0:
        pytest.fail("these tests make network namespaces and run Open vSwitch: run them as root")
    with Network() as made:
        yield made


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
            launcher("stop", "--dir", str(directory))
