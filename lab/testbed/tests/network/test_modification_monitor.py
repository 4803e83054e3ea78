# SPDX-License-Identifier: Apache-2.0
"""Distinguishing modifications from other OpenFlow messages."""

from types import SimpleNamespace

import pytest

from testbed.network import modification_monitor


@pytest.mark.parametrize(
    ("line", "is_listed"),
    [
        ("2026-11-21 OFPT_FLOW_MOD (OF1.3) (xid=0x9): ADD table:1 priority=1 actions=drop", True),
        ("OFPT_METER_MOD (OF1.3) (xid=0xa): ADD meter=1 kbps burst bands=", True),
        ("OFPT_GROUP_MOD (OF1.3) (xid=0xb): ADD group_id=1,type=select", True),
        ("OFPST_FLOW reply (OF1.3) (xid=0xc): actions=output:1", False),
        ("OFPT_PACKET_OUT (OF1.3) (xid=0xd): in_port=CONTROLLER actions=output:1", False),
    ],
)
def test_only_modifications_are_listed(tmp_path, line, is_listed):
    monitor = modification_monitor.ModificationMonitor([SimpleNamespace(name="s1")], tmp_path)
    (tmp_path / "openflow-s1.log").write_text(f"OFPT_ECHO_REQUEST (OF1.3):\n{line}\n")
    assert monitor.seen() == ([f"s1: {line}"] if is_listed else [])
