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

/** Greedy senders at one bottleneck, under the two-time-scale law. */
class FloodTest {
  private static SluiceParameters.Builder sluice() {
    return SluiceParameters.builder();
  }

  private static void assertShares(DumbbellFixture fixture, long from, long to, double... weights) {
    fixture.measureFrom(from);
    double[] rates = fixture.ratesUntil(to);
    assertThat(fixture.utilisation()).as("utilisation").isGreaterThan(0.97);
    double sum = Arrays.stream(weights).sum();
    for (int i = 0; i < rates.length; i++) {
      double share = GIGABIT * weights[i] / sum;
      assertThat(rates[i]).as("source %d", i).isCloseTo(share, within(0.03 * share));
    }
  }

  @Test
  void equalSharesFillThePort() {
    DumbbellFixture fixture = new DumbbellFixture(4, 1);
    SluiceDeployment.install(fixture.network, sluice().build());
    for (int i = 0; i < 4; i++) {
      fixture.floodFrom(i, i * MILLI, 2 * SECOND);
    }
    assertShares(fixture, 200 * MILLI, 2 * SECOND, 1, 1, 1, 1);
  }

  @Test
  void weightsHold() {
    DumbbellFixture fixture = new DumbbellFixture(4, 1);
    SluiceDeployment sluice = SluiceDeployment.install(fixture.network, sluice().build());
    double[] weights = {1, 2, 4, 8};
    for (int i = 0; i < 4; i++) {
      sluice.setWeight(fixture.dumbbell.senders().get(i), weights[i], 0);
      fixture.floodFrom(i, i * MILLI, 2 * SECOND);
    }
    assertShares(fixture, 200 * MILLI, 2 * SECOND, weights);
  }

  @Test
  void sharesHoldWithoutController() {
    DumbbellFixture fixture = new DumbbellFixture(4, 1);
    SluiceDeployment.install(
        fixture.network, sluice().absence(new Outage(300 * MILLI, Outage.FOR_EVER)).build());
    for (int i = 0; i < 4; i++) {
      fixture.floodFrom(i, i * MILLI, 4 * SECOND);
    }
    assertShares(fixture, SECOND, 4 * SECOND, 1, 1, 1, 1);
  }

  @Test
  void sharesHoldWithTheLongestControlPeriod() {
    DumbbellFixture fixture = new DumbbellFixture(4, 1);
    SluiceDeployment.install(
        fixture.network, sluice().set(SettingTable.CONTROL_PERIOD_MILLIS, 1000).build());
    for (int i = 0; i < 4; i++) {
      fixture.floodFrom(i, i * MILLI, 5 * SECOND);
    }
    assertShares(fixture, 3 * SECOND, 5 * SECOND, 1, 1, 1, 1);
  }
}
