// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.sim.control.Lab.GIGABIT;
import static org.sluice.sim.control.Lab.MILLI;
import static org.sluice.sim.control.Lab.SECOND;

import org.junit.jupiter.api.Test;
import org.sluice.engine.EngineParameters;

/** Whoever comes late hears of the port's share from the receiver's host. */
class NewcomerTest {
  private static Lab threeFloods(SluiceParameters parameters) {
    Lab lab = new Lab(4, 1);
    SluiceDeployment.install(lab.network, parameters);
    for (int i = 0; i < 3; i++) {
      lab.floodFrom(i, i * MILLI, 4 * SECOND);
    }
    return lab;
  }

  @Test
  void findsItsShareWhenTheControllerHasGone() {
    Lab lab =
        threeFloods(
            SluiceParameters.builder().absence(new Absence(500 * MILLI, Absence.FOR_EVER)).build());
    lab.floodFrom(3, SECOND, 4 * SECOND);
    lab.measureFrom(1200 * MILLI);
    for (double rate : lab.ratesUntil(4 * SECOND)) {
      assertThat(rate).isCloseTo(GIGABIT / 4.0, within(0.05 * GIGABIT / 4));
    }
    assertThat(lab.utilisation()).isGreaterThan(0.97);
  }

  @Test
  void doesNotWaitForASlowController() {
    Lab lab =
        threeFloods(
            SluiceParameters.builder()
                .engine(EngineParameters.DEFAULTS.withControlPeriodNanos(SECOND))
                .build());
    // The controller has ticked at 2 s, and next will at 3 s.
    lab.floodFrom(3, 2100 * MILLI, 4 * SECOND);
    lab.measureFrom(2150 * MILLI);
    double[] rates = lab.ratesUntil(2900 * MILLI);
    assertThat(rates[3]).isCloseTo(GIGABIT / 4.0, within(0.05 * GIGABIT / 4));
  }
}
