// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** A port of 1 MB/s, evaluated every 10 ms. */
class CarriedPartTest {
  private static final long STEP = 10_000_000;
  private static final long SECOND = 1_000_000_000;
  private static final double CAPACITY = 1e6;

  private final CarriedPart carried = new CarriedPart();
  private double delivered;
  private long now;

  /** So much of the capacity passes for so long. */
  private void pass(double part, long millis, boolean full) {
    for (long until = now + millis * 1_000_000; now < until; now += STEP) {
      carried.update(full, delivered, CAPACITY, now);
      delivered += part * CAPACITY * STEP / SECOND;
    }
  }

  private void expect(double part) {
    carried.update(false, delivered, CAPACITY, now);
    assertThat(carried.part()).isCloseTo(part, within(0.01));
  }

  @Test
  void isTheWholeCapacityUntilLessIsObserved() {
    expect(1);
  }

  @Test
  void throughputCountsWhereWindowsCouldFillThePort() {
    pass(0.8, 300, true);
    expect(0.8);
  }

  @Test
  void startOfCongestionCounts() {
    pass(0, 100, true);
    pass(1, 300, true);
    expect(0.75);
  }

  @Test
  void lowOrShortLoadIsNoEvidence() {
    pass(0.3, 2000, false);
    expect(1);
    pass(0.3, 150, true);
    expect(1);
  }

  @Test
  void decreasesAtOnceAndIncreasesGradually() {
    pass(0.7, 500, true);
    pass(1, 500, true);
    expect(0.775);
    pass(1, 5000, true);
    assertThat(carried.part()).isGreaterThan(0.95);
  }

  @Test
  void unconfirmedReductionExpires() {
    pass(0.8, 300, true);
    expect(0.8);
    now += 120 * SECOND;
    expect(0.9);
    now += 2400 * SECOND;
    expect(1);
  }

  /** Somebody who sends slowly on purpose cannot take all from others. */
  @Test
  void isAtLeastHalf() {
    pass(0.01, 3000, true);
    expect(0.5);
  }
}
