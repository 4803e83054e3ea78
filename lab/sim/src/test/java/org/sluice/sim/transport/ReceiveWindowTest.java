// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sluice.sim.transport.TestPath.MILLISECOND;
import static org.sluice.sim.transport.TestPath.SECOND;

import org.junit.jupiter.api.Test;
import org.sluice.sim.network.Shim;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.queue.DropTail;

/** The receiver's window, its scale, and what becomes of a window that is shut. */
class ReceiveWindowTest {
  private final TestPath path = new TestPath(1, 1_000_000_000L, MILLISECOND, new DropTail(1000));
  private long grantBytes = Long.MAX_VALUE;
  private long lastWindowBytes;
  private Packet latest;

  /** Writes a grant into the acknowledgements, as a hypervisor may. */
  private final class Grant implements Shim {
    @Override
    public boolean outgoing(Packet packet) {
      return true;
    }

    @Override
    public boolean incoming(Packet packet) {
      lastWindowBytes = packet.windowBytes;
      packet.windowBytes = Math.min(packet.windowBytes, grantBytes);
      if (latest != null) {
        latest.copy(packet);
      }
      return true;
    }
  }

  private TcpFlow flow(long windowBytes, long bytes) {
    path.sources[0].host().addShim(new Grant());
    return path.tcp(0, TcpParameters.builder().receiveWindowBytes(windowBytes).build(), bytes);
  }

  @Test
  void isRoundedToItsScale() {
    flow(1_000_003, 100_000).start(0);
    path.runUntil(MILLISECOND + MILLISECOND / 2);
    assertThat(lastWindowBytes).isEqualTo(65535);
    path.runUntil(SECOND);
    // 1,000,003 needs a scale of 4: the last two bits of five are lost.
    assertThat(lastWindowBytes).isEqualTo(1_000_003 >> 4 << 4);
  }

  @Test
  void bytesInFlightNeverExceedTheWindow() {
    TcpFlow flow = flow(20 * 1460, TcpFlow.ENDLESS);
    flow.start(0);
    for (int i = 0; i < 2000; i++) {
      path.runUntil(path.scheduler.now() + MILLISECOND / 7);
      assertThat(flow.flightBytes()).isLessThanOrEqualTo(20 * 1460);
    }
  }

  @Test
  void closedWindowIsProbed() {
    TcpFlow flow = flow(1 << 20, 10_000_000);
    flow.start(0);
    path.runUntil(5 * MILLISECOND);
    grantBytes = 0;
    path.runUntil(SECOND);
    long delivered = flow.statistics().deliveredPayloadBytes();
    path.runUntil(10 * SECOND);
    assertThat(flow.isClosed()).isFalse();
    assertThat(flow.statistics().deliveredPayloadBytes() - delivered).isBetween(2L, 50L);
    grantBytes = 1 << 20;
    path.runUntil(100 * SECOND);
    assertThat(flow.isClosed()).isTrue();
    assertThat(flow.statistics().deliveredPayloadBytes()).isEqualTo(10_000_000);
    assertThat(path.network.pool().inUse()).isZero();
  }

  @Test
  void persistTimerDoesNotTimeOutLaterData() {
    TcpFlow flow = flow(1 << 20, 10_000_000);
    latest = path.network.pool().take();
    flow.start(0);
    path.runUntil(5 * MILLISECOND);
    grantBytes = 0;
    while (flow.flightBytes() > 0) {
      path.runUntil(path.scheduler.now() + MILLISECOND / 10);
    }
    path.runUntil(path.scheduler.now() + 199 * MILLISECOND); // RTO_min is 200 ms, a round trip 2.
    grantBytes = 1 << 20;
    latest.windowBytes = grantBytes;
    latest.receiver.receive(latest);
    path.runUntil(path.scheduler.now() + 10 * MILLISECOND);
    assertThat(flow.flightBytes()).isPositive();
    assertThat(flow.statistics().timeouts()).isZero();
    assertThat(flow.statistics().retransmittedPackets()).isZero();
  }

  @Test
  void windowBelowASegmentStillMakesProgress() {
    TcpFlow flow = flow(1 << 20, 100_000);
    grantBytes = 1000;
    flow.start(0);
    path.runUntil(100 * SECOND);
    assertThat(flow.isClosed()).isTrue();
    assertThat(flow.statistics().timeouts()).isZero();
  }

  @Test
  void invalidWindowIsRejected() {
    assertThatThrownBy(() -> TcpParameters.builder().receiveWindowBytes(100).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("receiveWindowBytes must be one segment (1460) to 1073741824")
        .hasMessageContaining("not 100");
    assertThatThrownBy(() -> TcpParameters.builder().congestionControl("vegas"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("vegas")
        .hasMessageContaining("newreno, cubic, dctcp, dadctcp, fdctcp, d2tcp, bbr");
  }
}
