// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.sim.transport.TestPath.MILLISECOND;
import static org.sluice.sim.transport.TestPath.SECOND;

import org.junit.jupiter.api.Test;
import org.sluice.sim.queue.DropTail;

/** BBR finds the bottleneck's rate and the path's round trip, and keeps the queue small. */
class BbrV1Test {
  private static final long RATE = 100_000_000L;
  private static final long RTT = 20 * MILLISECOND;

  private static TcpFlow flow(TestPath path, int source) {
    return path.tcp(
        source,
        TcpParameters.builder().congestionControl(CongestionControls.BBR_V1).build(),
        TcpFlow.ENDLESS);
  }

  @Test
  void singleFlowFillsTheLinkWithASmallQueue() {
    TestPath path = new TestPath(1, RATE, RTT, new DropTail(1000));
    TcpFlow flow = flow(path, 0);
    flow.start(0);
    path.runUntil(2 * SECOND);
    long before = flow.statistics().receivedIpBytes();
    double queue = 0;
    int samples = 40_000;
    for (int i = 0; i < samples; i++) {
      path.runUntil(path.scheduler.now() + MILLISECOND);
      queue += path.bottleneck.queue().packets();
    }
    BbrV1 control = (BbrV1) flow.congestionControl();
    double payloadRate = RATE * 1460 / 1500.0;
    double rtt = TestPath.rttSeconds(RATE, RTT) * SECOND;
    double used = (flow.statistics().receivedIpBytes() - before) * 8.0 / (samples * 1e-3) / RATE;
    double bdp = RATE / 8.0 / 1500 * rtt / SECOND;
    // Of ten seconds 0.2 and a round trip are spent at four segments.
    assertThat(used).isBetween(0.95, 0.99);
    assertThat(control.bottleneckBitsPerSecond()).isCloseTo(payloadRate, within(0.02 * RATE));
    assertThat((double) control.leastRttNanos()).isCloseTo(rtt, within(0.01 * rtt));
    assertThat(queue / samples).isLessThan(0.15 * bdp);
    assertThat(flow.statistics().retransmittedPackets()).isZero();
  }

  @Test
  void startupEndsAndDrainsTheQueue() {
    TestPath path = new TestPath(1, RATE, RTT, new DropTail(1000));
    TcpFlow flow = flow(path, 0);
    flow.start(0);
    path.runUntil(SECOND);
    // Ten segments to a bandwidth-delay product of 167: five doublings, three rounds to notice.
    assertThat(path.bottleneck.queue().packets()).isLessThan(60);
    assertThat(flow.flightBytes()).isLessThan((long) (1.4 * 167 * 1460));
  }

  @Test
  void twoFlowsShareTheLink() {
    TestPath path = new TestPath(2, RATE, RTT, new DropTail(1000));
    TcpFlow one = flow(path, 0);
    TcpFlow other = flow(path, 1);
    one.start(0);
    other.start(2 * SECOND);
    path.runUntil(40 * SECOND);
    long oneBefore = one.statistics().receivedIpBytes();
    long otherBefore = other.statistics().receivedIpBytes();
    path.runUntil(80 * SECOND);
    double first = one.statistics().receivedIpBytes() - oneBefore;
    double second = other.statistics().receivedIpBytes() - otherBefore;
    assertThat((first + second) * 8 / 40).isGreaterThan(0.95 * RATE);
    assertThat(first / second).isBetween(0.6, 1.7);
  }

  @Test
  void shortBufferCausesLossAndKeepsThroughput() {
    TestPath path = new TestPath(1, RATE, RTT, new DropTail(30));
    TcpFlow flow = flow(path, 0);
    flow.start(0);
    path.runUntil(20 * SECOND);
    assertThat(flow.statistics().receivedIpBytes() * 8 / 20.0).isGreaterThan(0.9 * RATE);
  }
}
