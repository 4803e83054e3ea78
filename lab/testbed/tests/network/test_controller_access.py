# SPDX-License-Identifier: Apache-2.0
"""Addresses of controllers."""

from types import SimpleNamespace

import pytest

from testbed.network import controller_access
from testbed.system.errors import LabError


@pytest.mark.parametrize("text", ["6653", "host:", ":6653", "host:0", "host:65536", "host:x"])
def test_bad_addresses_are_refused(text):
    with pytest.raises(LabError, match="HOST:PORT"):
        controller_access.split_host_port(text, "--openflow")


def test_good_address():
    assert controller_access.split_host_port("10.0.0.7:6653", "--openflow") == ("10.0.0.7", 6653)


def network(lab_run_directory, relays=None):
    management = SimpleNamespace(
        controller_address="127.0.0.9", addresses={"onos1": "10.9.0.12"}, relays=relays or {}
    )
    return SimpleNamespace(
        management=management, lab_run=SimpleNamespace(directory=lab_run_directory, environment={})
    )


def test_what_is_on_the_management_network_is_reached_directly(tmp_path):
    reached = controller_access.from_management(network(tmp_path), "10.9.0.12", 6653)
    assert reached == "10.9.0.12:6653"


def test_nodes_with_equal_ports_have_a_relay_each_once(tmp_path, monkeypatch):
    started = []
    monkeypatch.setattr(
        controller_access, "_start_relay", lambda at, *words: started.append(words[:2])
    )
    monkeypatch.setattr(controller_access, "accepts_connections", lambda *at: bool(started))
    own = network(tmp_path)
    hosts = "10.1.0.1", "10.1.0.2", "10.1.0.1", "10.1.0.2"
    first, second, *again = (controller_access.from_management(own, host, 80) for host in hosts)
    assert first == "127.0.0.9:80" != second
    assert again == [first, second]
    assert started == [(first, "10.1.0.1:80"), (second, "10.1.0.2:80")]
