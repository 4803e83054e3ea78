// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WaitingTest {
  private static final long MILLI = 1_000_000;
  private static final long START = 500 * MILLI;

  private final Waiting waiting = new Waiting();

  @BeforeEach
  void holdsFromStart() {
    waiting.observe(false, 0);
    waiting.observe(true, START);
  }

  @Test
  void beginsAfterTenMillisecondsOfPackets() {
    waiting.observe(true, START + 10 * MILLI - 1);
    assertThat(waiting.isWaiting()).isFalse();
    waiting.observe(true, START + 10 * MILLI);
    assertThat(waiting.isWaiting()).isTrue();
  }

  @Test
  void shortGapsCount() {
    for (int millis = 5; millis <= 40; millis += 5) {
      waiting.observe(millis % 10 == 0, START + millis * MILLI);
      assertThat(waiting.isWaiting()).as("after %d ms", millis).isEqualTo(millis >= 10);
    }
  }

  @Test
  void endsAfterTenMillisecondsWithoutPackets() {
    long last = START + 12 * MILLI;
    waiting.observe(true, last);
    waiting.observe(false, last + 10 * MILLI - 1);
    assertThat(waiting.isWaiting()).isTrue();
    waiting.observe(false, last + 10 * MILLI);
    assertThat(waiting.isWaiting()).isFalse();
  }

  @Test
  void beginsAnewAfterALongGap() {
    waiting.observe(true, START + 5 * MILLI);
    waiting.observe(false, START + 15 * MILLI);
    waiting.observe(true, START + 20 * MILLI);
    assertThat(waiting.isWaiting()).isFalse();
    waiting.observe(true, START + 30 * MILLI);
    assertThat(waiting.isWaiting()).isTrue();
  }
}
