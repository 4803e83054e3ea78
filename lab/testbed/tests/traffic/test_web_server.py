# SPDX-License-Identifier: Apache-2.0
"""nginx's configuration, and that nothing of it stays."""

import subprocess
from types import SimpleNamespace

import pytest

from testbed.network import addresses
from testbed.system.errors import LabError
from testbed.traffic import web_server


class Machine:
    """This machine in place of a namespace; it has no route to change."""

    def __init__(self):
        self.commands = []

    def popen(self, command, **options):
        return subprocess.Popen(command, **options)

    def ip_command(self, *words):
        self.commands.append(words)


@pytest.fixture
def server(tmp_path, monkeypatch):
    loopback = SimpleNamespace(ip="127.0.0.1")
    monkeypatch.setattr(addresses, "endpoint", lambda host: loopback)
    network = SimpleNamespace(
        machines={"h1": Machine()}, lab_run=SimpleNamespace(directory=tmp_path)
    )
    made = web_server.WebServer(network, "h1", 10, "reno")
    yield made
    made.stop()


def test_the_configuration_names_no_system_path():
    text = web_server.configuration("/run/x/web-h1", "10.0.0.1", 80)
    assert "listen 10.0.0.1:80;" in text
    paths = [word.rstrip(";") for word in text.split() if word.startswith("/")]
    assert len(paths) == 8
    assert all(path.startswith("/run/x/web-h1/") for path in paths)


def test_an_endpoints_network_gets_the_congestion_control(server):
    server._choose_congestion_control()
    (words,) = server._machine.commands
    assert words[:5] == ("route", "change", "127.0.0.0/24", "dev", "eth0")
    assert words[-2:] == ("congctl", "reno")


@pytest.mark.root
def test_it_serves_until_it_is_stopped(server, free_port):
    server.port = free_port
    server.start()
    answer = subprocess.run(["curl", "-sf", server.url], check=True, capture_output=True)
    assert answer.stdout == bytes(10)
    assert server.stop() == []
    assert subprocess.run(["curl", "-s", server.url], check=False).returncode == 7
    assert server.stop() == []


@pytest.mark.root
def test_a_server_that_cannot_listen_reports_why(server, monkeypatch):
    server.address = "192.0.2.1"
    with pytest.raises(LabError, match=r"the web server on h1 ended: .*192\.0\.2\.1"):
        server.start()
    assert server.stop() == []
