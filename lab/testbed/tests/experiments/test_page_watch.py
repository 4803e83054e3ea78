# SPDX-License-Identifier: Apache-2.0
"""What counts against the page that is open while faults are made, and who watches it."""

import contextlib
import dataclasses
import http.client
import threading
from types import SimpleNamespace

import pytest

from testbed.control import browser
from testbed.experiments.faults import page_judgement as judgement
from testbed.experiments.faults import page_sample, page_watch
from testbed.experiments.faults.page_sample import Facts, PageSample, switch_name
from testbed.experiments.faults.page_watch import PageWatch
from testbed.system import polling, repository
from testbed.system.errors import LabError

ROWS = "h1\tconnected\t1 s ago", "h2\tconnected\t1 s ago"
ALL_WELL = Facts()
LOST_ROWS = ROWS[0], "h2\tnot connected\t9 s ago"
NO_CONTROLLER = Facts(controller_runs=False)
NO_AGENT = Facts(dead_agents=frozenset(["h2"]))
NO_SWITCH = Facts(lost_switches=frozenset(["switch 2"]))


def live(second, before=ALL_WELL, view="hosts", **what):
    """A sample of a live page."""
    what = {"rows": ROWS if view == "hosts" else (), "characters": 100, **what}
    text = f"Live 14:02:{second:02}"
    return PageSample(second, view, "live", text, grey=False, before=before, **what)


def stale(second, before=ALL_WELL, **what):
    """A sample of a page that shows that it is not live."""
    what = {"rows": ROWS, "characters": 100, "grey": True, **what}
    text = "Not live: all below is of 14:02:00, 9 s ago. The controller does not answer."
    return PageSample(second, "hosts", "stale", text, before=before, **what)


def broken(*samples):
    """The rules that samples break; one more is taken at the end, as nothing follows the last."""
    last = dataclasses.replace(samples[-1], at_seconds=samples[-1].at_seconds + 0.5)
    return {rule for rule, _ in judgement.violations([*samples, last])}


def test_a_live_page_passes():
    assert broken(*map(live, range(30))) == set()


def test_a_page_that_shows_that_it_is_not_live_passes():
    seconds = range(3, 30)
    samples = [live(0), live(1), live(2), *(stale(each, NO_CONTROLLER) for each in seconds)]
    assert broken(*samples) == set()


@pytest.mark.parametrize("what", [{"characters": 0}, {"view": ""}])
def test_a_blank_page_is_found_in_any_state(what):
    for sample in (live(0), stale(1)):
        assert broken(dataclasses.replace(sample, **what)) == {judgement.BLANK}


def test_a_live_page_whose_clock_stands_is_found_after_its_own_rule():
    stands = [dataclasses.replace(live(0), at_seconds=each) for each in (0, 2, 4)]
    assert broken(*stands) == set()
    stands.append(dataclasses.replace(live(0), at_seconds=5))
    assert broken(*stands) == {judgement.STANDS}


def test_a_page_that_is_live_without_a_controller_is_found():
    assert broken(*(live(each, NO_CONTROLLER) for each in range(4))) == set()
    assert broken(*(live(each, NO_CONTROLLER) for each in range(6))) == {
        judgement.WITHOUT_CONTROLLER
    }


@pytest.mark.parametrize(
    ("what", "rule"),
    [
        ({"grey": False}, judgement.NOT_GREY),
        ({"state_text": "Connecting"}, judgement.NOT_GREY),
        ({"rows": ROWS[:1]}, judgement.EMPTIED),
    ],
)
def test_stale_parts_must_be_grey_and_unchanged(what, rule):
    assert broken(live(0), dataclasses.replace(stale(4), **what)) == {rule}


@pytest.mark.parametrize(
    ("view", "wrong", "right"),
    [
        ("hosts", {"rows": ROWS}, {"rows": LOST_ROWS}),
        (
            "endpoints",
            {"rows": ("h2/vm0\tt2\t0, not limited",)},
            {"rows": ("h2/vm0\tt2\tnot known",)},
        ),
        (
            "network",
            {"hosts": ("Host h2: 1 endpoint, 0 held back",)},
            {"hosts": ("Host h2: 1 endpoint, 0 held back, without a connected agent",)},
        ),
    ],
)
def test_a_dead_agent_must_be_shown_as_lost_in_time(view, wrong, right):
    def samples(what, seconds):
        return [live(each, NO_AGENT, view, **what) for each in range(seconds)]

    assert broken(*samples(wrong, 5)) == set()
    assert broken(*samples(wrong, 8)) == {judgement.AGENT}
    assert broken(*samples(right, 8)) == set()


