// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.sim.transport.TestPath.MILLISECOND;
import static org.sluice.sim.transport.TestPath.SECOND;

import org.junit.jupiter.api.Test;
import org.sluice.sim.queue.DropTail;

/** A flow that nothing disturbs: the window over the round trip, or the link. */
class ThroughputTest {
  private static final long GIGABIT = 1_000_000_000L;

  @Test
  void isOneReceiveWindowPerRoundTrip() {
    TestPath path = new TestPath(1, GIGABIT, 10 * MILLISECOND, new DropTail(1000));
    int segments = 40;
    TcpFlow flow =
        path.tcp(
            0,
            TcpParameters.builder().receiveWindowBytes(segments * 1460L).delayedAck(false).build(),
            TcpFlow.ENDLESS);
    flow.start(0);
    path.runUntil(SECOND);
    long before = flow.statistics().deliveredPayloadBytes();
    path.runUntil(11 * SECOND);
    double measured = (flow.statistics().deliveredPayloadBytes() - before) * 8 / 10.0;
    double rtt = TestPath.rttSeconds(GIGABIT, 10 * MILLISECOND);
    assertThat(measured).isCloseTo(segments * 1460 * 8 / rtt, within(0.001 * measured));
    assertThat(flow.statistics().rttMeanNanos()).isCloseTo((long) (rtt * 1e9), within(1000L));
    assertThat(flow.statistics().retransmittedPackets()).isZero();
  }

  @Test
  void isTheWholeLinkForOneFlow() {
    TestPath path = new TestPath(1, GIGABIT, MILLISECOND / 10, new DropTail(100));
    TcpFlow flow = path.tcp(0, TcpParameters.DEFAULTS, TcpFlow.ENDLESS);
    flow.start(0);
    path.runUntil(SECOND);
    long before = flow.statistics().receivedIpBytes();
    path.runUntil(3 * SECOND);
    assertThat((flow.statistics().receivedIpBytes() - before) * 8 / 2.0)
        .isCloseTo(GIGABIT, within(0.001 * GIGABIT));
  }

  @Test
  void isHalfTheLinkForEachOfTwoFlows() {
    TestPath path = new TestPath(2, GIGABIT, MILLISECOND / 10, new DropTail(100));
    TcpFlow one = path.tcp(0, TcpParameters.DEFAULTS, TcpFlow.ENDLESS);
    TcpFlow other = path.tcp(1, TcpParameters.DEFAULTS, TcpFlow.ENDLESS);
    one.start(0);
    other.start(0);
    path.runUntil(10 * SECOND);
    assertThat(one.statistics().receivedIpBytes() * 8 / 10.0)
        .isCloseTo(GIGABIT / 2.0, within(0.02 * GIGABIT));
    assertThat(other.statistics().receivedIpBytes() * 8 / 10.0)
        .isCloseTo(GIGABIT / 2.0, within(0.02 * GIGABIT));
    one.stop(10 * SECOND);
    other.stop(10 * SECOND);
    path.runUntil(11 * SECOND);
    assertThat(path.network.pool().inUse()).isZero();
  }
}
