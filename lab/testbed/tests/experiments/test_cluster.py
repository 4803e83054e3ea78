# SPDX-License-Identifier: Apache-2.0
"""How changes, promises and shares of a cluster are judged, and what is done to its nodes."""

from collections import Counter
from types import SimpleNamespace

import pytest

from testbed.control.rest import RestError
from testbed.experiments.cluster import cases, criteria, experiment, writers
from testbed.experiments.cluster.watch import established_resets
from testbed.experiments.cluster.writers import ACCEPTED, RACED, REFUSED, UNKNOWN
from testbed.system import polling
from testbed.system.errors import LabError


@pytest.mark.parametrize(
    ("ceilings", "lost"),
    [
        ({"onos1": 10, "onos2": 10}, 0),
        ({"onos1": 12, "onos2": 12}, 0),
        ({"onos1": 10, "onos2": 8}, 2),
        ({"onos1": 13, "onos2": 12}, 1),
    ],
)
def test_a_count_is_what_was_accepted_and_perhaps_what_nobody_answered(ceilings, lost):
    changes = Counter({ACCEPTED: 10, UNKNOWN: 2, RACED: 5, REFUSED: 3})
    assert writers.lost_changes(changes, ceilings) == lost


def flow(number, port, *, promised=True):
    return {"id": number, "destinationPort": port, "promised": promised}


def test_an_accepted_promise_stands_on_every_node():
    promises = {1: (ACCEPTED, 7), 2: (REFUSED, None), 3: (UNKNOWN, None)}
    held = [flow(7, 1)]
    assert not writers.lost_promises(promises, {"onos1": held, "onos2": held})
    for other in ([], [flow(7, 1, promised=False)], [flow(8, 1)]):
        lost = writers.lost_promises(promises, {"onos1": held, "onos2": other})
        assert lost == ["onos2: 7 to port 1"]


def test_a_promise_is_there_once_and_only_where_it_was_not_refused():
    promises = {1: (ACCEPTED, 7), 2: (REFUSED, None), 3: (UNKNOWN, None)}
    assert not writers.doubled_promises(promises, {"onos1": [flow(7, 1), flow(8, 3)]})
    assert writers.doubled_promises(promises, {"onos1": [flow(7, 1), flow(8, 1)]}) == [
        "onos1: 2 to port 1"
    ]
    assert writers.doubled_promises(promises, {"onos1": [flow(7, 1), flow(9, 2)]}) == [
        "onos1: one to port 2, which was refused"
    ]


class FakeNode:
    """A node that answers every change of the tenant and every registration alike."""

    def __init__(self, failure=None):
        self.sluice = self
        self.failure = failure
        self.ceiling = None

    def tagged_tenant(self, tenant):
        return {"ceilingBitsPerSecond": self.ceiling}, '"1"'

    def put_tenant(self, tenant, document, tag=None):
        if tag is not None and self.failure is not None:
            raise self.failure
        self.ceiling = document["ceilingBitsPerSecond"]

    def register_flow(self, request):
        if self.failure is not None:
            raise self.failure
        return {"id": request["destinationPort"]}


@pytest.mark.parametrize(
    ("failure", "outcome"),
    [
        (None, ACCEPTED),
        (RestError("PUT", "http://h", 412, "changed"), RACED),
        (RestError("PUT", "http://h", 409, "cannot be met"), REFUSED),
        (RestError("PUT", "http://h", 503, "it may be registered all the same"), UNKNOWN),
        (LabError("no answer"), UNKNOWN),
    ],
)
def test_every_request_has_one_outcome(monkeypatch, failure, outcome):
    node = FakeNode(failure)
    monkeypatch.setattr(writers, "PERIOD_SECONDS", 0.001)
    with writers.Writers([node]) as written:
        polling.until(
            lambda: written.changes and written.promises, "its requests", timeout_seconds=20
        )
    assert set(written.changes) == {outcome}
    assert {each for each, _ in written.promises.values()} == {outcome}
    if outcome == ACCEPTED:
        assert node.ceiling == 1_000_000 * (1 + written.changes[ACCEPTED])


def of_traffic(*seconds):
    expected, aims = criteria.of_traffic(list(seconds), {"h1 -> h5": (0.1, 3.0)}, resets=0)
    return [each.holds for each in (*expected, *aims)]


def test_a_second_is_judged_where_the_link_was_full_and_the_machine_was_not():
    good, starved = (0, 0.95, 0.97, False), (1, 0.5, 0.97, False)
    assert of_traffic(good) == [True, True, True, True, True]
    assert of_traffic(good, starved) == [True, False, True, True, False]
    assert of_traffic(good, (1, 0.5, 0.80, False)) == [True, True, True, True, True]
    assert of_traffic(good, (1, 0.5, 0.97, True)) == [True, True, True, True, False]
    assert of_traffic((0, 0.95, 0.97, True))[0] is False


def test_resets_of_established_connections():
    snmp = "Ip: Forwarding\nIp: 1\nTcp: RtoMin EstabResets CurrEstab\nTcp: 200 3 2\n"
    assert established_resets(snmp) == 3


def test_all_cases_unless_some_are_named():
    def named(**options):
        options = SimpleNamespace(**{"short": False, "case": None, **options})
        return [case.name for case in experiment.chosen_cases(options)]

    assert named() == [case.name for case in cases.CASES]
    assert named(case=["store", "master"]) == ["master", "store"]
    assert named(short=True) == ["master"]


def test_a_case_that_cannot_be_completed_fails(monkeypatch):
    def measured(*arguments):
        raise LabError("onos2 does not start")

    monkeypatch.setattr(experiment, "_measured", measured)
    result = experiment._make(None, cases.CASES[0], "cubic")
    assert result.verdict == "fail"
    assert result.as_json()["expectations"][0]["name"] == "onos2 does not start"
