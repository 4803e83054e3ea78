// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.deadline.FlowKey;

class WindowHistoryTest {
  private static final long MILLI = 1_000_000;
  private static final int SEGMENT = 1000;

  private final WindowHistory windows = new WindowHistory();

  @Test
  void everyWindowCountsForItsTime() {
    windows.set(10, 100);
    windows.set(0, 200);
    windows.set(40, 700);
    assertThat(windows.byteNanos(150, 1000)).isEqualTo(10 * 50 + 40 * 300);
    assertThat(windows.byteNanos(0, 1000)).isEqualTo(10 * 100 + 40 * 300);
    assertThat(windows.byteNanos(900, 1000)).isEqualTo(40 * 100);
    assertThat(windows.bytes()).isEqualTo(40);
  }

  @Test
  void theSameWindowAgainIsNothingNew() {
    windows.set(10, 100);
    windows.set(20, 200);
    windows.set(20, 300);
    assertThat(windows.widestBytes()).isEqualTo(20);
    assertThat(windows.byteNanos(100, 400)).isEqualTo(10 * 100 + 20 * 200);
  }

  @Test
  void beforeTheFirstThereWasNone() {
    assertThat(windows.bytes()).isZero();
    assertThat(windows.widestBytes()).isZero();
    assertThat(windows.byteNanos(0, 1000)).isZero();
  }

  /** More changes than are kept: all that they were worth is still there. */
  @Test
  void theOldestAreMadeFewerByTheirMean() {
    double worth = 0;
    for (int i = 0; i < 100; i++) {
      windows.set(1000L * i * i, 1000L * i);
      worth += 1000.0 * i * i * 1000;
    }
    assertThat(windows.byteNanos(0, 100_000)).isCloseTo(worth, within(worth * 1e-6));
    assertThat(windows.byteNanos(99_000, 100_000)).isEqualTo(1000.0 * 99 * 99 * 1000);
  }

  /**
   * It waited for 30 ms with a closed window, and since then got 4, 40 and 44 segments, of which
   * nothing has been heard yet: it has not sent 40 in each round trip of its wait, and is far from
   * through.
   */
  @Test
  void oneThatWaitedWithAClosedWindowIsNotTakenForThrough() {
    FlowKey key = FlowKey.of(IpAddress.parse("10.0.0.1"), 1, IpAddress.parse("10.0.0.2"), 2);
    GifRow row = new GifRow(1, 1, key, new DeadlinePort[0], 140 * SEGMENT, 45 * MILLI, true);
    row.progressNanos = 10 * MILLI;
    row.windows.set(0, 10 * MILLI);
    row.windows.set(4 * SEGMENT, 42 * MILLI);
    row.windows.set(40 * SEGMENT, 42 * MILLI + 500_000);
    row.windows.set(44 * SEGMENT, 43 * MILLI);
    double left = row.expectedRemainingBytes(43 * MILLI, MILLI, 500_000);
    assertThat(left).isEqualTo((140 - 4 - 40) * SEGMENT);
  }

  @Test
  void anotherFlowsWindowsCanBeTakenOver() {
    List.of(1L, 2L, 3L).forEach(i -> windows.set(i, 100 * i));
    WindowHistory other = new WindowHistory();
    other.copy(windows);
    assertThat(other.bytes()).isEqualTo(3);
    assertThat(other.byteNanos(0, 400)).isEqualTo(windows.byteNanos(0, 400));
  }
}
