// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class GrowingTimeTest {
  private final AtomicLong clock = new AtomicLong(1000);
  private final GrowingTime time = new GrowingTime(clock::get);

  @Test
  void followsTheClock() {
    assertThat(time.next()).isEqualTo(1000);
    clock.set(1500);
    assertThat(time.next()).isEqualTo(1500);
  }

  @Test
  void growsThoughTheClockStandsStillOrGoesBack() {
    time.next();
    assertThat(time.next()).isEqualTo(1001);
    clock.addAndGet(-500);
    assertThat(time.next()).isEqualTo(1002);
  }
}
