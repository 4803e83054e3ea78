// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.sim.transport.TestPath.MILLISECOND;
import static org.sluice.sim.transport.TestPath.SECOND;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 6298: the estimate, its bounds, and the back-off to the nanosecond. */
class RetransmissionTimeoutTest {
  private static final long RTT = 10 * MILLISECOND;

  @Test
  void estimatesAsInRfc6298() {
    RetransmissionTimeout timeout = new RetransmissionTimeout(SECOND, 1, 60 * SECOND);
    assertThat(timeout.nanos()).isEqualTo(SECOND);
    timeout.sample(80_000);
    // SRTT = R, RTTVAR = R / 2, RTO = SRTT + 4 RTTVAR.
    assertThat(timeout.nanos()).isEqualTo(240_000);
    timeout.sample(160_000);
    // RTTVAR = 3/4 x 40 + 1/4 x 80 = 50, SRTT = 7/8 x 80 + 1/8 x 160 = 90: 290 us.
    assertThat(timeout.smoothedNanos()).isEqualTo(90_000);
    assertThat(timeout.nanos()).isEqualTo(290_000);
    timeout.backOff();
    assertThat(timeout.nanos()).isEqualTo(580_000);
    timeout.sample(90_000);
    assertThat(timeout.nanos()).isEqualTo(90_000 + 4 * 37_500);
  }

  @Test
  void isBounded() {
    RetransmissionTimeout timeout = new RetransmissionTimeout(SECOND, SECOND / 5, 3 * SECOND);
    timeout.sample(1000);
    assertThat(timeout.nanos()).isEqualTo(SECOND / 5);
    for (int i = 0; i < 10; i++) {
      timeout.backOff();
    }
    assertThat(timeout.nanos()).isEqualTo(3 * SECOND);
  }

  @ParameterizedTest
  @ValueSource(longs = {200, 30})
  void backsOffByDoubling(long leastMilliseconds) {
    SelectiveQueue queue = new SelectiveQueue();
    TestPath path = new TestPath(1, 1_000_000_000L, RTT, queue);
    Departures departures = new Departures();
    path.sources[0].host().nic().setObserver(departures);
    queue.drop = packet -> packet.payloadBytes > 0 && packet.sequence >= 14600;
    TcpFlow flow =
        path.tcp(
            0,
            TcpParameters.builder()
                .rtoMinNanos(leastMilliseconds * MILLISECOND)
                .rtoMaxNanos(4 * SECOND)
                .build(),
            TcpFlow.ENDLESS);
    flow.start(0);
    path.runUntil(30 * SECOND);
    List<Long> gaps = gaps(departures.withPayload(14600));
    assertThat(gaps.size()).isGreaterThan(6);
    long expected = leastMilliseconds * MILLISECOND;
    for (int i = 1; i < gaps.size(); i++) {
      expected = Math.min(2 * expected, 4 * SECOND);
      assertThat(gaps.get(i)).isEqualTo(expected);
    }
    assertThat(flow.statistics().timeouts()).isEqualTo(gaps.size());
    // It ends when something arrives.
    queue.drop = packet -> false;
    path.runUntil(40 * SECOND);
    assertThat(flow.statistics().timeouts()).isLessThanOrEqualTo(gaps.size() + 1);
    assertThat(flow.statistics().deliveredPayloadBytes()).isGreaterThan(100_000_000L);
  }

  @Test
  void lostSynIsRetransmittedAfterOneTwoAndFourSeconds() {
    SelectiveQueue queue = new SelectiveQueue();
    queue.drop = packet -> true;
    TestPath path = new TestPath(1, 1_000_000_000L, RTT, queue);
    Departures departures = new Departures();
    path.sources[0].host().nic().setObserver(departures);
    path.tcp(0, TcpParameters.DEFAULTS, 1000).start(0);
    path.runUntil(16 * SECOND);
    assertThat(gaps(departures.all)).containsExactly(SECOND, 2 * SECOND, 4 * SECOND, 8 * SECOND);
  }

  @Test
  void timeoutSetsWindowToOneSegmentAndThresholdToHalfTheFlight() {
    SelectiveQueue queue = new SelectiveQueue();
    TestPath path = new TestPath(1, 1_000_000_000L, RTT, queue);
    TcpFlow flow =
        path.tcp(0, TcpParameters.builder().receiveWindowBytes(40 * 1460).build(), TcpFlow.ENDLESS);
    flow.start(0);
    path.runUntil(SECOND);
    queue.drop = packet -> true;
    path.runUntil(3 * SECOND);
    assertThat(flow.statistics().timeouts()).isGreaterThan(1);
    assertThat(flow.congestionControl().windowBytes()).isEqualTo(1460);
    assertThat(flow.congestionControl().slowStartThresholdBytes()).isEqualTo(20 * 1460);
  }

  private static List<Long> gaps(List<Departures.Departure> departures) {
    List<Long> gaps = new ArrayList<>();
    for (int i = 1; i < departures.size(); i++) {
      gaps.add(departures.get(i).nanos() - departures.get(i - 1).nanos());
    }
    return gaps;
  }
}
