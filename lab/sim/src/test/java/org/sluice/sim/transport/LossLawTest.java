// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.sim.transport.TestPath.MILLISECOND;
import static org.sluice.sim.transport.TestPath.SECOND;

import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.sim.packet.Packet;

/**
 * NewReno against Mathis, Semke, Mahdavi, Ott, "The Macroscopic Behavior of the TCP Congestion
 * Avoidance Algorithm", CCR 27(3), 1997: MSS / RTT x sqrt(3 / (2 p)) where every 1/p-th packet is
 * lost.
 */
class LossLawTest {
  private static final long RATE = 10_000_000_000L;

  /** Segments per second, of a flow that loses the data packets that the predicate selects. */
  private static double measured(
      TcpParameters parameters, long rttNanos, long seconds, Predicate<Packet> drop) {
    SelectiveQueue queue = new SelectiveQueue();
    queue.drop = packet -> packet.payloadBytes > 0 && drop.test(packet);
    TestPath path = new TestPath(1, RATE, rttNanos, queue);
    TcpFlow flow = path.tcp(0, parameters, TcpFlow.ENDLESS);
    flow.start(0);
    path.runUntil(20 * SECOND);
    long before = flow.statistics().deliveredPayloadBytes();
    path.runUntil((20 + seconds) * SECOND);
    return (flow.statistics().deliveredPayloadBytes() - before) / 1460.0 / seconds;
  }

  private static Predicate<Packet> each(int packets) {
    int[] seen = new int[1];
    return packet -> ++seen[0] % packets == 0;
  }

  private static TcpParameters.Builder parameters() {
    return TcpParameters.builder().delayedAck(false);
  }

  @ParameterizedTest
  @CsvSource({
    "300, true",
    "3000, true",
    "30000, true",
    "300, false",
    "3000, false",
    "30000, false"
  })
  void rateFollowsInverseSquareRootOfPeriodicLoss(int every, boolean sack) {
    long rtt = 10 * MILLISECOND;
    double measured = measured(parameters().sack(sack).build(), rtt, 50, each(every));
    double law = Math.sqrt(1.5 * every) / TestPath.rttSeconds(RATE, rtt);
    assertThat(measured).isCloseTo(law, within(0.015 * law));
  }

  /** Ott, Kemperman, Mathis 1996, as quoted there: random loss makes 1.31 of the root of 3/2. */
  @ParameterizedTest
  @ValueSource(ints = {300, 1000, 3000})
  void rateFollowsInverseSquareRootOfRandomLoss(int every) {
    long rtt = 10 * MILLISECOND;
    SplittableRandom random = new SplittableRandom(every);
    double measured =
        measured(parameters().build(), rtt, 200, packet -> random.nextInt(every) == 0);
    double law = 1.31 * Math.sqrt(every) / TestPath.rttSeconds(RATE, rtt);
    assertThat(measured).isCloseTo(law, within(0.06 * law));
  }

  /**
   * RFC 9438, equation 6, where CUBIC is well above Reno. It has no fast convergence, which now and
   * then takes a window a little below the last one for a reason to make space.
   */
  @ParameterizedTest
  @ValueSource(ints = {10_000, 100_000})
  void cubicFollowsItsResponseFunctionForPeriodicLoss(int every) {
    long rtt = 100 * MILLISECOND;
    double measured =
        measured(
            parameters().congestionControl(CongestionControls.CUBIC).build(),
            rtt,
            400,
            each(every));
    double factor = Math.pow(Cubic.C * (3 + Cubic.BETA) / (4 * (1 - Cubic.BETA)), 0.25);
    double window = factor * Math.pow(every * TestPath.rttSeconds(RATE, rtt), 0.75);
    double law = window / TestPath.rttSeconds(RATE, rtt);
    assertThat(measured).isCloseTo(law, within(0.09 * law));
  }
}
