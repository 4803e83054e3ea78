// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class DemandTest {
  private static final double PART = 100e6;

  private static double after(double before, double rate, long lightMillis) {
    return Demand.of(before, rate, PART, lightMillis * 1_000_000L);
  }

  @Test
  void lastingLowRateMeansLowDemand() {
    assertThat(after(Demand.GREEDY, 20e6, 49)).isEqualTo(Demand.GREEDY);
    assertThat(after(Demand.GREEDY, 20e6, 50)).isCloseTo(20e6, within(1.0));
  }

  @Test
  void lowDemandTracksTheRateUntilLimited() {
    assertThat(after(20e6, 40e6, 0)).isCloseTo(40e6, within(1.0));
    assertThat(after(20e6, 85e6, 0)).as("between the thresholds").isCloseTo(85e6, within(1.0));
    assertThat(after(20e6, 91e6, 0)).isEqualTo(Demand.GREEDY);
  }

  @Test
  void rateNearTheShareMeansGreedy() {
    assertThat(after(Demand.GREEDY, 81e6, 0)).isEqualTo(Demand.GREEDY);
    assertThat(Demand.isLittle(81e6, PART)).isFalse();
    assertThat(Demand.isLittle(79e6, PART)).isTrue();
  }

  @Test
  void unknownShareKeepsTheDemand() {
    assertThat(Demand.of(20e6, 20e6, 0, 1_000_000_000L)).isEqualTo(Demand.GREEDY);
  }
}
