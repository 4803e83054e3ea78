// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.sim.control.Lab.GIGABIT;
import static org.sluice.sim.control.Lab.MILLI;
import static org.sluice.sim.control.Lab.SECOND;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.sluice.engine.EngineParameters;

/** Greedy senders at one bottleneck, under the two-time-scale law. */
class FloodTest {
  private static SluiceParameters.Builder sluice() {
    return SluiceParameters.builder();
  }

  private static void assertShares(Lab lab, long from, long to, double... weights) {
    lab.measureFrom(from);
    double[] rates = lab.ratesUntil(to);
    assertThat(lab.utilisation()).as("utilisation").isGreaterThan(0.97);
    double sum = Arrays.stream(weights).sum();
    for (int i = 0; i < rates.length; i++) {
      double share = GIGABIT * weights[i] / sum;
      assertThat(rates[i]).as("source %d", i).isCloseTo(share, within(0.03 * share));
    }
  }

  @Test
  void equalSharesFillThePort() {
    Lab lab = new Lab(4, 1);
    SluiceDeployment.install(lab.network, sluice().build());
    for (int i = 0; i < 4; i++) {
      lab.floodFrom(i, i * MILLI, 2 * SECOND);
    }
    assertShares(lab, 200 * MILLI, 2 * SECOND, 1, 1, 1, 1);
  }

  @Test
  void weightsHold() {
    Lab lab = new Lab(4, 1);
    SluiceDeployment sluice = SluiceDeployment.install(lab.network, sluice().build());
    double[] weights = {1, 2, 4, 8};
    for (int i = 0; i < 4; i++) {
      sluice.setWeight(lab.dumbbell.senders().get(i), weights[i], 0);
      lab.floodFrom(i, i * MILLI, 2 * SECOND);
    }
    assertShares(lab, 200 * MILLI, 2 * SECOND, weights);
  }

  @Test
  void aLostControllerCostsNothing() {
    Lab lab = new Lab(4, 1);
    SluiceDeployment.install(
        lab.network, sluice().absence(new Absence(300 * MILLI, Absence.FOR_EVER)).build());
    for (int i = 0; i < 4; i++) {
      lab.floodFrom(i, i * MILLI, 4 * SECOND);
    }
    assertShares(lab, SECOND, 4 * SECOND, 1, 1, 1, 1);
  }

  @Test
  void theLongestPeriodWillDo() {
    Lab lab = new Lab(4, 1);
    SluiceDeployment.install(
        lab.network,
        sluice().engine(EngineParameters.DEFAULTS.withControlPeriodNanos(SECOND)).build());
    for (int i = 0; i < 4; i++) {
      lab.floodFrom(i, i * MILLI, 5 * SECOND);
    }
    assertShares(lab, 3 * SECOND, 5 * SECOND, 1, 1, 1, 1);
  }
}
