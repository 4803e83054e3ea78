# SPDX-License-Identifier: Apache-2.0
"""Matching first marks with the class changes that answer them."""

import pytest

from testbed.measure import mark_delays
from testbed.measure.quantiles import quantile

MILLI = 1_000_000


def test_each_mark_is_answered_by_the_next_change_of_its_own_source():
    marks = [(0, "a"), (300 * MILLI, "b")]
    changes = {"a": [-5 * MILLI, 4 * MILLI, 6 * MILLI], "b": [2 * MILLI, 307 * MILLI]}
    assert mark_delays.delays_millis(marks, changes) == ([4.0, 7.0], 0)


def test_a_change_after_the_next_mark_answers_only_that_one():
    marks = [(0, "a"), (300 * MILLI, "a")]
    assert mark_delays.delays_millis(marks, {"a": [305 * MILLI]}) == ([5.0], 1)


def test_a_mark_without_change_within_a_second_is_unanswered():
    assert mark_delays.delays_millis([(0, "a")], {"a": [1001 * MILLI]}) == ([], 1)
    assert mark_delays.delays_millis([(0, "a")], {}) == ([], 1)


def test_summary():
    summary = mark_delays.summary([float(n) for n in range(1, 101)])
    assert summary == {"p50": 50.0, "p99": 99.0, "samples": 100}
    assert mark_delays.summary([]) == {"p50": None, "p99": None, "samples": 0}


def test_the_slowest_are_named_by_their_marks():
    assert mark_delays.slowest([2.0, 90.0, 3.0, 40.0], 2) == [
        {"mark": 2, "delayMs": 90.0},
        {"mark": 4, "delayMs": 40.0},
    ]


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [([], 0.5, None), ([3], 0.99, 3), ([1, 2, 3, 4], 0.5, 2), ([4, 1, 3, 2], 0.51, 3)],
)
def test_quantile(values, share, expected):
    assert quantile(values, share) == expected


def test_reading_a_trace_leaves_out_the_line_being_written(tmp_path):
    file = tmp_path / "trace.jsonl"
    file.write_text('{"tNanos": 5, "event": "first-ce"}\n{"tNanos": 6, "ev', encoding="utf-8")
    assert mark_delays.read_trace(file) == [{"tNanos": 5, "event": "first-ce"}]
