# SPDX-License-Identifier: Apache-2.0
"""Switches' tables before and after, what is written to them, and somebody else's rules."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from testbed.experiments.forwarding import third_party_rules
from testbed.network import addresses, flow_tables, modification_monitor
from testbed.network.plan import DUMBBELL

RULE = (
    "cookie=0x1, duration=5.2s, table=0, n_packets=7, n_bytes=420,"
    " priority=100,ip,nw_dst=10.0.0.1 actions=output:1"
)


@dataclass
class FakeSwitch:
    """A switch with fixed tables, or with tables that change at every look."""

    name: str
    rules: list = field(default_factory=list)
    device_id: str = "of:0000000000000001"

    def flows(self):
        return self.rules.pop() if self.rules and isinstance(self.rules[0], list) else self.rules

    def meters(self):
        return []

    def groups(self):
        return ["group_id=1,type=select,bucket=actions=output:3,bucket=actions=output:4"]


def test_counters_and_ages_do_not_count():
    older = RULE.replace("5.2s", "9.9s").replace("n_packets=7", "n_packets=99")
    assert flow_tables.essence(RULE) == flow_tables.essence(older)
    assert flow_tables.essence(RULE) != flow_tables.essence(RULE.replace("output:1", "output:2"))


def test_differences_name_what_came_and_what_went():
    before = flow_tables.read([FakeSwitch("s1", [RULE])])
    now = flow_tables.read([FakeSwitch("s1", [RULE.replace("output:1", "output:2")])])
    assert flow_tables.differences(before, before) == []
    came, went = flow_tables.differences(before, now)
    assert came.endswith("output:2") and came.startswith("s1: table=0")
    assert went.startswith("s1: gone: ") and went.endswith("output:1")


def test_settled_waits_until_nothing_changes(monkeypatch):
    monkeypatch.setattr(flow_tables, "SETTLING_SECONDS", 0.01)
    changing = FakeSwitch("s1", [[RULE], [RULE], [RULE, "priority=1 actions=drop"]])
    assert [line for line in flow_tables.settled([changing])["s1"] if "drop" in line] == []


@pytest.mark.parametrize(
    ("line", "is_seen"),
    [
        ("2026-11-21 OFPT_FLOW_MOD (OF1.3) (xid=0x9): ADD table:1 priority=1 actions=drop", True),
        ("OFPT_METER_MOD (OF1.3) (xid=0xa): ADD meter=1 kbps burst bands=", True),
        ("OFPT_GROUP_MOD (OF1.3) (xid=0xb): ADD group_id=1,type=select", True),
        ("OFPST_FLOW reply (OF1.3) (xid=0xc): actions=output:1", False),
        ("OFPT_PACKET_OUT (OF1.3) (xid=0xd): in_port=CONTROLLER actions=output:1", False),
    ],
)
def test_modifications_are_told_from_other_messages(tmp_path, line, is_seen):
    listener = modification_monitor.Modifications([FakeSwitch("s1")], tmp_path)
    (tmp_path / "openflow-s1.log").write_text(f"OFPT_ECHO_REQUEST (OF1.3):\n{line}\n")
    assert listener.seen() == ([f"s1: {line}"] if is_seen else [])


def test_somebody_elses_rules_route_every_host_on_every_switch():
    switches = {
        name: FakeSwitch(name, device_id=f"of:{number}")
        for number, name in enumerate(DUMBBELL.switches)
    }
    flows = third_party_rules.rules(SimpleNamespace(plan=DUMBBELL, switches=switches))["flows"]
    routes = [flow for flow in flows if flow["priority"] == third_party_rules.ROUTE_PRIORITY]
    assert len(routes) == len(DUMBBELL.switches) * len(addresses.HOSTS)
    last = routes[-1]
    assert last["deviceId"] == "of:1"
    assert last["selector"]["criteria"][1] == {"type": "IPV4_DST", "ip": "10.0.0.5/32"}
    assert last["treatment"]["instructions"] == [{"type": "OUTPUT", "port": "1"}]
