// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** An agent's clock that is 1000 ns behind the controller's. */
class AgentClockTest {
  private static final long WINDOW = AgentClock.WINDOW_NANOS;
  private static final long BEHIND = 1000;

  private final AgentClock clock = new AgentClock();

  /** The estimate of when a message was sent. */
  private long estimate(long sentNanos, long tookNanos) {
    return clock.sentNanos(sentNanos - BEHIND, sentNanos + tookNanos);
  }

  @Test
  void firstReportCountsAsSentOnArrival() {
    assertThat(estimate(5_000, 70)).isEqualTo(5_070);
  }

  @Test
  void sendTimeIsArrivalLessDelayBeyondTheFastestReport() {
    estimate(5_000, 70);
    assertThat(estimate(6_000, 900)).isEqualTo(6_070);
    assertThat(estimate(7_000, 40)).isEqualTo(7_040);
    assertThat(estimate(8_000, 900)).isEqualTo(8_040);
  }

  @Test
  void fastestReportExpiresAfterTwoWindows() {
    estimate(5_000, 40);
    estimate(5_000 + WINDOW, 70);
    assertThat(estimate(6_000 + WINDOW, 900)).isEqualTo(6_040 + WINDOW);
    estimate(5_000 + 2 * WINDOW, 70);
    assertThat(estimate(6_000 + 2 * WINDOW, 900)).isEqualTo(6_070 + 2 * WINDOW);
  }

  @Test
  void fastestReportExpiresWithoutReports() {
    estimate(5_000, 40);
    assertThat(estimate(5_000 + 2 * WINDOW, 70)).isEqualTo(5_070 + 2 * WINDOW);
  }

  @Test
  void reportWithoutTimestampCountsAsSentOnArrival() {
    estimate(5_000, 70);
    assertThat(clock.sentNanos(0, 9_000)).isEqualTo(9_000);
  }

  @Test
  void invalidTimestampsGiveASendTimeWithinTheWindow() {
    long[] nonsense = {1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 7, Long.MIN_VALUE + 1};
    long now = -3;
    for (long first : nonsense) {
      for (long then : nonsense) {
        now += 2;
        assertThat(clock.sentNanos(first, now)).isBetween(now - WINDOW, now);
        assertThat(clock.sentNanos(then, now)).isBetween(now - WINDOW, now);
      }
    }
  }
}
