# SPDX-License-Identifier: Apache-2.0
"""Counters over time."""

import pytest

from testbed.measure.series import CumulativeSeries, read_counter, read_flows

SECOND = 1_000_000_000


def megabyte_a_second(seconds):
    return CumulativeSeries((n * SECOND, n * 1_000_000) for n in range(seconds + 1))


def test_rate_between_samples_is_interpolated():
    assert megabyte_a_second(4).mbps(SECOND // 2, 7 * SECOND // 2) == pytest.approx(8.0)


def test_before_the_first_sample_the_rate_is_zero():
    series = CumulativeSeries([(10 * SECOND, 500)])
    assert series.at(9 * SECOND) == 0
    assert series.at(11 * SECOND) == 500


def test_bins_cover_the_window_with_whole_bins_only():
    bins = megabyte_a_second(4).binned_mbps(0, 3 * SECOND + SECOND // 2, SECOND)
    assert [instant for instant, _ in bins] == [SECOND // 2, 3 * SECOND // 2, 5 * SECOND // 2]
    assert [rate for _, rate in bins] == pytest.approx([8.0, 8.0, 8.0])


def test_longest_stall():
    series = CumulativeSeries((n * SECOND, value) for n, value in enumerate([0, 5, 5, 5, 9, 9]))
    assert series.longest_stall_seconds(0, 5 * SECOND) == 3
    assert series.longest_stall_seconds(SECOND, 3 * SECOND) == 2


def test_each_flow_starts_at_zero_before_its_first_sample(tmp_path):
    file = tmp_path / "flows.jsonl"
    file.write_text(
        "{}\n"
        '{"tNanos": 0, "bytes": {}}\n'
        '{"tNanos": 1000000000, "bytes": {"udp/10.0.0.2/7000": 1000000}}\n'
        '{"tNanos": 2000000000, "bytes": {"udp/10.0.0.2/7000": 20',
        encoding="utf-8",
    )
    flow = read_flows(file)["udp/10.0.0.2/7000"]
    assert flow.mbps(0, SECOND) == pytest.approx(8.0)
    assert flow.at(2 * SECOND) == 1_000_000, "the line that is being written is not read"


def test_reading_the_link_counter(tmp_path):
    file = tmp_path / "link.jsonl"
    file.write_text('{"tNanos": 0, "bytes": 7}\n{"tNanos": 8, "bytes": 15}\n', encoding="utf-8")
    assert read_counter(file).at(4) == 11
