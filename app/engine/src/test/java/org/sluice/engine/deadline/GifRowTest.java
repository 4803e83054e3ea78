// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.deadline.FlowKey;

/** The windows that a flow has and had. */
class GifRowTest {
  private static final long MILLI = 1_000_000;
  private static final int SEGMENT = 1000;

  private final GifRow row = row();

  private static GifRow row() {
    FlowKey key = FlowKey.of(IpAddress.parse("10.0.0.1"), 1, IpAddress.parse("10.0.0.2"), 2);
    return new GifRow(1, 1, key, new DeadlinePort[0], 140 * SEGMENT, 45 * MILLI, true);
  }

  @Test
  void everyWindowCountsForItsDuration() {
    row.setWindow(10, 100);
    row.setWindow(0, 200);
    row.setWindow(40, 700);
    assertThat(row.windowByteNanos(150, 1000)).isEqualTo(10 * 50 + 40 * 300);
    assertThat(row.windowByteNanos(0, 1000)).isEqualTo(10 * 100 + 40 * 300);
    assertThat(row.windowByteNanos(900, 1000)).isEqualTo(40 * 100);
    assertThat(row.windowBytes()).isEqualTo(40);
  }

  @Test
  void repeatedWindowAddsNoEntry() {
    row.setWindow(10, 100);
    row.setWindow(20, 200);
    row.setWindow(20, 300);
    assertThat(row.widestWindowBytes()).isEqualTo(20);
    assertThat(row.windowByteNanos(100, 400)).isEqualTo(10 * 100 + 20 * 200);
  }

  @Test
  void widestWindowSinceATimeIncludesTheOneInForce() {
    row.setWindow(10, 100);
    row.setWindow(40, 200);
    row.setWindow(20, 300);
    row.setWindow(30, 400);
    assertThat(row.widestWindowBytes(400)).isEqualTo(30);
    assertThat(row.widestWindowBytes(300)).isEqualTo(30);
    assertThat(row.widestWindowBytes(299)).isEqualTo(40);
    assertThat(row.widestWindowBytes(0)).isEqualTo(40);
  }

  /** Those that have become one count with the widest of them. */
  @Test
  void compactionKeepsTheWidestWindow() {
    row.setWindow(500, 0);
    for (int i = 1; i < 50; i++) {
      row.setWindow(i % 2 == 0 ? 1 : 2, i);
    }
    assertThat(row.widestWindowBytes(0)).isEqualTo(500);
    assertThat(row.widestWindowBytes(48)).isEqualTo(2);
  }

  @Test
  void thereIsNoWindowBeforeTheFirst() {
    assertThat(row.windowBytes()).isZero();
    assertThat(row.widestWindowBytes()).isZero();
    assertThat(row.windowByteNanos(0, 1000)).isZero();
  }

  /** More changes than are kept: all that they were worth is still there. */
  @Test
  void compactionMergesTheOldestWindowsToTheirMean() {
    double worth = 0;
    for (int i = 0; i < 100; i++) {
      row.setWindow(1000L * i * i, 1000L * i);
      worth += 1000.0 * i * i * 1000;
    }
    assertThat(row.windowByteNanos(0, 100_000)).isCloseTo(worth, within(worth * 1e-6));
    assertThat(row.windowByteNanos(99_000, 100_000)).isEqualTo(1000.0 * 99 * 99 * 1000);
  }

  /**
   * It waited for 30 ms with a closed window, and since then got 4, 40 and 44 segments, of which
   * nothing has been reported yet: it has not sent 40 in each round trip of its wait, and is far
   * from through.
   */
  @Test
  void flowBehindAClosedWindowIsNotExpectedComplete() {
    row.progressNanos = 10 * MILLI;
    row.setWindow(0, 10 * MILLI);
    row.setWindow(4 * SEGMENT, 42 * MILLI);
    row.setWindow(40 * SEGMENT, 42 * MILLI + 500_000);
    row.setWindow(44 * SEGMENT, 43 * MILLI);
    double left = row.expectedRemainingBytes(43 * MILLI, MILLI, 500_000);
    assertThat(left).isEqualTo((140 - 4 - 40) * SEGMENT);
  }

  @Test
  void windowHistoryCanBeCopiedFromAnotherFlow() {
    List.of(1L, 2L, 3L).forEach(i -> row.setWindow(i, 100 * i));
    GifRow other = row();
    other.continues(row);
    assertThat(other.windowBytes()).isEqualTo(3);
    assertThat(other.windowByteNanos(0, 400)).isEqualTo(row.windowByteNanos(0, 400));
  }
}
