// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.feedback;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;

/** What a receiver's shim sends, and what a sender's makes of it. */
class FeedbackTest {
  private static final long MILLI = 1_000_000;

  private final PacketPool pool = new PacketPool();
  private final SentFeedback sent = new SentFeedback();
  private final ReceivedFeedback received = new ReceivedFeedback();

  private Packet message(long packets, long bytes, long marks, long nowNanos) {
    Packet message = pool.take();
    sent.write(message, packets, bytes, marks, nowNanos);
    return message;
  }

  private boolean isDue(long packets, long bytes, long marks, long nowNanos) {
    return sent.isDue(packets, bytes, marks, nowNanos, 4 * MILLI);
  }

  @Test
  void marksAndPacketsAfterThemAreSentAtOnceAndOthersAfterADelay() {
    message(10, 15_000, 1, 0);
    assertThat(isDue(10, 15_000, 1, 100 * MILLI)).as("nothing new").isFalse();
    assertThat(isDue(11, 15_040, 2, 0)).as("a mark").isTrue();
    assertThat(isDue(11, 16_500, 1, 4 * MILLI - 1)).as("1500 bytes").isTrue();
    assertThat(isDue(11, 16_500, 1, 4 * MILLI)).as("1500 bytes, marks are over").isFalse();
    assertThat(isDue(11, 15_040, 1, 20 * MILLI - 1)).isFalse();
    assertThat(isDue(11, 15_040, 1, 20 * MILLI)).isTrue();
  }

  @Test
  void packetsBeforeAFirstMarkAreNotCountedWithIt() {
    received.take(message(10, 15_000, 0, 0));
    assertThat(isDue(40, 60_000, 0, MILLI)).isFalse();
    assertThat(isDue(50, 75_000, 5, 2 * MILLI)).isTrue();
    assertThat(received.take(message(50, 75_000, 5, 2 * MILLI))).isTrue();
    assertThat(received.newPackets()).isEqualTo(10);
    assertThat(received.take(message(60, 90_000, 5, 3 * MILLI))).isTrue();
    assertThat(received.newPackets()).isEqualTo(10);
  }

  @Test
  void marksSinceTheLastMessageAreReported() {
    assertThat(sent.write(pool.take(), 1, 1500, 1, 0)).isTrue();
    assertThat(sent.write(pool.take(), 2, 3000, 1, 0)).isFalse();
  }

  @Test
  void sharesAreRelayedAtALimitedRate() {
    assertThat(sent.mayRelay(0)).isTrue();
    assertThat(sent.hasRelayed()).isFalse();
    sent.relayed(5 * MILLI);
    assertThat(sent.hasRelayed()).isTrue();
    assertThat(sent.mayRelay(25 * MILLI - 1)).isFalse();
    assertThat(sent.mayRelay(25 * MILLI)).isTrue();
  }

  @Test
  void lostAndReorderedMessagesAreHarmless() {
    Packet first = message(10, 15_000, 0, 0);
    message(20, 30_000, 3, 0);
    Packet third = message(25, 37_500, 4, 0);
    Packet fourth = message(26, 39_000, 4, 0);
    assertThat(received.take(first)).as("only a base").isFalse();
    assertThat(received.take(fourth)).isTrue();
    assertThat(received.newPackets()).isEqualTo(16);
    assertThat(received.newMarks()).isEqualTo(4);
    assertThat(received.take(third)).isFalse();
  }
}
