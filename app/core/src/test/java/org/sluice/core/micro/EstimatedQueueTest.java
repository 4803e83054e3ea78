// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.micro.QueueNetwork.EDGE;
import static org.sluice.core.micro.QueueNetwork.P1;
import static org.sluice.core.micro.QueueNetwork.P2;
import static org.sluice.core.micro.QueueNetwork.PERIOD_NANOS;
import static org.sluice.core.micro.QueueNetwork.flow;
import static org.sluice.core.testing.Samples.port;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.RateCap;
import org.sluice.api.link.UplinkMessage;
import org.sluice.api.queue.PortQueues;

/**
 * Caps at a port that no agent keeps. At a round trip of 30 ms, s2/3 has a qc of 250 packets and a
 * TH of 247; the estimate may be 124 packets off.
 */
class EstimatedQueueTest {
  private static final int FRAME = 1514;
  private static final long PACKETS_PER_PERIOD = EDGE / 8 * 5 / 1000 / FRAME;

  private final QueueNetwork at = new QueueNetwork("n1");
  private long sent;

  private void start(Object... settings) {
    at.node().counters.connected.add(port("s2/3").datapath());
    at.start(settings).connectPortAgent(P1, "s1/2");
  }

  /** A period in which h1 and h2 send so many packets to h3, and the port sends what it can. */
  private void period(long background, long micro) {
    sent += background * 1500;
    send("h1", 1, background);
    send("h2", 2, micro);
    at.large("h1", 20_000 + sent, flow(1, 3));
    at.node()
        .counters
        .read(
            PortSample.builder(port("s2/3"))
                .txBytes(Math.min(background + micro, PACKETS_PER_PERIOD) * FRAME)
                .intervalNanos(PERIOD_NANOS)
                .build());
    at.pass(1);
  }

  private void send(String host, int from, long packets) {
    PairSample pair =
        PairSample.of(
            IpAddress.parse("10.0.0." + from),
            IpAddress.parse("10.0.0.3"),
            packets,
            packets * 1500,
            0,
            0,
            0);
    at.node()
        .link
        .report(
            UplinkMessage.ofObservation(
                HostObservation.of(
                    HostId.of(host),
                    at.network.time.nanoTime(),
                    PERIOD_NANOS,
                    List.of(pair),
                    List.of())));
  }

  private PortQueues shown() {
    at.passMillis(200);
    return at.node().controller().queues().queues(port("s2/3")).orElseThrow();
  }

  @Test
  void queuedShortFlowsCapTheFeeder() {
    start("caps", "microflow", "fabricRoundTripMicros", 30_000);
    for (int i = 0; i < 20; i++) {
      period(20, 20);
    }
    assertThat(at.caps(P1)).as("nothing waits").isEmpty();
    for (int i = 0; i < 20; i++) {
      period(PACKETS_PER_PERIOD, 2 * PACKETS_PER_PERIOD);
    }
    assertThat(at.caps(P1)).isNotEmpty();
    RateCap last = at.lastCap(P1);
    assertThat(last.downstream()).isEqualTo(port("s2/3"));
    assertThat(last.bitsPerSecond()).isEqualTo(EDGE / 2);

    PortQueues queues = shown();
    assertThat(queues.source()).isEqualTo(PortQueues.Source.ESTIMATED);
    assertThat(queues.errorPackets()).isEqualTo(124);
    assertThat(queues.thresholdPackets()).isEqualTo(247);
    assertThat(queues.backlogPackets()).as("bounded by 100 ms").isBetween(800L, 826L);
    assertThat(queues.levels()).isEmpty();
  }

  @Test
  void queuedBackgroundFlowsCapNothing() {
    start("caps", "microflow", "fabricRoundTripMicros", 30_000);
    for (int i = 0; i < 40; i++) {
      period(2 * PACKETS_PER_PERIOD, 2);
    }
    assertThat(at.caps(P1)).isEmpty();
    assertThat(shown().backlogPackets()).isPositive();
  }

  @Test
  void tooCoarseCountersGiveNoEstimate() {
    start("caps", "microflow");
    for (int i = 0; i < 40; i++) {
      period(PACKETS_PER_PERIOD, 2 * PACKETS_PER_PERIOD);
    }
    assertThat(at.caps(P1)).isEmpty();
    at.passMillis(200);
    assertThat(at.node().controller().queues().queues(port("s2/3"))).isEmpty();
  }

  @Test
  void reportsOfAPortAgentReplaceEstimates() {
    start("caps", "microflow", "fabricRoundTripMicros", 30_000);
    for (int i = 0; i < 40; i++) {
      period(PACKETS_PER_PERIOD, 2 * PACKETS_PER_PERIOD);
    }
    at.connectPortAgent(P2, "s2/3");
    assertThat(at.lastCap(P1).bitsPerSecond()).isZero();
    assertThat(shown().source()).isEqualTo(PortQueues.Source.PORT_AGENT);
  }

  @Test
  void estimateOfAPortExpiresWithoutReadings() {
    start("caps", "microflow", "fabricRoundTripMicros", 30_000);
    period(10, 10);
    shown();
    at.passMillis(2200);
    assertThat(at.node().controller().queues().queues(port("s2/3"))).isEmpty();
  }
}
