# SPDX-License-Identifier: Apache-2.0
"""Switches' tables before and after."""

from dataclasses import dataclass, field

from testbed.network import flow_tables

RULE = (
    "cookie=0x1, duration=5.2s, table=0, n_packets=7, n_bytes=420,"
    " priority=100,ip,nw_dst=10.0.0.1 actions=output:1"
)


@dataclass
class FakeSwitch:
    """A switch with fixed tables, or with tables that change at every reading."""

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
    assert flow_tables.without_counters(RULE) == flow_tables.without_counters(older)
    assert flow_tables.without_counters(RULE) != flow_tables.without_counters(
        RULE.replace("output:1", "output:2")
    )


def test_differences_name_what_was_added_and_removed():
    before = flow_tables.read([FakeSwitch("s1", [RULE])])
    now = flow_tables.read([FakeSwitch("s1", [RULE.replace("output:1", "output:2")])])
    assert flow_tables.differences(before, before) == []
    added, removed = flow_tables.differences(before, now)
    assert added.endswith("output:2") and added.startswith("s1: table=0")
    assert removed.startswith("s1: removed: ") and removed.endswith("output:1")


def test_settled_waits_until_nothing_changes(monkeypatch):
    monkeypatch.setattr(flow_tables, "SETTLING_SECONDS", 0.01)
    changing = FakeSwitch("s1", [[RULE], [RULE], [RULE, "priority=1 actions=drop"]])
    assert [line for line in flow_tables.settled([changing])["s1"] if "drop" in line] == []
