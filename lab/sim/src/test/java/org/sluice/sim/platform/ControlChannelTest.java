// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.sluice.sim.event.Scheduler;

/** What becomes of messages between controller and host, sent one every millisecond. */
class ControlChannelTest {
  private static final long MILLI = 1_000_000L;
  private static final long TIMEOUT = 200 * MILLI;
  private static final int MESSAGES = 5000;

  private final Scheduler scheduler = new Scheduler();
  private final List<Integer> arrived = new ArrayList<>();
  private final List<Long> delays = new ArrayList<>();
  private final List<Outage> outages = new ArrayList<>();

  private ControlChannel run(ChannelParameters parameters) {
    ControlChannel channel =
        new ControlChannel(scheduler, new SplittableRandom(1), parameters, outages);
    for (int i = 0; i < MESSAGES; i++) {
      int number = i;
      scheduler.runUntil(number * MILLI);
      channel.send(
          () -> {
            arrived.add(number);
            delays.add(scheduler.now() - number * MILLI);
          });
    }
    scheduler.runUntil(MESSAGES * MILLI + 100 * TIMEOUT);
    assertThat(channel.sent()).isEqualTo(MESSAGES);
    return channel;
  }

  private void assertAllArrivedInOrder() {
    assertThat(arrived).hasSize(MESSAGES).isSorted();
  }

  @Test
  void messagesWithoutLossAreDelayedByDelayAndJitterInOrder() {
    ControlChannel channel = run(new ChannelParameters(2 * MILLI, 3 * MILLI, 0));
    assertAllArrivedInOrder();
    assertThat(channel.lost()).isZero();
    assertThat(delays).allMatch(delay -> delay >= 2 * MILLI && delay <= 5 * MILLI);
    assertThat(delays).anyMatch(delay -> delay > 4 * MILLI);
  }

  /** Each loss costs a timeout, and a message that is lost again twice as much more. */
  @Test
  void lostMessageIsRetransmittedAndBlocksLaterOnes() {
    ControlChannel channel = run(new ChannelParameters(2 * MILLI, 0, 0.002));
    assertAllArrivedInOrder();
    assertThat(channel.lost()).isBetween(2L, 30L);
    long late = delays.stream().filter(delay -> delay > 2 * MILLI).count();
    assertThat(delays).contains(2 * MILLI + TIMEOUT).contains(2 * MILLI);
    assertThat(late).as("those behind a lost one").isGreaterThan(20 * channel.lost());
    // One millisecond after the other, those that follow wait that much less.
    for (int i = 1; i < MESSAGES; i++) {
      assertThat(delays.get(i)).isGreaterThanOrEqualTo(delays.get(i - 1) - MILLI);
    }
  }

  @Test
  void retransmissionTimeoutDoubles() {
    run(new ChannelParameters(0, 0, 0.3));
    assertAllArrivedInOrder();
    assertThat(delays).contains(3 * TIMEOUT);
    assertThat(delays).anyMatch(delay -> delay >= 7 * TIMEOUT);
  }

  /** Sent at 1 s, again after 200 and 600 ms, when it gets through; all since then wait for it. */
  @Test
  void whatIsSentInAnOutageComesAfterIt() {
    outages.add(new Outage(1000 * MILLI, 1500 * MILLI));
    run(new ChannelParameters(2 * MILLI, 0, 0));
    assertAllArrivedInOrder();
    assertThat(delays.subList(0, 1000)).containsOnly(2 * MILLI);
    for (int i = 1000; i < 1600; i++) {
      assertThat(delays.get(i)).isEqualTo((1602 - i) * MILLI);
    }
    assertThat(delays.subList(1600, MESSAGES)).containsOnly(2 * MILLI);
  }
}
