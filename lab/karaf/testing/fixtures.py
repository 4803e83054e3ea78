# SPDX-License-Identifier: Apache-2.0
"""What tests of every launcher need."""

import os
from collections.abc import Iterator

import pytest
from network import Network


@pytest.fixture(scope="session")
def network() -> Iterator[Network]:
    """Removed afterwards in any case."""
    if os.geteuid() != 0:
        pytest.fail("these tests make network namespaces and run Open vSwitch: run them as root")
    with Network() as made:
        yield made
