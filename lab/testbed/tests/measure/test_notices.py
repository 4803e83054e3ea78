# SPDX-License-Identifier: Apache-2.0
"""What is expected of the way that notices come."""

import pytest

from testbed.measure import notices


class FakeAgent:
    """An agent that counted some notices."""

    def __init__(self, in_band, by_link, forged):
        self._told = {
            "inBand": in_band,
            "byLink": by_link,
            "refused": {"forged": forged, "stale": 1},
        }

    def status(self):
        return {"notices": self._told}


def test_all_agents_are_added_up_and_what_was_before_is_left_out():
    before = notices.counted([FakeAgent(1, 2, 3), FakeAgent(0, 0, 0)])
    now = notices.counted([FakeAgent(11, 2, 3), FakeAgent(5, 1, 2)])
    assert before == {"inBand": 1, "byLink": 2, "refused": 5}
    assert notices.since(before, now) == {"inBand": 15, "byLink": 1, "refused": 2}


def test_reasons_are_those_of_the_journal():
    entry = {"sequence": 7, "time": "t", "port": None, "endpoint": "h1/vm0", "law": "sluice"}
    told = {"time": "t", "endpoint": "h1/vm0", "decision": "by the link", "evidence": "3 so far"}
    assert notices.detours(
        [
            {**entry, "kind": "rate", "decision": "12 Mbit/s", "evidence": "marks"},
            {**entry, "kind": "notice", "endpoint": None, "port": "of:1/5", "decision": "of 0.7"},
            {**entry, "kind": "notice", "decision": "by the link", "evidence": "3 so far"},
        ]
    ) == [told]


@pytest.mark.parametrize(
    ("way", "law", "told", "holds"),
    [
        ("link", "paper", (0, 100, 0), []),
        ("in-band", "paper", (100, 0, 0), [True]),
        ("in-band", "paper", (0, 100, 0), [False]),
        ("in-band", "paper", (90, 0, 10), [False]),
        ("in-band", "paper", (0, 0, 0), [False]),
        ("in-band", "sluice", (0, 0, 0), []),
        ("in-band", "sluice", (100, 1, 0), [True]),
    ],
)
def test_in_band_means_in_band(way, law, told, holds):
    counts = dict(zip(("inBand", "byLink", "refused"), told, strict=True))
    assert [each.holds for each in notices.expected(way, law, counts)] == holds
