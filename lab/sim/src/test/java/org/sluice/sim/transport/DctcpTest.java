// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.sim.transport.TestPath.MILLISECOND;
import static org.sluice.sim.transport.TestPath.SECOND;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.queue.RedParameters;
import org.sluice.sim.queue.RedQueue;

/**
 * DCTCP at a marking step, against Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010,
 * section 3.3: a queue between K + N - A and K + N, where A is the sawtooth's height.
 */
class DctcpTest {
  private static final long RATE = 10_000_000_000L;

  private static RedQueue step(int threshold) {
    return new RedQueue(
        RedParameters.step(10_000, threshold, RedParameters.NonEct.PASS),
        RATE,
        new SplittableRandom(1));
  }

  private static TcpParameters parameters(boolean delayedAck) {
    return TcpParameters.builder()
        .congestionControl(CongestionControls.DCTCP)
        .delayedAck(delayedAck)
        .build();
  }

  @ParameterizedTest
  @CsvSource({"1, 40", "2, 40", "2, 65", "4, 65"})
  void theQueueStaysAroundTheThreshold(int flows, int threshold) {
    long rtt = MILLISECOND / 10;
    TestPath path = new TestPath(flows, RATE, rtt, step(threshold));
    TcpFlow[] all = new TcpFlow[flows];
    for (int i = 0; i < flows; i++) {
      all[i] = path.tcp(i, parameters(false), TcpFlow.ENDLESS);
      all[i].start(i * MILLISECOND / 7);
    }
    path.runUntil(SECOND / 4);
    long sent = path.bottleneck.counters().sentBytes();
    int most = 0;
    int least = Integer.MAX_VALUE;
    double alphas = 0;
    int samples = 20_000;
    for (int i = 0; i < samples; i++) {
      path.runUntil(path.scheduler.now() + 13_000);
      most = Math.max(most, path.bottleneck.queue().packets());
      least = Math.min(least, path.bottleneck.queue().packets());
      alphas += ((Dctcp) all[i % flows].congestionControl()).alpha();
    }
    double alpha = alphas / samples;
    double bdp = TestPath.rttSeconds(RATE, rtt) * RATE / 8 / 1500;
    double each = (bdp + threshold) / flows;
    double amplitude = Math.sqrt(2 * flows * (bdp + threshold)) / 2;
    double fixedPoint = Math.sqrt(2 / each);
    double used = (path.bottleneck.counters().sentBytes() - sent) * 8.0 / (samples * 13e-6) / RATE;
    assertThat(used).isGreaterThan(0.999);
    assertThat((double) most).isCloseTo(threshold + flows, within(0.15 * threshold));
    assertThat((double) least).isCloseTo(threshold + flows - amplitude, within(0.35 * threshold));
    assertThat(alpha).isCloseTo(fixedPoint, within(0.25 * fixedPoint));
  }

  /** Whatever delayed ACKs do: the sender counts exactly the bytes that were marked. */
  @ParameterizedTest
  @CsvSource({"false", "true"})
  void everyMarkIsEchoedOnce(boolean delayedAck) {
    SelectiveQueue queue = new SelectiveQueue();
    SplittableRandom random = new SplittableRandom(7);
    double share = 0.3;
    queue.mark = packet -> random.nextDouble() < share;
    TestPath path = new TestPath(1, RATE, MILLISECOND, queue);
    TcpFlow flow = path.tcp(0, parameters(delayedAck), TcpFlow.ENDLESS);
    flow.start(0);
    path.runUntil(20 * SECOND);
    double sum = 0;
    for (int i = 0; i < 20_000; i++) {
      path.runUntil(path.scheduler.now() + MILLISECOND);
      sum += ((Dctcp) flow.congestionControl()).alpha();
    }
    assertThat(sum / 20_000).isCloseTo(share, within(0.02));
    assertThat(flow.statistics().cePackets()).isEqualTo(queue.marked());
  }

  /** Where marked and unmarked packets alternate, no delayed ACK may acknowledge two of them. */
  @ParameterizedTest
  @CsvSource({"1, 1", "1, 2", "3, 1", "5, 4"})
  void runsOfMarksAreEchoedSeparately(int marked, int unmarked) {
    SelectiveQueue queue = new SelectiveQueue();
    int[] seen = new int[1];
    queue.mark = packet -> seen[0]++ % (marked + unmarked) < marked;
    TestPath path = new TestPath(1, RATE, MILLISECOND, queue);
    Departures echoes = new Departures();
    path.returning.setObserver(echoes);
    TcpFlow flow = path.tcp(0, parameters(true), TcpFlow.ENDLESS);
    flow.start(0);
    flow.stop(SECOND / 2);
    path.runUntil(SECOND);
    long before = 0;
    long echoed = 0;
    for (Departures.Departure each : echoes.all.subList(1, echoes.all.size())) {
      echoed += (each.flags() & Packet.ECE) != 0 ? each.acknowledgement() - before : 0;
      before = each.acknowledgement();
    }
    assertThat(flow.isClosed()).isTrue();
    assertThat(flow.statistics().cePackets()).isGreaterThan(200);
    assertThat(echoed).isEqualTo(flow.statistics().cePackets() * 1460);
  }

  @Test
  void alphaStartsAtOneAndDecaysByTheGain() {
    SelectiveQueue queue = new SelectiveQueue();
    TestPath path = new TestPath(1, RATE, 10 * MILLISECOND, queue);
    TcpFlow flow =
        path.tcp(
            0,
            parameters(false).toBuilder().receiveWindowBytes(10 * 1460).build(),
            TcpFlow.ENDLESS);
    flow.start(0);
    path.runUntil(12 * MILLISECOND);
    assertThat(((Dctcp) flow.congestionControl()).alpha()).isEqualTo(1);
    double rtt = TestPath.rttSeconds(RATE, 10 * MILLISECOND);
    path.runUntil((long) (11.5 * rtt * SECOND));
    assertThat(((Dctcp) flow.congestionControl()).alpha())
        .isCloseTo(Math.pow(15.0 / 16, 10), within(1e-12));
  }
}
