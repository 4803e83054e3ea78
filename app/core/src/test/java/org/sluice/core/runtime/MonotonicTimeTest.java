// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MonotonicTimeTest {
  private final AtomicLong clock = new AtomicLong(1000);
  private final MonotonicTime time = new MonotonicTime(clock::get);

  @Test
  void followsTheClock() {
    assertThat(time.next()).isEqualTo(1000);
    clock.set(1500);
    assertThat(time.next()).isEqualTo(1500);
  }

  @Test
  void growsWhileTheClockStopsOrStepsBack() {
    time.next();
    assertThat(time.next()).isEqualTo(1001);
    clock.addAndGet(-500);
    assertThat(time.next()).isEqualTo(1002);
  }

  /** Of a node whose clock is ahead. */
  @Test
  void exceedsTimesObservedFromOtherNodes() {
    clock.set(1_000);
    time.seen(3_601_000);
    assertThat(time.next()).isEqualTo(3_601_001);
    time.seen(5);
    assertThat(time.next()).isEqualTo(3_601_002);
  }
}
