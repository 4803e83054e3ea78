// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SteadyClockTest {
  @Test
  void startsAtTheWallClockAndIgnoresItsLaterSteps() {
    AtomicLong lasted = new AtomicLong(7);
    SteadyClock clock = new SteadyClock(1_700_000_000_000L, lasted::get);
    assertThat(clock.now()).isEqualTo(1_700_000_000_007L);

    lasted.addAndGet(250);

    assertThat(clock.now()).isEqualTo(1_700_000_000_257L);
  }

  @Test
  void clockOfThisProcessIsNearTheWallClock() {
    assertThat(SteadyClock.millis())
        .isCloseTo(System.currentTimeMillis(), offset(TimeUnit.MINUTES.toMillis(1)));
    assertThat(SteadyClock.micros()).isGreaterThan(SteadyClock.millis());
  }
}
