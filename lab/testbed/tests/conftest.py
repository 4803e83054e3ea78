# SPDX-License-Identifier: Apache-2.0
"""Makes the package importable however pytest was started."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


def pytest_configure(config):
    """What needs root is marked, so that `make check` can leave it to `make test`."""
    config.addinivalue_line("markers", "root: needs root (namespaces, raw sockets, priorities)")
