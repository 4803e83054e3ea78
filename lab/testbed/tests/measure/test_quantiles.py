# SPDX-License-Identifier: Apache-2.0
"""Quantiles are measured values, of samples and of histograms by the same rule."""

import random

import pytest

from testbed.measure.quantiles import mean, median, quantile, quantile_of_counts


@pytest.mark.parametrize(
    ("count", "share", "value"),
    [(1, 0.5, 1), (2, 0.5, 1), (3, 0.5, 2), (4, 0.5, 2), (100, 0.99, 99), (101, 0.99, 100)],
)
def test_nearest_rank(count, share, value):
    values = list(range(1, count + 1))
    random.Random(count).shuffle(values)
    assert quantile(values, share) == value


def test_a_median_is_the_quantile_of_one_half():
    assert median([4.0, 1.0, 3.0, 2.0]) == 2.0
    assert median([7.0]) == 7.0


def test_nothing_has_no_quantile_and_no_mean():
    found = [quantile([], 0.5), median([]), mean([]), quantile_of_counts([0, 0], 0.5)]
    assert found == [None] * 4


def test_a_histogram_has_the_quantiles_of_its_samples():
    generator = random.Random(1)
    for _ in range(200):
        samples = [generator.randrange(9) for _ in range(generator.randrange(1, 120))]
        counts = [samples.count(value) for value in range(9)]
        share = generator.choice([0.01, 0.5, 0.95, 0.99, 1.0])
        assert quantile_of_counts(counts, share) == quantile(samples, share)


def test_means():
    assert mean([1.0, 2.0, 6.0]) == 3.0
