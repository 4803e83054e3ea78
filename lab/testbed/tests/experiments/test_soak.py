# SPDX-License-Identifier: Apache-2.0
"""How footprints are judged, and how class histograms are read."""

import dataclasses

import pytest

from testbed.cli.command import main
from testbed.experiments.soak import footprint, growth
from testbed.system.errors import LabError

HISTOGRAM = """
 num     #instances         #bytes  class name (module)
-------------------------------------------------------
   1:        100000       20000000  [B (java.base@17.0.15)
   2:            37            888  org.sluice.api.AutoValue_JournalEntry
   3:           120           2880  org.sluice.engine.path.Path
   4:             3             96  [Lorg.sluice.api.PortId;
Total        100160       20003864
"""
AGENT = footprint.AgentFootprint(25_000, 40, 12, 6, 3, 7, 0, 4)


def a_footprint(when, **changes):
    heap = footprint.Heap(90_000_000, 800, 30, 330, 9)
    values = {
        "when": when,
        "heap": heap,
        "agents": {"h1": AGENT},
        "switches": {"s1": {"flows": 40, "meters": 1, "groups": 0}},
    }
    return footprint.Footprint(**{**values, **changes})


def failing(**changes_at_end):
    judged = growth.judge(
        [a_footprint("boot 1, begin"), a_footprint("boot 1, end", **changes_at_end)]
    )
    return [each.name for each in judged if not each.holds]


def test_a_run_without_growth_passes():
    assert failing() == []


def test_a_growing_heap_fails():
    heap = footprint.Heap(120_000_000, 800, 30, 330, 9)
    assert failing(heap=heap) == ["boot 1: live heap, end / begin"]


def test_an_object_per_visit_fails_but_a_filling_journal_does_not():
    assert failing(heap=footprint.Heap(90_000_000, 5_800, 5_030, 330, 9)) == []
    leaking = footprint.Heap(90_000_000, 1_200, 30, 330, 9)
    assert failing(heap=leaking) == ["boot 1: Sluice's objects without the journal's, end / begin"]


def test_a_thread_for_each_restart_fails_where_it_is_sluices():
    heap = footprint.Heap(90_000_000, 800, 30, 340, 9)
    assert failing(heap=heap) == []
    leaking = footprint.Heap(90_000_000, 800, 30, 336, 15)
    assert failing(heap=leaking) == ["boot 1: further threads of Sluice"]
    assert failing(heap=footprint.Heap(90_000_000, 800, 30, 400, 9)) == [
        "boot 1: further threads of the controller"
    ]


@pytest.mark.parametrize(
    ("field", "value", "name"),
    [
        ("classes", 8, "classes"),
        ("filters", 1, "filters"),
        ("pins", 5, "pins"),
        ("descriptors", 50, "descriptors"),
        ("map_entries", 40, "map entries"),
        ("resident_kib", 40_000, "resident memory, KiB"),
    ],
)
def test_state_kept_by_an_agent_fails(field, value, name):
    agents = {"h1": dataclasses.replace(AGENT, **{field: value})}
    assert failing(agents=agents) == [f"boot 1, agent of h1: further {name}"]


def test_a_meter_more_fails_within_the_boot_and_over_all():
    assert len(failing(switches={"s1": {"flows": 40, "meters": 2, "groups": 0}})) == 2


def test_a_histogram_is_read():
    assert footprint.read_histogram(HISTOGRAM) == (20_003_864, 160, 37)


def test_what_is_no_histogram_is_refused():
    with pytest.raises(LabError, match="no line"):
        footprint.read_histogram("12345:\ncom.sun.tools.attach: no such process")


def test_too_few_minutes_are_refused(capsys):
    with pytest.raises(SystemExit):
        main(["soak", "--minutes", "2"])
    assert "too few" in capsys.readouterr().err
