# SPDX-License-Identifier: Apache-2.0
"""What the launcher does and reports without starting an OpenDaylight."""

import os
import socket
import sys
from pathlib import Path

import pytest
from archives import FEATURE, NAME, archive
from opendaylight import launcher

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from karaf import shell
from karaf.errors import LauncherError, UsageError
from karaf.rundirectory import merge_properties
from launcher.application import Application


def test_help_names_every_command():
    done = launcher("--help")
    assert done.returncode == 0
    for name in ("start", "stop", "status", "install", "uninstall", "cli", "log"):
        assert name in done.stdout


def test_a_taken_port_is_refused_with_field_and_remedy(tmp_path: Path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = launcher("start", "--dir", str(tmp_path / "run"), "--ssh-port", str(port))
    assert done.returncode == 2
    assert f"--ssh-port {port}" in done.stderr
    assert "choose another" in done.stderr
    assert not (tmp_path / "run").exists()


def test_a_malformed_property_is_refused(tmp_path: Path):
    done = launcher("start", "--dir", str(tmp_path / "run"), "--set", "org.example.Some=1")
    assert done.returncode == 2
    assert "PID:KEY=VALUE" in done.stderr


def test_another_line_is_refused_with_those_that_there_are(tmp_path: Path):
    done = launcher("start", "--dir", str(tmp_path / "run"), "--line", "0.16.3")
    assert done.returncode == 2
    assert "0.17.3" in done.stderr


def test_an_archives_features_and_bundles_are_read(tmp_path: Path):
    made = Application(archive(tmp_path / "a.kar", "Bundle-Name: a"), {})
    assert (made.features, made.bundles) == ([FEATURE], [NAME])


def test_a_file_that_is_no_archive_is_refused(tmp_path: Path):
    other = tmp_path / "a.kar"
    other.write_text("x")
    with pytest.raises(UsageError, match=r"a\.kar: not a Karaf archive"):
        Application(other, {})


def test_a_property_replaces_the_stock_one(tmp_path: Path):
    file = tmp_path / "some.cfg"
    file.write_text("# a = of a comment\na=1\nb=2\n")
    merge_properties(file, {"a": "3", "c": "4"})
    assert file.read_text() == "# a = of a comment\nb=2\na = 3\nc = 4\n"


@pytest.mark.parametrize(("lost", "times"), [(1, 2), (2, 2), (0, 1)])
def test_a_command_whose_connection_is_lost_is_run_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: int, times: int
):
    runs = tmp_path / "runs"
    (tmp_path / "sshpass").write_text(
        f'#!/bin/sh\necho . >> {runs}\n[ "$(wc -l < {runs})" -gt {lost} ] || exit 255\necho done\n'
    )
    (tmp_path / "sshpass").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    if lost < 2:
        assert shell.run("127.0.0.1", 1, "any") == "done\n"
    else:
        with pytest.raises(LauncherError, match="ssh to port 1"):
            shell.run("127.0.0.1", 1, "any")
    assert len(runs.read_text().splitlines()) == times
