// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.sim.transport.TestPath.MILLISECOND;
import static org.sluice.sim.transport.TestPath.SECOND;

import org.junit.jupiter.api.Test;

/** CUBIC's window over time after a loss (RFC 9438). */
class CubicTest {
  private static final int MSS = 1460;
  private static final long FAST = 10_000_000_000L;

  private final SelectiveQueue queue = new SelectiveQueue();
  private boolean lose;
  private TestPath path;
  private TcpFlow flow;
  private Cubic cubic;

  private void open(long rttNanos, int segments) {
    open(rttNanos, segments, TcpFlow.ENDLESS);
  }

  private void open(long rttNanos, int segments, long bytes) {
    queue.drop =
        packet -> {
          boolean now = lose && packet.payloadBytes > 0;
          lose &= !now;
          return now;
        };
    path = new TestPath(1, FAST, rttNanos, queue);
    flow =
        path.tcp(
            0,
            TcpParameters.builder()
                .congestionControl(CongestionControls.CUBIC)
                .delayedAck(false)
                .initialWindowSegments(segments)
                .receiveWindowBytes(1 << 26)
                .build(),
            bytes);
    cubic = (Cubic) flow.congestionControl();
    flow.start(0);
    path.runUntil(rttNanos + rttNanos / 2);
  }

  private double window() {
    return cubic.windowBytes() / MSS;
  }

  /** Loses one packet, waits until that is repaired; when the window began to grow again. */
  private long lose(long rttNanos) {
    lose = true;
    long threshold = (long) cubic.slowStartThresholdBytes();
    while ((long) cubic.slowStartThresholdBytes() == threshold) {
      path.runUntil(path.scheduler.now() + rttNanos / 50);
    }
    double reduced = window();
    while (window() == reduced) {
      path.runUntil(path.scheduler.now() + rttNanos / 50);
    }
    return path.scheduler.now();
  }

  @Test
  void followsTheCurve() {
    long rtt = 100 * MILLISECOND;
    open(rtt, 500);
    long begin = lose(rtt);
    double most = cubic.mostSegments();
    double afterLoss = Cubic.BETA * most;
    assertThat(cubic.slowStartThresholdBytes() / MSS).isCloseTo(afterLoss, within(0.01 * most));
    double k = Math.cbrt((most - afterLoss) / Cubic.C);
    assertThat(cubic.inflectionSeconds()).isCloseTo(k, within(0.01 * k));
    double worst = 0;
    for (double t = 0.5; t <= 1.5 * k; t += 0.5) {
      path.runUntil(begin + (long) (t * SECOND));
      double law = Cubic.C * Math.pow(t - k, 3) + most;
      worst = Math.max(worst, Math.abs(window() / law - 1));
    }
    assertThat(worst).isLessThan(0.01);
  }

  @Test
  void growsLikeRenoOnShortPaths() {
    long rtt = 2 * MILLISECOND;
    open(rtt, 100);
    long begin = lose(rtt);
    double first = window();
    double alpha = 3 * (1 - Cubic.BETA) / (1 + Cubic.BETA);
    path.runUntil(begin + 60 * rtt);
    double measured = (window() - first) / 60;
    // The round trip includes what serialisation adds: a little less than one segment per 2 ms.
    assertThat(measured).isCloseTo(alpha, within(0.05 * alpha));
  }

  /** RFC 9438, section 5.8. */
  @Test
  void timeWithoutDataDoesNotCount() {
    long rtt = 100 * MILLISECOND;
    open(rtt, 500, 0);
    flow.write(20_000L * MSS);
    lose(rtt);
    while (flow.flightBytes() > 0) {
      path.runUntil(path.scheduler.now() + rtt);
    }
    double before = window();
    assertThat(before).isBetween(0.7 * cubic.mostSegments(), cubic.mostSegments());
    path.runUntil(path.scheduler.now() + 60 * SECOND);
    flow.write(20_000L * MSS);
    path.runUntil(path.scheduler.now() + 4 * rtt);
    assertThat(window()).isBetween(before, 1.1 * before);
  }

  @Test
  void fastConvergenceReducesTheMaximumAfterAnEarlyLoss() {
    long rtt = 100 * MILLISECOND;
    open(rtt, 500);
    lose(rtt);
    double most = cubic.mostSegments();
    double before = window();
    lose(rtt);
    assertThat(cubic.mostSegments()).isLessThan(most);
    assertThat(cubic.mostSegments())
        .isCloseTo(before * (1 + Cubic.BETA) / 2, within(0.05 * before));
  }
}
