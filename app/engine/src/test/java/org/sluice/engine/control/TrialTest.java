// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.engine.control.OnePort.Member;
import org.sluice.engine.control.OnePort.Source;
import org.sluice.engine.law.Demand;

/** Two who do not wait and one who does at a port of 1 Gbit/s. */
class TrialTest {
  private static final double CAPACITY = 1e9;
  private static final long MS = 1_000_000L;

  private final Source growing = new Source(1, 0, 0, 0);
  private final Source light = new Source(1, 0, 0, 0);
  private final Source greedy = new Source(1, 0, 0, 0);
  private final OnePort port =
      new OnePort(
          CAPACITY, List.of(new Member(false, 1, 0, 0, List.of(growing, light, greedy))), 0);
  private final Trial trial = new Trial();

  /** Rates are read, and what is due to whom follows with the next reading. */
  private void read(double growingRate, boolean growingWaits, boolean greedyWaits, long now) {
    double greedyRate = 0.9 * CAPACITY - growingRate;
    for (int i = 0; i < 2; i++) {
      port.update(
          new double[] {growingRate, 50e6, greedyRate},
          new boolean[] {growingWaits, false, greedyWaits},
          now);
      port.compute();
      if (i == 0) {
        trial.update(port.portSources, port.state.crossings, CAPACITY, now);
      }
    }
  }

  private double demand(Source source) {
    return port.state.crossings.demandBitsPerSecond(source.crossing);
  }

  @Test
  void whoIsTriedHasRoomForHalfAsMuchAgain() {
    read(100e6, false, true, MS);
    assertThat(trial.isOn()).isFalse();
    assertThat(port.part(greedy)).isCloseTo(850e6, within(1e3));
    read(100e6, false, true, 501 * MS);
    assertThat(trial.isOn()).isTrue();
    assertThat(demand(growing)).isEqualTo(150e6);
    assertThat(demand(light)).isEqualTo(75e6);
    assertThat(port.part(greedy)).isCloseTo(775e6, within(1e3));
  }

  @Test
  void trialGoesOnForWhoGrowsUntilItWaits() {
    read(100e6, false, true, MS);
    read(100e6, false, true, 501 * MS);
    read(150e6, false, true, 561 * MS);
    assertThat(trial.isOn()).isTrue();
    assertThat(demand(growing)).isEqualTo(225e6);
    assertThat(demand(light)).as("did not grow").isEqualTo(50e6);
    read(290e6, true, true, 621 * MS);
    assertThat(trial.isOn()).isFalse();
    assertThat(demand(growing)).isEqualTo(Demand.GREEDY);
  }

  /** After 0.5, 1, 2, 4, 8 and again 8 s. */
  @Test
  void trialsBecomeRareWhereNobodyGrows() {
    int trials = 0;
    boolean wasOn = false;
    for (long ms = 0; ms <= 24_500; ms += 5) {
      read(100e6, false, true, ms * MS);
      trials += trial.isOn() && !wasOn ? 1 : 0;
      wasOn = trial.isOn();
    }
    assertThat(trials).isEqualTo(6);
  }

  @Test
  void nobodyIsTriedWhereNobodyWaits() {
    for (long ms = 0; ms <= 2000; ms += 5) {
      read(100e6, false, false, ms * MS);
      assertThat(trial.isOn()).isFalse();
    }
    assertThat(demand(growing)).isEqualTo(100e6);
  }
}
