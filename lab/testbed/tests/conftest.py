# SPDX-License-Identifier: Apache-2.0
"""Makes the package importable however pytest was started."""

import socket
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


def pytest_configure(config):
    """What needs root is marked, so that `make check` can leave it to `make test`."""
    config.addinivalue_line("markers", "root: needs root (namespaces, raw sockets, priorities)")


@pytest.fixture
def free_port():
    """An unused TCP port of the loopback device."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]
