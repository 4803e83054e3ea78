# SPDX-License-Identifier: Apache-2.0
"""Which signals an experiment runs with."""

from collections import namedtuple
from types import SimpleNamespace

import pytest

from testbed.cli import command
from testbed.deployment import signals
from testbed.experiments.dumbbell import experiment as dumbbell
from testbed.experiments.dumbbell import matrix
from testbed.system.errors import LabError

Wire = namedtuple("Wire", "left")


class FakeSite:
    """A site that notes what is asked of it."""

    def __init__(self, properties=()):
        self.asked = []
        self.progress = SimpleNamespace(say=lambda text: None)
        onos = SimpleNamespace(properties=lambda component: dict.fromkeys(properties, ""))
        self.controller = SimpleNamespace(onos=onos)
        # As it was before somebody chose, and from the third look on as chosen.
        self.looks = 0
        self.sluice = SimpleNamespace(
            set=lambda **values: self.asked.append(values), ports=self._ports
        )
        self.network = SimpleNamespace(wires={Wire("s1"): None}, port_id=lambda end: f"{end}/5")

    def _ports(self):
        self.looks += 1
        heard = "ports" if self.looks > 2 else "hosts"
        return [{"id": "s1/5", "marksFrom": heard}, {"id": "s1/1", "marksFrom": None}]

    def attach_fast_counters(self, port):
        self.asked.append("fast counters")

    def link_port_agents(self):
        self.asked.append("port agents")


def options(*words):
    return command._parser().parse_args(["dumbbell", *words])


def test_all_stands_for_every_combination_but_auto():
    assert signals.chosen("meters", "in-band") == [signals.Signals("meters", "in-band")]
    every = signals.chosen("all", "all")
    assert [(each.source, each.way) for each in every] == [
        ("hosts", "link"),
        ("hosts", "in-band"),
        ("meters", "link"),
        ("meters", "in-band"),
        ("ports", "link"),
        ("ports", "in-band"),
    ]


@pytest.mark.parametrize(
    ("sources", "asked"),
    [
        (["auto"], []),
        (["hosts"], []),
        (["meters", "hosts"], ["fast counters"]),
        (["ports", "ports"], ["port agents"]),
        (["hosts", "meters", "ports"], ["fast counters", "port agents"]),
    ],
)
def test_only_the_senses_that_are_needed_are_given(sources, asked):
    site = FakeSite()
    signals.prepare(site, [signals.Signals(source) for source in sources])
    assert site.asked == asked


def test_an_older_sluice_is_refused_only_if_something_was_chosen():
    site = FakeSite(["enforcement"])
    signals.use(site, signals.Signals())
    assert site.asked == []
    with pytest.raises(LabError, match="no property 'notices'"):
        signals.use(site, signals.Signals("meters"))


def test_properties_are_set_where_they_are_known():
    site = FakeSite(["signals", "notices"])
    signals.use(site, signals.Signals("hosts", "in-band"))
    assert site.asked == [{"signals": "hosts", "notices": "in-band"}]
    assert site.looks == 0


def test_nothing_begins_before_the_chosen_source_tells_of_the_bottleneck():
    site = FakeSite(["signals", "notices"])
    signals.use(site, signals.Signals("ports"))
    assert site.looks == 3


@pytest.mark.parametrize(
    ("words", "cases", "sweep"),
    [
        ([], 1, None),
        (["--signals", "ports"], 1, None),
        (["--signals", "all"], 3, matrix.BY_SIGNALS),
        (["--notices", "all"], 2, matrix.BY_SIGNALS),
        (["--signals", "all", "--notices", "all"], 6, matrix.BY_SIGNALS),
        (["--matrix"], 6, matrix.BY_LAW),
        (["--matrix", "--signals", "meters"], 6, matrix.BY_LAW),
    ],
)
def test_what_the_dumbbell_goes_through(words, cases, sweep):
    assert len(dumbbell.settings(options(*words))) == cases
    assert dumbbell.sweep_of(options(*words)) is sweep


def test_two_sweeps_at_once_are_refused():
    with pytest.raises(LabError, match="leave out 'all'"):
        dumbbell.settings(options("--matrix", "--notices", "all"))


@pytest.mark.parametrize("experiment", ["parking-lot", "leaf-spine", "asymmetric-rtts"])
def test_topologies_take_one_choice_each(experiment, capsys):
    assert command._parser().parse_args([experiment, "--signals", "meters"]).signals == "meters"
    with pytest.raises(SystemExit):
        command._parser().parse_args([experiment, "--signals", "all"])
