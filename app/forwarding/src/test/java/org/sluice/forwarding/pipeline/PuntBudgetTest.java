// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.port;
import static org.sluice.forwarding.pipeline.Punts.Kind.ANSWER;
import static org.sluice.forwarding.pipeline.Punts.Kind.QUESTION;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;

class PuntBudgetTest {
  private static final PortId P1 = port("s1/1");
  private static final PortId P2 = port("s1/2");
  private static final MacAddress A = mac(1);
  private static final MacAddress B = mac(2);

  private final AtomicLong nanos = new AtomicLong();
  private final PuntBudget budget = new PuntBudget(nanos::get);

  private static MacAddress mac(int number) {
    return MacAddress.of(ByteBuffer.allocate(6).putShort((short) 0x0200).putInt(number).array());
  }

  private int taken(PortId port, MacAddress sender, int tries) {
    int taken = 0;
    for (int i = 0; i < tries; i++) {
      taken += budget.take(port, sender, QUESTION) ? 1 : 0;
    }
    return taken;
  }

  private void later(long millis) {
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Test
  void senderHasABurstAndThenARate() {
    assertThat(taken(P1, A, 400)).isEqualTo(PuntBudget.SENDER_BURST);
    later(1000);
    assertThat(taken(P1, A, 400)).isEqualTo(PuntBudget.SENDER_PER_SECOND);
  }

  @Test
  void sendersHaveSeparateBudgets() {
    taken(P1, A, 10_000);
    assertThat(taken(P1, B, 100)).isEqualTo(100);
    assertThat(taken(P2, A, 100)).isEqualTo(100);
  }

  @Test
  void sendersWithChangingAddressesShareThePortBudget() {
    int taken = 0;
    for (int i = 0; i < 100_000; i++) {
      taken += taken(P1, mac(i), 1);
    }

    assertThat(taken).isLessThanOrEqualTo(PuntBudget.PORT_BURST);
    assertThat(taken(P2, A, 100)).isEqualTo(100);
    assertThat(budget.pauses()).containsExactly(Punts.Pause.of(P1, Optional.empty(), QUESTION));
  }

  @Test
  void senderFarOverBudgetIsPaused() {
    AtomicInteger notified = new AtomicInteger();
    budget.epoch().addListener(notified::incrementAndGet);
    taken(P1, A, PuntBudget.SENDER_BURST + PuntBudget.SENDER_PAUSES_AT - 1);
    assertThat(budget.pauses()).isEmpty();

    taken(P1, A, 1);
    assertThat(budget.pauses()).containsExactly(Punts.Pause.of(P1, Optional.of(A), QUESTION));
    assertThat(notified).hasValue(1);
    later(5000);
    assertThat(taken(P1, A, 100)).isZero();

    later(5000);
    assertThat(budget.pauses()).isEmpty();
    assertThat(taken(P1, A, 100)).isEqualTo(100);
  }

  @Test
  void senderSlightlyOverBudgetIsNotPaused() {
    for (int second = 0; second < 30; second++) {
      taken(P1, A, 2 * PuntBudget.SENDER_PER_SECOND);
      later(1000);
    }
    assertThat(budget.pauses()).isEmpty();
  }

  @Test
  void senderLastinglyOverBudgetIsPaused() {
    for (int second = 0; second < 2 * PuntBudget.PAUSES_AFTER_SECONDS; second++) {
      taken(P1, A, 4 * PuntBudget.SENDER_PER_SECOND);
      later(1000);
    }
    assertThat(budget.pauses()).containsExactly(Punts.Pause.of(P1, Optional.of(A), QUESTION));
  }

  /** B is sent requests by A as often as A may without being paused, and four times that. */
  @Test
  void repliesAreNotCharged() {
    for (int second = 0; second < 30; second++) {
      for (int i = 0; i < 8 * PuntBudget.SENDER_PER_SECOND; i++) {
        budget.take(P2, B, ANSWER);
      }
      later(1000);
    }
    assertThat(budget.pauses()).isEmpty();
    assertThat(taken(P2, B, 100)).isEqualTo(100);
  }

  @Test
  void floodOfRepliesIsPausedAndRequestsAreNot() {
    for (int i = 0; i < 10_000; i++) {
      budget.take(P1, A, ANSWER);
    }
    assertThat(budget.pauses()).containsExactly(Punts.Pause.of(P1, Optional.of(A), ANSWER));
    assertThat(taken(P1, A, 100)).isEqualTo(100);
  }

  @Test
  void manyPausedSendersPauseTheirPort() {
    for (int i = 0; i <= PuntBudget.MOST_PAUSED_SENDERS; i++) {
      taken(P1, mac(i), PuntBudget.SENDER_BURST);
      later(1000); // Its port has more to give again.
    }
    for (int i = 0; i <= PuntBudget.MOST_PAUSED_SENDERS; i++) {
      taken(P1, mac(i), 3 * PuntBudget.SENDER_BURST + PuntBudget.SENDER_PAUSES_AT);
    }

    assertThat(budget.pauses()).containsExactly(Punts.Pause.of(P1, Optional.empty(), QUESTION));
  }

  private int floods(PortId port, int packets, int tries) {
    int taken = 0;
    for (int i = 0; i < tries; i++) {
      taken += budget.takeFlood(port, packets) ? 1 : 0;
    }
    return taken;
  }

  @Test
  void broadcastBudgetIsDividedAmongRequesters() {
    floods(P1, 10, 10_000);
    floods(P2, 10, 1);
    int first = 0;
    int second = 0;
    for (int i = 0; i < 100; i++) {
      later(100);
      first += floods(P1, 10, 1000);
      second += floods(P2, 10, 10);
    }

    double each = PuntBudget.FLOOD_PER_SECOND / 2.0 * 10 / 10; // 10 s, 10 packets a question.
    assertThat((double) first).isBetween(each * 0.9, each * 1.1);
    assertThat(second).isEqualTo(1000); // All that it requested.
  }

  @Test
  void singleRequestMayExceedTheBroadcastBudget() {
    assertThat(budget.takeFlood(P1, 20_000)).isTrue();
    later(1000);
    assertThat(budget.takeFlood(P1, 20_000)).isFalse();
    later(3000);
    assertThat(budget.takeFlood(P1, 20_000)).isTrue();
  }

  @Test
  void rejectionsAreShownForAMinute() {
    taken(P1, A, PuntBudget.SENDER_BURST + 7);
    assertThat(budget.refused()).containsOnlyKeys(P1).containsEntry(P1, 7L);
    later(60_000);
    assertThat(budget.refused()).isEmpty();
  }
}
