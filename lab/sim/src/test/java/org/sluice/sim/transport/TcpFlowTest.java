// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.sim.transport.TestPath.MILLISECOND;
import static org.sluice.sim.transport.TestPath.SECOND;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The life of a connection: opened, stopped, closed, opened again. */
class TcpFlowTest {
  private static final long RTT = 10 * MILLISECOND;

  private final SelectiveQueue queue = new SelectiveQueue();
  private final TestPath path = new TestPath(2, 1_000_000_000L, RTT, queue);

  private TcpFlow flow(long bytes) {
    return path.tcp(0, TcpParameters.DEFAULTS, bytes);
  }

  @Test
  void reportsDeliveryAndItsAcknowledgement() {
    TcpFlow flow = flow(100_000);
    long[] times = new long[2];
    flow.onComplete(() -> times[0] = path.scheduler.now());
    flow.onClosed(() -> times[1] = path.scheduler.now());
    flow.start(MILLISECOND);
    path.runUntil(SECOND);
    assertThat(flow.statistics().startNanos()).isEqualTo(MILLISECOND);
    assertThat(flow.statistics().completionNanos()).isEqualTo(times[0]);
    // Half a round trip, and 40 bytes on two links.
    assertThat(times[1] - times[0]).isEqualTo(RTT / 2 + 320 + 32);
    assertThat(flow.isClosed()).isTrue();
  }

  @Test
  void stopsAfterDataInFlight() {
    TcpFlow flow = flow(TcpFlow.ENDLESS);
    flow.start(0);
    flow.stop(SECOND);
    path.runUntil(SECOND - 1);
    assertThat(flow.isClosed()).isFalse();
    path.runUntil(2 * SECOND);
    assertThat(flow.isClosed()).isTrue();
    assertThat(flow.statistics().completions()).isEqualTo(1);
    assertThat(flow.statistics().completionNanos()).isBetween(SECOND, SECOND + 50 * MILLISECOND);
    assertThat(flow.statistics().deliveredPayloadBytes())
        .isEqualTo(flow.statistics().sentPackets() * 1460);
    assertThat(path.network.pool().inUse()).isZero();
  }

  @Test
  void canBeStoppedBeforeItIsOpen() {
    queue.drop = packet -> true;
    TcpFlow flow = flow(1000);
    flow.start(0);
    flow.stop(SECOND / 2);
    path.runUntil(10 * SECOND);
    assertThat(flow.isClosed()).isTrue();
    assertThat(flow.statistics().timeouts()).isZero();
    queue.drop = packet -> false;
    flow.start(11 * SECOND);
    path.runUntil(12 * SECOND);
    assertThat(flow.statistics().completions()).isEqualTo(1);
  }

  @Test
  void canBeReopenedBetweenOtherEndpoints() {
    TcpFlow flow = flow(50_000);
    flow.start(0);
    path.runUntil(SECOND);
    long sent = path.sources[0].host().nic().counters().sentPackets();
    flow.start(SECOND, path.sources[1], path.sink, 70_000);
    path.runUntil(2 * SECOND);
    assertThat(flow.statistics().deliveredPayloadBytes()).isEqualTo(120_000);
    assertThat(flow.source()).isSameAs(path.sources[1]);
    assertThat(path.sources[0].host().nic().counters().sentPackets()).isEqualTo(sent);
    assertThat(path.sources[1].host().nic().counters().sentPackets()).isPositive();
    // What it learned of the first path is forgotten.
    assertThat(flow.congestionControl().slowStartThresholdBytes()).isInfinite();
  }

  @Test
  void cannotBeOpenedTwice() {
    TcpFlow flow = flow(TcpFlow.ENDLESS);
    flow.start(0);
    path.runUntil(SECOND);
    assertThatThrownBy(() -> flow.start(SECOND, path.sources[1], path.sink, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("flow tcp0 is open already");
    assertThatThrownBy(() -> flow(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void acceptsBytesBeforeItIsOpen() {
    TcpFlow flow = flow(0);
    flow.write(3000);
    flow.start(0);
    path.runUntil(SECOND);
    assertThat(flow.statistics().deliveredPayloadBytes()).isEqualTo(3000);
    assertThat(flow.isClosed()).isFalse();
    flow.write(1);
    path.runUntil(2 * SECOND);
    assertThat(flow.statistics().deliveredPayloadBytes()).isEqualTo(3001);
    assertThat(flow.statistics().completions()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void measuresTheRoundTrip(boolean timestamps) {
    TcpFlow flow =
        path.tcp(
            0,
            TcpParameters.builder()
                .timestamps(timestamps)
                .delayedAck(false)
                .receiveWindowBytes(14600)
                .build(),
            TcpFlow.ENDLESS);
    flow.start(0);
    path.runUntil(SECOND);
    double rtt = TestPath.rttSeconds(1_000_000_000L, RTT) * SECOND;
    assertThat((double) flow.statistics().rttMeanNanos()).isCloseTo(rtt, within(0.01 * rtt));
  }
}
