// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.sim.deployment.DumbbellFixture.GIGABIT;
import static org.sluice.sim.deployment.DumbbellFixture.MILLI;
import static org.sluice.sim.deployment.DumbbellFixture.SECOND;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.sluice.core.setting.SettingTable;
import org.sluice.sim.platform.Outage;

/** A source that starts late gets the port's share from the receiver's host. */
class NewcomerTest {
  private static DumbbellFixture threeFloods(SluiceParameters parameters) {
    DumbbellFixture fixture = new DumbbellFixture(4, 1);
    SluiceDeployment.install(fixture.network, parameters);
    for (int i = 0; i < 3; i++) {
      fixture.floodFrom(i, i * MILLI, 4 * SECOND);
    }
    return fixture;
  }

  @Test
  void reachesItsShareWithoutController() {
    DumbbellFixture fixture =
        threeFloods(
            SluiceParameters.builder().absence(new Outage(500 * MILLI, Outage.FOR_EVER)).build());
    fixture.floodFrom(3, SECOND, 4 * SECOND);
    fixture.measureFrom(1200 * MILLI);
    double[] rates = fixture.ratesUntil(4 * SECOND);
    // Shares of a third each are too large. Marks cut all alike and at the same time: at the bottom
    // of that the port rests.
    double quarter = Arrays.stream(rates).average().orElseThrow();
    for (double rate : rates) {
      assertThat(rate).isCloseTo(quarter, within(0.01 * quarter));
    }
    assertThat(fixture.utilisation()).isGreaterThan(0.92);
  }

  @Test
  void reachesItsShareWithASlowController() {
    DumbbellFixture fixture =
        threeFloods(
            SluiceParameters.builder().set(SettingTable.CONTROL_PERIOD_MILLIS, 1000).build());
    // The controller has ticked at 2 s, and next will at 3 s.
    fixture.floodFrom(3, 2100 * MILLI, 4 * SECOND);
    fixture.measureFrom(2150 * MILLI);
    double[] rates = fixture.ratesUntil(2900 * MILLI);
    assertThat(rates[3]).isCloseTo(GIGABIT / 4.0, within(0.05 * GIGABIT / 4));
  }
}
