# SPDX-License-Identifier: Apache-2.0
"""Gaps between answered pings."""

import pytest

from testbed.measure.gaps import longest_gap, longest_gap_seconds

SECOND = 1_000_000_000


@pytest.mark.parametrize(
    ("answered", "expected"),
    [
        ([1, 2, 3, 4], 1),
        ([1, 4], 3),
        ([4], 4),
        ([1], 4),
        ([], 5),
        ([-3, 2.5, 9], 2.5),
    ],
)
def test_longest_gap(answered, expected):
    assert longest_gap_seconds([t * SECOND for t in answered], 0, 5 * SECOND) == expected


def test_when_it_began():
    assert longest_gap([SECOND, 4 * SECOND], 0, 5 * SECOND) == (3, 1)
