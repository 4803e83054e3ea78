// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** An agent's clock that is 1000 ns behind the controller's. */
class AgentClockTest {
  private static final long WINDOW = AgentClock.WINDOW_NANOS;
  private static final long BEHIND = 1000;

  private final AgentClock clock = new AgentClock();

  /** When a message was said by what is told of it. */
  private long said(long saidNanos, long tookNanos) {
    return clock.saidNanos(saidNanos - BEHIND, saidNanos + tookNanos);
  }

  @Test
  void theFirstIsTakenForSaidWhenItComes() {
    assertThat(said(5_000, 70)).isEqualTo(5_070);
  }

  @Test
  void whatTakesLongerThanAnotherIsLateByWhatThatOneTook() {
    said(5_000, 70);
    assertThat(said(6_000, 900)).isEqualTo(6_070);
    assertThat(said(7_000, 40)).isEqualTo(7_040);
    assertThat(said(8_000, 900)).isEqualTo(8_040);
  }

  @Test
  void whatWasFastIsForgottenAfterTwoWindows() {
    said(5_000, 40);
    said(5_000 + WINDOW, 70);
    assertThat(said(6_000 + WINDOW, 900)).isEqualTo(6_040 + WINDOW);
    said(5_000 + 2 * WINDOW, 70);
    assertThat(said(6_000 + 2 * WINDOW, 900)).isEqualTo(6_070 + 2 * WINDOW);
  }

  @Test
  void soItIsAfterASilence() {
    said(5_000, 40);
    assertThat(said(5_000 + 2 * WINDOW, 70)).isEqualTo(5_070 + 2 * WINDOW);
  }

  @Test
  void anAgentThatDoesNotTellIsBelievedToSayWhatComesThen() {
    said(5_000, 70);
    assertThat(clock.saidNanos(0, 9_000)).isEqualTo(9_000);
  }

  @Test
  void nonsenseIsBounded() {
    long[] nonsense = {1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 7, Long.MIN_VALUE + 1};
    long now = -3;
    for (long first : nonsense) {
      for (long then : nonsense) {
        now += 2;
        assertThat(clock.saidNanos(first, now)).isBetween(now - WINDOW, now);
        assertThat(clock.saidNanos(then, now)).isBetween(now - WINDOW, now);
      }
    }
  }
}
