// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a port counts as overloaded, as marks show it. */
class OverloadTest {
  private static final long PERIOD_NANOS = 5_000_000L;
  private static final double GIGABIT = 1e9;

  private final Overload overload = new Overload();
  private long now = 1_000_000_000L;

  private void update(double part, long millis) {
    for (long passed = 0; passed < millis; passed += 5) {
      now += PERIOD_NANOS;
      overload.update(part, GIGABIT, now);
    }
  }

  private boolean isLasting() {
    return overload.calmNanos() == 0;
  }

  /** A swing of the host loop about its rest: all marked for 5 ms, hardly anything for 5 ms. */
  @Test
  void oscillationOfTheHostLoopIsNotOverload() {
    update(0.45, 200);
    for (int i = 0; i < 100; i++) {
      update(1, 5);
      update(0.1, 5);
      assertThat(isLasting()).as("swing %d", i).isFalse();
    }
  }

  /** From 0.45, after t ms with all marked, 1 - 0.55 exp(-t / 10): above 0.7 after 6.1 ms. */
  @Test
  void marksOnAlmostAllPacketsAreOverload() {
    update(0.45, 200);
    update(1, 5);
    assertThat(isLasting()).isFalse();
    update(1, 5);
    assertThat(isLasting()).isTrue();
  }

  /** From 1 to 0.7 takes 3.6 ms, so it was found last at the end of the marks. */
  @Test
  void lastsThreeTenthsOfASecond() {
    update(1, 100);
    update(0, 300);
    assertThat(isLasting()).isTrue();
    update(0, 5);
    assertThat(overload.calmNanos()).isEqualTo(PERIOD_NANOS);
  }

  /** 400 packets take 96 ms at 50 Mbit/s: 1 - exp(-t / 96) is above 0.7 after 116 ms. */
  @Test
  void fewPacketsAreNoEvidence() {
    for (int i = 0; i < 23; i++) {
      now += PERIOD_NANOS;
      overload.update(i == 0 ? 0 : 1, 50e6, now);
      assertThat(isLasting()).as("after %d periods", i).isFalse();
    }
    for (int i = 0; i < 3; i++) {
      now += PERIOD_NANOS;
      overload.update(1, 50e6, now);
    }
    assertThat(isLasting()).isTrue();
  }

  /**
   * Of a port that carries 417 packets in 5 ms, 60 of one sender: it has all of them marked as
   * often as not. Were all of the port's known, they would be overload.
   */
  @Test
  void singleSenderOfManyIsNoEvidence() {
    for (int i = 0; i < 200; i++) {
      now += PERIOD_NANOS;
      overload.update(1, 60, GIGABIT, now);
      assertThat(isLasting()).as("after %d periods", i).isFalse();
    }
  }

  /** 300 of 417 packets, all marked. */
  @Test
  void mostPacketsAreSufficientEvidence() {
    for (int i = 0; i < 20; i++) {
      now += PERIOD_NANOS;
      overload.update(1, 300, GIGABIT, now);
    }
    assertThat(isLasting()).isTrue();
  }

  /** Rare evaluations, as where T_i is long: each counts for the time that it covers. */
  @Test
  void isIndependentOfTheControlPeriod() {
    now += 300_000_000L;
    overload.update(0.5, GIGABIT, now);
    assertThat(isLasting()).isFalse();
    now += 300_000_000L;
    overload.update(0.9, GIGABIT, now);
    assertThat(isLasting()).isTrue();
  }

  @Test
  void isUnknownInitially() {
    assertThat(isLasting()).isFalse();
  }
}
