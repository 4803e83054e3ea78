# SPDX-License-Identifier: Apache-2.0
"""Programs that send and receive: what their starting waits for."""

import socket
import subprocess
from types import SimpleNamespace

import pytest

from testbed.network import addresses
from testbed.traffic import generators


class Machine:
    """This machine in place of a namespace."""

    name = "h5"

    def popen(self, command, **options):
        return subprocess.Popen(command, **options)

    def check(self, command):
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def traffic(tmp_path, monkeypatch):
    loopback = SimpleNamespace(host="h5", address=lambda ip_version: "127.0.0.1")
    monkeypatch.setattr(addresses, "endpoint", lambda host: loopback)
    network = SimpleNamespace(
        lab_run=SimpleNamespace(directory=tmp_path),
        plan=SimpleNamespace(hosts=["h5"]),
        machines={"h5": Machine()},
    )
    made = generators.Traffic(network)
    yield made
    made.end()


def test_a_transfer_that_begins_at_once_is_received(traffic, free_port, monkeypatch):
    monkeypatch.setattr(generators, "TRANSFER_PORTS", (free_port,))
    traffic.receive_transfers()
    socket.create_connection((traffic.target, free_port), timeout=5).close()
