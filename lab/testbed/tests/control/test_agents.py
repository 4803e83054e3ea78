# SPDX-License-Identifier: Apache-2.0
"""What agents' configurations derive from the bottleneck's capacity."""

import pytest

from testbed.control import agents


@pytest.mark.parametrize(("mbps", "packets"), [(10, 4), (30, 5), (50, 8), (100, 16), (1000, 20)])
def test_marking_threshold_follows_the_capacity(mbps, packets):
    assert agents.mark_threshold_packets(mbps) == packets


@pytest.mark.parametrize(("mbps", "micros"), [(1000, 2500), (50, 2500), (30, 4167), (12, 5000)])
def test_the_host_loops_period_covers_some_packets_of_the_bottleneck(mbps, micros):
    assert agents.tau_micros(mbps) == micros