def test_an_agent_that_was_just_started_is_not_a_dead_one():
    samples = [live(each, NO_AGENT, rows=LOST_ROWS) for each in range(8)]
    assert broken(*samples, live(8, NO_AGENT), live(8.5)) == set()


def test_a_lost_switch_must_be_shown_as_lost_in_time():
    def samples(label):
        switches = "Switch switch 1", label
        return [live(each, NO_SWITCH, "network", switches=switches) for each in range(8)]

    assert switch_name("of:0000000000000002") == "switch 2"
    assert broken(*samples("Switch switch 2")) == {judgement.SWITCH}
    assert broken(*samples("Switch switch 2, not connected")) == set()


def test_page_errors_and_too_few_samples_count():
    expectations, failures = judgement.judged([live(0)], ["TypeError"])
    assert [each.name for each in expectations if not each.holds] == [
        "page: samples",
        "page: its own errors",
    ]
    assert failures == ["the page fails: TypeError"]


@pytest.fixture
def environment(monkeypatch):
    """One in which all is well, and no browser."""
    monkeypatch.setattr(browser, "running", contextlib.nullcontext)
    monkeypatch.setattr(page_watch, "facts_of", lambda _: ALL_WELL)
    monkeypatch.setattr(page_watch, "PERIOD_SECONDS", 0.001)
    onos = SimpleNamespace(url="http://127.0.0.1:1", administrator="onos:rocks")
    return SimpleNamespace(
        deployment=SimpleNamespace(controller=SimpleNamespace(api=onos)),
        sluice=SimpleNamespace(page_path="/onos/sluice/ui/"),
    )


def test_the_page_has_the_word_for_what_is_not_known():
    source = repository.ROOT / "web-gui" / "src" / "view" / "endpoints.ts"
    assert f'NOT_KNOWN = "{page_sample.NOT_KNOWN}"' in source.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("known", "lost"),
    [
        (
            {"of:0000000000000001": True, "of:0000000000000002": False},
            {"switch 2", "switch 3"},
        ),
        ({}, set()),
    ],
)
def test_a_switch_that_the_controller_has_not_or_not_any_longer_is_lost(monkeypatch, known, lost):
    monkeypatch.setattr(page_sample, "_runs", lambda _: True)
    api = SimpleNamespace(devices=lambda timeout_seconds: known)
    switches = {
        f"s{number}": SimpleNamespace(device_id=f"of:{number:016x}") for number in (1, 2, 3)
    }
    facts = page_sample.facts_of(
        SimpleNamespace(
            agents={},
            lab_controller=None,
            deployment=SimpleNamespace(controller=SimpleNamespace(api=api)),
            network=SimpleNamespace(switches=switches),
        )
    )
    assert facts.lost_switches == lost


def test_a_watch_that_cannot_begin_states_why_at_once(environment, monkeypatch):
    def no_page(*_):
        raise TypeError("no such page")

    monkeypatch.setattr(browser, "Page", no_page)
    with (
        pytest.raises(LabError, match="cannot be watched: TypeError: no such page"),
        PageWatch(environment),
    ):
        pass


def test_a_watch_that_dies_counts_after_any_number_of_samples(environment, monkeypatch):
    shown = {
        **{"atSeconds": 0, "view": "hosts", "state": "live", "stateText": "Live 14:02:00"},
        **{"characters": 1, "grey": False, "rows": [], "switches": [], "hosts": []},
    }
    answers = iter([shown] * judgement.LEAST_SAMPLES)
    is_watched = threading.Event()

    def evaluate(*_):
        is_watched.wait(20)
        answer = next(answers, None)
        if answer is None:
            raise http.client.IncompleteRead(b"")
        return answer

    page = SimpleNamespace(
        page=SimpleNamespace(evaluate=evaluate), errors=["its own"], wait_for_state=lambda _: None
    )
    monkeypatch.setattr(browser, "Page", lambda *_: page)
    watch = PageWatch(environment)
    with watch:
        is_watched.set()
        polling.until(
            lambda: watch.conclude()[1]["failures"], "the watch to die", timeout_seconds=20
        )
    judged, results = watch.conclude()
    assert results["samples"] == judgement.LEAST_SAMPLES
    assert results["failures"] == [
        "the page fails: its own",
        "the page fails: IncompleteRead: IncompleteRead(0 bytes read)",
    ]
    assert [each.name for each in judged if not each.holds] == ["page: its own errors"]
