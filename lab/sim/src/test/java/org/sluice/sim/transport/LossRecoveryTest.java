// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.sim.transport.TestPath.MILLISECOND;
import static org.sluice.sim.transport.TestPath.SECOND;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Losses in one window of 40 segments: who repairs them, and how long it takes. */
class LossRecoveryTest {
  private static final long RTT = 100 * MILLISECOND;
  private static final int MSS = 1460;
  private static final int WINDOW = 40;

  private final SelectiveQueue queue = new SelectiveQueue();
  private final TestPath path = new TestPath(1, 10_000_000_000L, RTT, queue);
  private final Departures departures = new Departures();
  private final Set<Long> toLose = new HashSet<>();
  private TcpFlow flow;

  private void run(boolean sack, int segments, int... lost) {
    for (int each : lost) {
      toLose.add((long) each * MSS);
    }
    queue.drop = packet -> packet.payloadBytes > 0 && toLose.remove(packet.sequence);
    path.sources[0].host().nic().setObserver(departures);
    TcpParameters parameters =
        TcpParameters.builder()
            .sack(sack)
            .delayedAck(false)
            .initialWindowSegments(WINDOW)
            .rtoMinNanos(SECOND)
            .build();
    flow = path.tcp(0, parameters, (long) segments * MSS);
    flow.start(0);
    path.runUntil(60 * SECOND);
    assertThat(flow.isClosed()).isTrue();
  }

  private long sentAgainAfterNanos(int segment) {
    var times = departures.withPayload((long) segment * MSS);
    assertThat(times).hasSize(2);
    return times.get(1).nanos() - times.get(0).nanos();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void singleLossIsRepairedAfterARoundTrip(boolean sack) {
    run(sack, 200, 10);
    assertThat(flow.statistics().fastRetransmits()).isEqualTo(1);
    assertThat(flow.statistics().timeouts()).isZero();
    assertThat(flow.statistics().retransmittedPackets()).isEqualTo(1);
    assertThat(sentAgainAfterNanos(10)).isBetween(RTT, RTT + MILLISECOND);
  }

  @Test
  void sackRepairsManyLossesTogether() {
    run(true, 200, 3, 5, 11, 12, 13, 20);
    assertThat(flow.statistics().fastRetransmits()).isEqualTo(1);
    assertThat(flow.statistics().timeouts()).isZero();
    assertThat(flow.statistics().retransmittedPackets()).isEqualTo(6);
    for (int segment : new int[] {3, 5, 11, 12, 13, 20}) {
      assertThat(sentAgainAfterNanos(segment)).isBetween(RTT, RTT + MILLISECOND);
    }
  }

  @Test
  void withoutSackOneLossIsRepairedPerRoundTrip() {
    run(false, 200, 3, 5, 11);
    assertThat(flow.statistics().fastRetransmits()).isEqualTo(1);
    assertThat(flow.statistics().timeouts()).isZero();
    assertThat(flow.statistics().retransmittedPackets()).isEqualTo(3);
    assertThat(sentAgainAfterNanos(3)).isBetween(RTT, RTT + MILLISECOND);
    assertThat(sentAgainAfterNanos(5)).isBetween(2 * RTT, 2 * RTT + MILLISECOND);
    assertThat(sentAgainAfterNanos(11)).isBetween(3 * RTT, 3 * RTT + MILLISECOND);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void recoveryHalvesTheWindowOnce(boolean sack) {
    queue.drop = packet -> packet.payloadBytes > 0 && toLose.remove(packet.sequence);
    toLose.add(100L * MSS);
    toLose.add(103L * MSS);
    flow =
        path.tcp(
            0,
            TcpParameters.builder()
                .sack(sack)
                .delayedAck(false)
                .initialWindowSegments(WINDOW)
                .receiveWindowBytes(64 * MSS)
                .build(),
            TcpFlow.ENDLESS);
    flow.start(0);
    path.runUntil(4 * RTT + RTT / 2);
    assertThat(flow.congestionControl().windowBytes()).isEqualTo(32 * MSS);
    path.runUntil(10 * RTT);
    // In congestion avoidance since: a segment per round trip.
    assertThat(flow.congestionControl().slowStartThresholdBytes()).isEqualTo(32 * MSS);
    assertThat(flow.congestionControl().windowBytes()).isBetween(34.0 * MSS, 38.0 * MSS);
    assertThat(flow.statistics().fastRetransmits()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void lossOfTheLastSegmentNeedsTheTimer(boolean sack) {
    run(sack, 20, 19);
    assertThat(flow.statistics().timeouts()).isEqualTo(1);
    assertThat(flow.statistics().fastRetransmits()).isZero();
    assertThat(flow.congestionControl().windowBytes()).isLessThanOrEqualTo(2 * MSS);
  }

  @Test
  void sackRepairsTheEndOfTheData() {
    // 8 is not known to be lost: one segment is above it. There is no new data: rule 3.
    run(true, 10, 5, 8);
    assertThat(flow.statistics().fastRetransmits()).isEqualTo(1);
    assertThat(flow.statistics().timeouts()).isZero();
    assertThat(flow.statistics().retransmittedPackets()).isEqualTo(2);
  }

  @Test
  void onlyTheFirstPartialAcknowledgementRestartsTheTimer() {
    run(false, 200, 3, 8, 13, 18, 23, 28, 33, 38, 1, 2, 4, 5, 6);
    // Thirteen round trips are longer than the second that RTO is.
    assertThat(flow.statistics().timeouts()).isEqualTo(1);
  }

  @Test
  void spuriousDuplicateAcksAfterATimeoutAreIgnoredWithoutSack() {
    int[] lossesOfFirst = {2};
    toLose.addAll(Set.of(10L * MSS, 18L * MSS, 26L * MSS, 34L * MSS));
    queue.drop =
        packet ->
            packet.payloadBytes > 0
                && (packet.sequence == 5 * MSS && lossesOfFirst[0]-- > 0
                    || toLose.remove(packet.sequence));
    flow =
        path.tcp(
            0,
            TcpParameters.builder()
                .sack(false)
                .delayedAck(false)
                .initialWindowSegments(WINDOW)
                .receiveWindowBytes(WINDOW * MSS)
                .build(),
            400L * MSS);
    flow.start(0);
    path.runUntil(60 * SECOND);
    assertThat(flow.isClosed()).isTrue();
    assertThat(flow.statistics().timeouts()).isEqualTo(1);
    assertThat(flow.statistics().fastRetransmits()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void limitedTransmitAvoidsTheTimeout(boolean sack) {
    // Of a window of three, the first is lost: two duplicates are not three, but each brings a new
    // segment out (RFC 3042).
    toLose.add(0L);
    queue.drop = packet -> packet.payloadBytes > 0 && toLose.remove(packet.sequence);
    path.sources[0].host().nic().setObserver(departures);
    flow =
        path.tcp(
            0,
            TcpParameters.builder()
                .sack(sack)
                .delayedAck(false)
                .initialWindowSegments(3)
                .receiveWindowBytes(20 * MSS)
                .rtoMinNanos(SECOND)
                .build(),
            50L * MSS);
    flow.start(0);
    path.runUntil(60 * SECOND);
    assertThat(flow.isClosed()).isTrue();
    assertThat(flow.statistics().timeouts()).isZero();
    assertThat(sentAgainAfterNanos(0)).isBetween(2 * RTT, 2 * RTT + MILLISECOND);
  }
}
