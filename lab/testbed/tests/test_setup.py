# SPDX-License-Identifier: Apache-2.0
"""What lab/setup reports about Go. It installs nothing here."""

import os
import re
import subprocess

import pytest

from testbed.system import repository

MODULE = repository.ROOT / "host-agent" / "go.mod"
NEEDED = re.search(r"^go (\S+)$", MODULE.read_text(encoding="utf-8"), re.MULTILINE)[1]
COMPLAINT = f"but host-agent/go.mod needs go{NEEDED}"


@pytest.mark.parametrize(
    ("found", "suits"),
    [("go1.4", False), ("go1.24.9", False), (f"go{NEEDED}", True), ("go1.100.1", True)],
)
def test_setup_checks_which_go_there_is(tmp_path, found, suits):
    program = tmp_path / "go"
    program.write_text(f"#!/bin/sh\necho {found}\n", encoding="utf-8")
    program.chmod(0o755)
    done = subprocess.run(
        [repository.ROOT / "lab" / "setup", "--check"],
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    complaint = f"found {found}, {COMPLAINT}"
    assert (complaint in done.stderr) != suits
    if not suits:
        assert f"install go{NEEDED} or newer" in done.stderr
        assert done.returncode == 1
