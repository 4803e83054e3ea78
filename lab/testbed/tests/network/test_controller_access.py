# SPDX-License-Identifier: Apache-2.0
"""Addresses of controllers."""

import pytest

from testbed.network import controller_access
from testbed.system.errors import LabError


@pytest.mark.parametrize("text", ["6653", "host:", ":6653", "host:0", "host:65536", "host:x"])
def test_bad_addresses_are_refused(text):
    with pytest.raises(LabError, match="HOST:PORT"):
        controller_access.split_host_port(text, "--openflow")


def test_good_address():
    assert controller_access.split_host_port("10.0.0.7:6653", "--openflow") == ("10.0.0.7", 6653)
