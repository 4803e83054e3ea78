# SPDX-License-Identifier: Apache-2.0
"""What the launcher does and reports without starting an ONOS."""

import socket
import sys
from pathlib import Path

import pytest
from controller import launcher

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from karaf import readiness
from karaf.errors import FailedStartError
from karaf.rundirectory import RunDirectory
from karaf.settings import Settings
from launcher import components, rundirectory
from launcher.command import OnosLauncher

SCR_LIST = """\
org.example.Good in bundle 9 (org.example.one:1.0.0) enabled, 1 instance.
    Id: 3, State:ACTIVE, PID(s): [org.example.Good]
org.example.Waiting in bundle 9 (org.example.one:1.0.0) enabled, 1 instance.
    Id: 4, State:UNSATISFIED REFERENCE
org.example.Empty in bundle 10 (org.example.two:1.0.0) enabled, 0 instances.
org.example.Off in bundle 10 (org.example.two:1.0.0) disabled, 1 instance.
    Id: 5, State:UNSATISFIED REFERENCE
"""


def test_components_are_read_from_scr_list():
    listed = components.parse(SCR_LIST)
    assert [(each.name, each.bundle, each.is_satisfied) for each in listed] == [
        ("org.example.Good", "org.example.one", True),
        ("org.example.Waiting", "org.example.one", False),
        ("org.example.Empty", "org.example.two", False),
    ]


def test_help_names_every_command():
    done = launcher("--help")
    assert done.returncode == 0
    for name in ("start", "stop", "status", "components", "cli", "log"):
        assert name in done.stdout


def test_a_taken_port_is_refused_with_field_and_remedy(tmp_path: Path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = launcher("start", "--dir", str(tmp_path / "run"), "--rest-port", str(port))
    assert done.returncode == 2
    assert f"--rest-port {port}" in done.stderr
    assert "choose another" in done.stderr
    assert not (tmp_path / "run").exists()


def test_a_malformed_property_is_refused(tmp_path: Path):
    done = launcher("start", "--dir", str(tmp_path / "run"), "--set", "org.example.Some=1")
    assert done.returncode == 2
    assert "COMPONENT:PROPERTY=VALUE" in done.stderr


FAILED_DEPLOYMENT_LOG = """\
2026-01-02T03:04:05,6 | INFO  | main | Karaf | 1 - karaf - 4 | up
2026-01-02T03:04:05,7 | ERROR | paxweb-1 | WebApp | 9 - war | Error deploying web application
java.lang.IllegalStateException: too early
\tat org.example.Thing.deploy(Thing.java:7)
"""


class Alive:
    """A running process of an ONOS."""

    is_alive = True
    listening_ports = frozenset({8181})


def test_the_launcher_does_not_wait_for_rest_that_is_not_deployed(tmp_path: Path):
    run = RunDirectory(tmp_path)
    run.karaf_log.parent.mkdir(parents=True)
    run.karaf_log.write_text(FAILED_DEPLOYMENT_LOG)
    with pytest.raises(FailedStartError, match="too early"):
        readiness.wait("ONOS", Alive(), run, lambda: "nothing yet", seconds=60)


def test_the_launcher_gives_up_on_a_start_without_progress(tmp_path: Path, monkeypatch):
    run = RunDirectory(tmp_path)
    run.karaf_log.parent.mkdir(parents=True)
    run.karaf_log.write_text("2026-01-02T03:04:05,6 | WARN  | main | Karaf | 1 - karaf - 4 | odd\n")
    monkeypatch.setattr(readiness, "_STALLED_SECONDS", 0.01)
    with pytest.raises(FailedStartError, match=r"REST does not answer.*8181.*\n.*odd"):
        readiness.wait("ONOS", Alive(), run, lambda: "REST does not answer", seconds=60)


@pytest.mark.parametrize("keeps_data", [True, False])
def test_a_failed_start_is_repeated_once_with_its_own_log(tmp_path: Path, monkeypatch, keeps_data):
    run = RunDirectory(tmp_path)
    stored = run.data / "cache"
    found = []

    def failing(launcher, run, settings, version, timeout_seconds):
        found.append((run.karaf_log.exists(), stored.exists()))
        for folder in (run.karaf_log.parent, stored, run.path / "apps"):
            folder.mkdir(parents=True, exist_ok=True)
        run.karaf_log.write_text(FAILED_DEPLOYMENT_LOG)
        raise FailedStartError("not deployed")

    monkeypatch.setattr(OnosLauncher, "_started", failing)
    with pytest.raises(FailedStartError):
        OnosLauncher()._started_in_two(run, Settings(), "2.5.6", 60, keeps_data=keeps_data)
    assert found == [(False, False), (False, keeps_data)]


def test_a_directory_with_other_files_is_not_started_in(tmp_path: Path):
    (tmp_path / "precious").write_text("x")
    done = launcher("start", "--dir", str(tmp_path))
    assert done.returncode == 1
    assert "holds other files" in done.stderr
    assert (tmp_path / "precious").exists()


def test_a_directory_with_other_files_is_left_alone(tmp_path: Path):
    (tmp_path / "precious").write_text("x")
    done = launcher("stop", "--dir", str(tmp_path))
    assert done.returncode == 1
    assert (tmp_path / "precious").exists()


def test_a_node_reads_of_all_nodes_and_of_what_they_store_in():
    alone = rundirectory.cluster(Settings(bind="10.9.0.1"))
    assert (alone["controller"], alone["storage"]) == ([alone["node"]], [])
    several = rundirectory.cluster(
        Settings(bind="10.9.0.2", peers=("10.9.0.1", "10.9.0.2"), storage="10.9.0.9")
    )
    assert several["node"]["id"] == "10.9.0.2"
    assert [each["ip"] for each in several["controller"]] == ["10.9.0.1", "10.9.0.2"]
    assert [each["ip"] for each in several["storage"]] == ["10.9.0.9"]


@pytest.mark.parametrize("nodes", [("0",), ("3", "--bind", "10.0.0.1"), ("3", "--rest-port", "9")])
def test_several_nodes_have_no_address_of_the_users(tmp_path: Path, nodes):
    done = launcher("start", "--dir", str(tmp_path / "run"), "--nodes", *nodes)
    assert done.returncode == 2
    assert "neither --bind nor a port" in done.stderr
    assert not (tmp_path / "run").exists()


def test_a_node_of_a_cluster_is_chosen_by_its_number(tmp_path: Path):
    (tmp_path / "onos1" / "karaf/data/log").mkdir(parents=True)
    (tmp_path / "onos1" / "run.json").write_text("{}")
    (tmp_path / "onos1" / "karaf/data/log/karaf.log").write_text("its log")
    (tmp_path / "run.json").write_text('{"run": "beef", "storage": "10.9.0.9", "nodes": ["onos1"]}')
    logged = launcher("log", "--dir", str(tmp_path), "--node", "1")
    assert (logged.returncode, logged.stdout) == (0, "its log")
    for wrong, words in (((), "choose one with --node"), (("--node", "2"), "a cluster of 1")):
        refused = launcher("log", "--dir", str(tmp_path), *wrong)
        assert refused.returncode == 2
        assert words in refused.stderr
