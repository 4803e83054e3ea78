// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.sim.transport.TestPath.MILLISECOND;
import static org.sluice.sim.transport.TestPath.SECOND;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.sim.packet.Packet;

/** When the receiver acknowledges (RFC 5681, section 4.2; RFC 2018). */
class DelayedAckTest {
  private static final int MSS = 1460;

  private final SelectiveQueue queue = new SelectiveQueue();
  private final TestPath path = new TestPath(1, 1_000_000_000L, MILLISECOND, queue);
  private final Departures acknowledgements = new Departures();

  private TcpFlow run(TcpParameters parameters, long bytes) {
    path.returning.setObserver(acknowledgements);
    TcpFlow flow = path.tcp(0, parameters, bytes);
    flow.start(0);
    path.runUntil(10 * SECOND);
    return flow;
  }

  /** The last segment is acknowledged at once: it ends the data. */
  @ParameterizedTest
  @CsvSource({"true, 1000, 500", "true, 1001, 501", "false, 1000, 1000", "true, 1, 1"})
  void everySecondSegmentIsAcknowledged(boolean delayed, int segments, int expected) {
    TcpFlow flow = run(TcpParameters.builder().delayedAck(delayed).build(), (long) segments * MSS);
    assertThat(flow.isClosed()).isTrue();
    assertThat(flow.statistics().acknowledgementPackets()).isEqualTo(expected);
  }

  /** Sixteen at once, then every second one. */
  @Test
  void firstSegmentsAreAcknowledgedAtOnce() {
    TcpFlow flow = run(TcpParameters.builder().quickAckSegments(16).build(), 100L * MSS);
    assertThat(flow.statistics().acknowledgementPackets()).isEqualTo(16 + 42);
  }

  @Test
  void singleSegmentWaitsForTheTimer() {
    path.returning.setObserver(acknowledgements);
    TcpFlow flow = path.tcp(0, TcpParameters.DEFAULTS, 0);
    long[] arrival = new long[1];
    flow.onDelivered(bytes -> arrival[0] = path.scheduler.now());
    flow.start(0);
    for (int i = 1; i <= 3; i++) {
      path.runUntil(i * SECOND);
      flow.write(100);
      path.runUntil(i * SECOND + SECOND / 2);
      assertThat(acknowledgements.all.get(i).nanos() - arrival[0]).isEqualTo(40 * MILLISECOND);
    }
    assertThat(acknowledgements.all).hasSize(4);
  }

  /** RFC 7323, section 4.2: the time that an acknowledgement waited is part of the round trip. */
  @Test
  void timestampOfTheOlderSegmentIsEchoed() {
    TcpFlow flow = path.tcp(0, TcpParameters.DEFAULTS, 0);
    flow.start(0);
    path.runUntil(SECOND);
    flow.write(MSS);
    path.runUntil(SECOND + 10 * MILLISECOND);
    flow.write(MSS);
    path.runUntil(SECOND + 20 * MILLISECOND);
    assertThat(flow.statistics().rttMaxNanos())
        .isBetween(11 * MILLISECOND, 11 * MILLISECOND + MILLISECOND / 10);
  }

  @Test
  void segmentAboveAHoleIsAcknowledgedAtOnce() {
    boolean[] lost = new boolean[1];
    queue.drop =
        packet -> {
          boolean now = !lost[0] && packet.sequence == 2 * MSS && packet.payloadBytes > 0;
          lost[0] |= now;
          return now;
        };
    run(TcpParameters.DEFAULTS, 6 * MSS);
    List<Integer> sizes = acknowledgements.all.stream().map(Departures.Departure::ipBytes).toList();
    List<Long> numbers =
        acknowledgements.all.stream().map(each -> each.acknowledgement() / MSS).toList();
    // SYN-ACK; 0-1; 3, 4, 5 above the hole, with one SACK block; the hole filled.
    assertThat(sizes).containsExactly(52, 40, 52, 52, 52, 40);
    assertThat(numbers).containsExactly(0L, 2L, 2L, 2L, 2L, 6L);
    assertThat(acknowledgements.all.get(1).flags()).isEqualTo(Packet.ACK);
  }
}
