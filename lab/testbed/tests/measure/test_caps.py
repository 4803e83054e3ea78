# SPDX-License-Identifier: Apache-2.0
"""How often, how low and how long beyond their timeouts background queues were capped."""

import pytest

from testbed.measure import caps

MILLI = 1_000_000
CAPACITY_MBPS = 25


def sample(millis, ceiling_mbps=None, ends_in_millis=None):
    """A sample; ceiling_mbps: of the queue's class, ends_in_millis: of the cap that is known."""
    known = {"downstream": "of:2/6", "capBitsPerSecond": 1}
    return {
        "tNanos": millis * MILLI,
        "ceilings": [] if ceiling_mbps is None else [ceiling_mbps * 1_000_000],
        "statusNanos": millis * MILLI,
        "caps": [] if ends_in_millis is None else [known | {"capEndsInMillis": ends_in_millis}],
    }


def test_a_class_that_may_send_the_capacity_is_not_capped():
    found = caps.judge([sample(0), sample(20, 25), sample(40, 25)], CAPACITY_MBPS)
    assert (found.samples, found.capped_samples, found.times) == (3, 0, 0)
    assert found.least_mbps is None
    assert found.overrun_millis == found.timeout_millis == 0


def test_caps_are_counted_by_their_beginnings():
    samples = [
        sample(0, 25),
        sample(20, 20, 100),
        sample(40, 15, 100),
        sample(60, 25),
        sample(80, 18, 100),
    ]
    found = caps.judge(samples, CAPACITY_MBPS)
    assert (found.times, found.capped_samples) == (2, 3)
    assert found.capped_share == pytest.approx(0.6)
    assert found.least_mbps == 15
    assert found.timeout_millis == 100


@pytest.mark.parametrize(("last_capped", "overrun"), [(100, 0), (120, 0), (140, 20), (180, 60)])
def test_a_cap_outlives_the_end_that_its_agent_gave_last(last_capped, overrun):
    samples = [sample(0, 20, 100), sample(20, 20, 100)]  # ends at 120
    samples += [sample(each, 20, 0 if each > 120 else None) for each in range(40, 101, 20)]
    samples += [sample(last_capped, 20), sample(last_capped + 20, 25)]
    assert caps.judge(samples, CAPACITY_MBPS).overrun_millis == overrun


def test_an_old_cap_does_not_count_for_a_new_one_that_its_agent_has_ended_already():
    samples = [sample(0, 20, 10), sample(20, 25), sample(5000, 20), sample(5020, 25)]
    assert caps.judge(samples, CAPACITY_MBPS).overrun_millis == 0


def test_a_cap_unknown_to_agents_counts_from_its_beginning():
    samples = [sample(each, 20) for each in range(0, 1001, 20)]
    assert caps.judge(samples, CAPACITY_MBPS).overrun_millis == 1000


def test_the_last_line_may_be_half_written(tmp_path):
    series = tmp_path / "caps.jsonl"
    series.write_text('{"tNanos": 1}\n{"tNa', encoding="utf-8")
    assert caps.read(series) == [{"tNanos": 1}]
