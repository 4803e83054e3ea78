// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.sim.transport.TestPath.MILLISECOND;
import static org.sluice.sim.transport.TestPath.SECOND;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * NewReno against Mathis, Semke, Mahdavi, Ott, "The Macroscopic Behavior of the TCP Congestion
 * Avoidance Algorithm", CCR 27(3), 1997: MSS / RTT x sqrt(3 / (2 p)) where every 1/p-th packet is
 * lost.
 */
class LossLawTest {
  @ParameterizedTest
  @CsvSource({
    "300, true",
    "3000, true",
    "30000, true",
    "300, false",
    "3000, false",
    "30000, false"
  })
  void oneOverTheRootOfLoss(int every, boolean sack) {
    Interference queue = new Interference();
    int[] seen = new int[1];
    queue.drop = packet -> packet.payloadBytes > 0 && ++seen[0] % every == 0;
    TestPath path = new TestPath(1, 10_000_000_000L, 10 * MILLISECOND, queue);
    TcpFlow flow =
        path.tcp(0, TcpParameters.builder().sack(sack).delayedAck(false).build(), TcpFlow.ENDLESS);
    flow.start(0);
    path.runUntil(20 * SECOND);
    long before = flow.statistics().deliveredPayloadBytes();
    path.runUntil(70 * SECOND);
    double measured = (flow.statistics().deliveredPayloadBytes() - before) / 1460.0 / 50;
    double law = Math.sqrt(1.5 * every) / TestPath.rttSeconds(10_000_000_000L, 10 * MILLISECOND);
    assertThat(measured).isCloseTo(law, within(0.015 * law));
    assertThat(flow.statistics().timeouts()).isZero();
  }
}
