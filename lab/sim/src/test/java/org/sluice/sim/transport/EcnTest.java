// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.sim.transport.TestPath.MILLISECOND;
import static org.sluice.sim.transport.TestPath.SECOND;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;

/** RFC 3168: who is ECT, what is echoed, and how often the window shrinks. */
class EcnTest {
  private static final int MSS = 1460;
  private static final long RTT = 10 * MILLISECOND;

  private final SelectiveQueue queue = new SelectiveQueue();
  private final TestPath path = new TestPath(1, 10_000_000_000L, RTT, queue);
  private final Departures there = new Departures();
  private final Departures back = new Departures();

  private TcpFlow start(TcpParameters parameters) {
    path.sources[0].host().nic().setObserver(there);
    path.returning.setObserver(back);
    TcpFlow flow = path.tcp(0, parameters, TcpFlow.ENDLESS);
    flow.start(0);
    return flow;
  }

  private static TcpParameters with(EcnMode mode) {
    return TcpParameters.builder()
        .ecn(mode)
        .initialWindowSegments(40)
        .receiveWindowBytes(40 * MSS)
        .delayedAck(false)
        .build();
  }

  @ParameterizedTest
  @EnumSource(EcnMode.class)
  void onlyNewDataIsEct(EcnMode mode) {
    int[] seen = new int[1];
    queue.drop = packet -> packet.payloadBytes > 0 && ++seen[0] % 97 == 0;
    TcpFlow flow = start(with(mode));
    path.runUntil(SECOND);
    assertThat(flow.statistics().retransmittedPackets()).isPositive();
    byte data = mode == EcnMode.OFF ? Ecn.NOT_ECT : Ecn.ECT_0;
    byte again = mode == EcnMode.DCTCP ? Ecn.ECT_0 : Ecn.NOT_ECT;
    long highest = -1;
    for (Departures.Departure each : there.all) {
      if (each.payloadBytes() == 0) {
        assertThat(each.ecn()).isEqualTo(Ecn.NOT_ECT);
      } else {
        assertThat(each.ecn()).isEqualTo(each.sequence() > highest ? data : again);
        highest = Math.max(highest, each.sequence());
      }
    }
    assertThat(back.all).allMatch(each -> each.ecn() == Ecn.NOT_ECT);
  }

  @Test
  void isNegotiated() {
    start(with(EcnMode.CLASSIC));
    path.runUntil(5 * RTT);
    assertThat(there.all.get(0).flags()).isEqualTo(Packet.SYN | Packet.ECE | Packet.CWR);
    assertThat(back.all.get(0).flags()).isEqualTo(Packet.SYN | Packet.ACK | Packet.ECE);
  }

  @Test
  void synMayBeEct() {
    start(with(EcnMode.DCTCP).toBuilder().ectOnSyn(true).build());
    path.runUntil(5 * RTT);
    assertThat(there.all.get(0).ecn()).isEqualTo(Ecn.ECT_0);
    assertThat(back.all.get(0).ecn()).isEqualTo(Ecn.ECT_0);
    assertThat(back.all.get(1).ecn()).isEqualTo(Ecn.NOT_ECT);
  }

  /** The window is 40 segments; so many of them are marked. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 20})
  void windowOfMarksHalvesTheRateOnce(int marks) {
    TcpFlow flow = start(with(EcnMode.CLASSIC));
    path.runUntil(5 * RTT + RTT / 2);
    int[] left = {marks};
    queue.mark = packet -> left[0]-- > 0;
    path.runUntil(10 * RTT);
    assertThat(flow.statistics().cePackets()).isEqualTo(marks);
    assertThat(flow.statistics().windowReductions()).isEqualTo(1);
    assertThat(flow.congestionControl().slowStartThresholdBytes()).isEqualTo(20 * MSS);
    assertThat(flow.statistics().retransmittedPackets()).isZero();
    List<Departures.Departure> reduced =
        there.all.stream()
            .filter(each -> each.payloadBytes() > 0)
            .filter(each -> (each.flags() & Packet.CWR) != 0)
            .toList();
    assertThat(reduced).hasSize(1);
    // Echoed for a round trip, until CWR arrives.
    long echoes =
        back.all.stream().skip(1).filter(each -> (each.flags() & Packet.ECE) != 0).count();
    assertThat(echoes).isEqualTo(40);
  }

  @Test
  void constantMarksMakeOneReductionPerRoundTrip() {
    queue.mark = packet -> true;
    TcpFlow flow = start(with(EcnMode.CLASSIC));
    path.runUntil(SECOND + RTT);
    double rtt = TestPath.rttSeconds(10_000_000_000L, RTT);
    assertThat(flow.statistics().windowReductions()).isBetween((long) (1 / rtt) - 1, 100L);
    assertThat(flow.congestionControl().windowBytes()).isEqualTo(2 * MSS);
  }
}
