# SPDX-License-Identifier: Apache-2.0
"""Counting notices, and the reasons for their transport."""

from testbed.measure import notices


def status(in_band, by_link, forged):
    refused = {"forged": forged, "stale": 1}
    return {"notices": {"inBand": in_band, "byLink": by_link, "refused": refused}}


def test_counters_are_increments_summed_over_agents():
    before = notices.count([status(1, 2, 3), status(0, 0, 0)])
    now = notices.count([status(11, 2, 3), status(5, 1, 2)])
    assert before == {"inBand": 1, "byLink": 2, "refused": 5}
    assert notices.between(before, now) == {"inBand": 15, "byLink": 1, "refused": 2}


def test_reasons_are_those_of_the_journal():
    entry = {"sequence": 7, "time": "t", "port": None, "endpoint": "h1/vm0", "law": "sluice"}
    reason = {"time": "t", "endpoint": "h1/vm0", "decision": "by the link", "evidence": "3 so far"}
    assert notices.link_fallbacks(
        [
            {**entry, "kind": "rate", "decision": "12 Mbit/s", "evidence": "marks"},
            {**entry, "kind": "notice", "endpoint": None, "port": "of:1/5", "decision": "of 0.7"},
            {**entry, "kind": "notice", "decision": "by the link", "evidence": "3 so far"},
        ]
    ) == [reason]
