# SPDX-License-Identifier: Apache-2.0
"""Parts over a trailing window."""

import pytest

from testbed.measure import trailing
from testbed.measure.series import CumulativeSeries


def test_a_part_is_of_the_window_alone():
    counted = CumulativeSeries([(0, 0), (10, 0), (20, 8)])
    whole = CumulativeSeries([(0, 0), (20, 20)])
    assert trailing.part(counted, whole, 10, 10) == 0
    assert trailing.part(counted, whole, 15, 10) == pytest.approx(0.4)
    assert trailing.part(counted, whole, 20, 10) == pytest.approx(0.8)
    assert trailing.part(counted, CumulativeSeries([(0, 5), (20, 5)]), 20, 10) == 0


def test_the_first_instant_at_which_the_bound_is_reached():
    counted = CumulativeSeries([(0, 0), (10, 0), (20, 8)])
    whole = CumulativeSeries([(0, 0), (20, 20)])
    instants = [10, 12, 14, 16, 18, 20]
    assert trailing.first_reached(counted, whole, instants, 10, 0.4) == 16
    assert trailing.first_reached(counted, whole, instants, 10, 0.9) is None
