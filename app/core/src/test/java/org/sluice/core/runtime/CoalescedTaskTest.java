// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.sluice.core.testing.VirtualTime;

class CoalescedTaskTest {
  private final VirtualTime time = new VirtualTime();
  private final ScheduledExecutorService executor = time.sequential("task");
  private final List<Long> begun = new ArrayList<>();

  private CoalescedTask taking(long millis) {
    long start = time.nanoTime();
    return new CoalescedTask(
        (command, delay) -> executor.schedule(command, delay, TimeUnit.NANOSECONDS),
        () -> {
          begun.add(TimeUnit.NANOSECONDS.toMillis(time.nanoTime() - start));
          time.advanceMillis(millis);
        },
        time::nanoTime);
  }

  private void requestEveryMillisecond(CoalescedTask task, int times) {
    for (int i = 0; i < times; i++) {
      task.run();
      time.advanceMillis(1);
    }
  }

  @Test
  void taskThatTakesLongRestsNineTimesAsLong() {
    requestEveryMillisecond(taking(20), 500);

    assertThat(begun).startsWith(0L, 200L, 400L);
  }

  @Test
  void restEndsAfterASecond() {
    requestEveryMillisecond(taking(400), 2000);

    assertThat(begun).startsWith(0L, 1400L);
  }

  @Test
  void taskThatTakesNoTimeIsDoneAtOnce() {
    requestEveryMillisecond(taking(0), 3);

    assertThat(begun).containsExactly(0L, 1L, 2L);
  }
}
