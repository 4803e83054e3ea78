# SPDX-License-Identifier: Apache-2.0
"""What the launcher says and does without starting an ONOS."""

import socket
import sys
from pathlib import Path

from controller import launcher

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from launcher import components

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
    for command in ("start", "stop", "status", "components", "cli", "log"):
        assert command in done.stdout


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


def test_a_directory_with_other_files_is_left_alone(tmp_path: Path):
    (tmp_path / "precious").write_text("x")
    done = launcher("stop", "--dir", str(tmp_path))
    assert done.returncode == 1
    assert (tmp_path / "precious").exists()
