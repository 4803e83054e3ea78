// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** Means with their confidence. */
class IntervalTest {
  @Test
  void usesStudentsDistribution() {
    Interval three = Interval.of(10, 12, 14);

    assertThat(three.mean()).isEqualTo(12);
    assertThat(three.halfWidth()).isCloseTo(4.303 * 2 / Math.sqrt(3), within(1e-9));
  }

  /** t is 1.9996 at 61 degrees of freedom. */
  @Test
  void approachesTheNormalDistributionWithManySeeds() {
    double[] seeds = new double[62];
    for (int i = 0; i < seeds.length; i++) {
      seeds[i] = i % 2 == 0 ? 1 : -1;
    }

    assertThat(Interval.of(seeds).halfWidth()).isCloseTo(1.9996 / Math.sqrt(61), within(5e-4));
  }

  @Test
  void oneSeedHasNoInterval() {
    assertThat(Interval.of(3.14159).halfWidth()).isNaN();
    assertThat(Interval.of(3.14159).shown()).isEqualTo("3.14");
  }

  @Test
  void seedWithoutValueHasNoInterval() {
    assertThat(Interval.of(1, Double.NaN).shown()).isEqualTo("-");
  }

  @Test
  void showsSignificantDigits() {
    assertThat(new Interval(0.97123, 0.0123).shown()).isEqualTo("0.971 ± 0.012");
    assertThat(new Interval(12.34, 5.678).shown()).isEqualTo("12.3 ± 5.7");
    assertThat(new Interval(1234.5, 56.7).shown()).isEqualTo("1235 ± 57");
    assertThat(new Interval(250.04, 0.2).shown()).isEqualTo("250");
    assertThat(new Interval(0, 0).shown()).isEqualTo("0");
    assertThat(new Interval(1, 0).shown()).isEqualTo("1");
    assertThat(new Interval(0.9997, 0).shown()).isEqualTo("1.00");
    assertThat(new Interval(99.96, 0.04).shown()).isEqualTo("100");
    assertThat(new Interval(0, 0.03).shown()).isEqualTo("0 ± 0.030");
    assertThat(new Interval(0.00001, 0).shown()).isEqualTo("0");
    assertThat(new Interval(4.2, 130).shown()).isEqualTo("4 ± 130");
  }
}
