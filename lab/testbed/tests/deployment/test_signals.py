# SPDX-License-Identifier: Apache-2.0
"""Which signals an experiment runs with."""

from collections import namedtuple
from types import SimpleNamespace

import pytest

from testbed.deployment import signals
from testbed.system.errors import LabError

Wire = namedtuple("Wire", "left")


class FakeDeployment:
    """A deployment that records what is configured."""

    def __init__(self, properties=(), *, reads_counters=False):
        self.configured = []
        self.progress = SimpleNamespace(log=lambda text: None)
        api = SimpleNamespace(
            properties=lambda component: dict.fromkeys(properties, ""),
            reads_counters_for_sluice=reads_counters,
        )
        self.controller = SimpleNamespace(api=api)
        # The source is the former one in the first two readings, then the chosen one.
        self.readings = 0
        self.sluice = SimpleNamespace(
            set=lambda **values: self.configured.append(values), ports=self._ports
        )
        self.network = SimpleNamespace(wires={Wire("s1"): None}, port_id=lambda end: f"{end}/5")

    def _ports(self):
        self.readings += 1
        source = "ports" if self.readings > 2 else "hosts"
        return [{"id": "s1/5", "marksFrom": source}, {"id": "s1/1", "marksFrom": None}]

    def attach_fast_counters(self, port):
        self.configured.append("fast counters")

    def link_port_agents(self):
        self.configured.append("port agents")


def test_all_selects_every_combination_but_auto():
    assert signals.chosen("meters", "in-band") == [signals.Signals("meters", "in-band")]
    every = signals.chosen("all", "all")
    assert [(each.source, each.notices) for each in every] == [
        ("hosts", "link"),
        ("hosts", "in-band"),
        ("meters", "link"),
        ("meters", "in-band"),
        ("ports", "link"),
        ("ports", "in-band"),
    ]


@pytest.mark.parametrize(
    ("sources", "configured"),
    [
        (["auto"], []),
        (["hosts"], []),
        (["meters", "hosts"], ["fast counters"]),
        (["ports", "ports"], ["port agents"]),
        (["hosts", "meters", "ports"], ["fast counters", "port agents"]),
    ],
)
def test_only_the_sources_that_are_needed_are_connected(sources, configured):
    deployment = FakeDeployment()
    signals.prepare(deployment, [signals.Signals(source) for source in sources])
    assert deployment.configured == configured


def test_no_switch_gets_a_second_controller_where_the_first_one_reads_counters():
    deployment = FakeDeployment(reads_counters=True)
    signals.prepare(deployment, [signals.Signals("meters"), signals.Signals("ports")])
    assert deployment.configured == ["port agents"]


def test_an_older_sluice_is_refused_only_if_something_was_chosen():
    deployment = FakeDeployment(["enforcement"])
    signals.use(deployment, signals.Signals())
    assert deployment.configured == []
    with pytest.raises(LabError, match="no property 'notices'"):
        signals.use(deployment, signals.Signals("meters"))


def test_only_properties_that_the_controller_has_are_set():
    deployment = FakeDeployment(["signals", "notices"])
    signals.use(deployment, signals.Signals("hosts", "in-band"))
    assert deployment.configured == [{"signals": "hosts", "notices": "in-band"}]
    assert deployment.readings == 0


def test_the_run_waits_until_marks_come_from_the_chosen_source():
    deployment = FakeDeployment(["signals", "notices"])
    signals.use(deployment, signals.Signals("ports"))
    assert deployment.readings == 3
