// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatisticTest {
  /** 1, 1, 2, 4, 7, as values and as counts. */
  @ParameterizedTest
  @CsvSource({
    "mean,3",
    "sum,15",
    "min,1",
    "max,7",
    "stddev,2.2804",
    "p50,2",
    "p80,4",
    "p81,7",
    "p99,7"
  })
  void isTheSameOfValuesAndOfCounts(String name, double expected) {
    Statistic statistic = Statistic.named(name);

    assertThat(statistic.of(new double[] {4, 1, 7, 2, 1})).isCloseTo(expected, within(1e-4));
    assertThat(statistic.ofCounts(new long[] {0, 2, 1, 0, 1, 0, 0, 1, 0}))
        .isCloseTo(expected, within(1e-4));
  }

  @Test
  void emptySampleHasNoStatistic() {
    assertThat(Statistic.named("p50").of(new double[0])).isNaN();
    assertThat(Statistic.named("mean").ofCounts(new long[4])).isNaN();
  }
}
