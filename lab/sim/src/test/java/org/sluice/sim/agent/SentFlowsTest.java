// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.EndedFlows;
import org.sluice.api.link.LargeFlow;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.network.Network;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.shim.host.Addresses;
import org.sluice.sim.topology.Dumbbell;
import org.sluice.sim.topology.LinkPlan;
import org.sluice.sim.topology.QueueFactory;

/** Levels end at 1500 and 4500 bytes. */
class SentFlowsTest {
  private static final long IDLE = 1_000;

  private final Network network = new Network(new Scheduler(), new RandomStreams(1));
  private final Addresses addresses;
  private final LevelParameters parameters = new LevelParameters(List.of(1_500L, 4_500L), IDLE);
  private long priorityBytes = Long.MAX_VALUE;
  private long now;
  private final SentFlows flows = new SentFlows(() -> now, parameters, this::take);

  SentFlowsTest() {
    LinkPlan link =
        LinkPlan.symmetric(new LinkParameters(1_000_000, 0, 0), QueueFactory.dropTail(1));
    Dumbbell.build(network, 2, 1, link, link);
    addresses = new Addresses(network);
  }

  private boolean take(Packet packet, long nowNanos) {
    boolean isEnough = packet.ipBytes <= priorityBytes;
    priorityBytes -= isEnough ? packet.ipBytes : 0;
    return isEnough;
  }

  /** The level of a packet. */
  private int send(int port, int payload, int flags) {
    Packet packet = network.pool().take();
    packet.source = 1;
    packet.destination = 2;
    packet.sourcePort = port;
    packet.destinationPort = 80;
    packet.payloadBytes = payload;
    packet.ipBytes = payload + 40;
    packet.flags = flags;
    assertThat(flows.outgoing(packet)).isTrue();
    return packet.level;
  }

  private int send(int port) {
    return send(port, 1_460, Packet.ACK);
  }

  private void send(int port, int packets) {
    for (int i = 0; i < packets; i++) {
      send(port);
    }
  }

  private void finish(int port) {
    send(port, 0, Packet.FIN | Packet.ACK);
  }

  private List<Long> ended() {
    return flows.take(addresses).ended().stream().map(EndedFlows::bytes).toList();
  }

  private LargeFlow large(int port, long bytes, boolean ended) {
    return LargeFlow.of(FlowKey.of(addresses.ip(1), port, addresses.ip(2), 80), bytes, ended);
  }

  @Test
  void flowLeavesALevelWhenItHasSentItsThreshold() {
    assertThat(send(7)).isZero();
    assertThat(send(7)).as("1500 bytes before it").isEqualTo(1);
    assertThat(send(7)).isEqualTo(1);
    assertThat(send(7)).isEqualTo(2);
    assertThat(send(8)).as("another flow").isZero();
  }

  @Test
  void flowNeverGoesUpUntilItIsSilent() {
    send(7, 2);
    flows.setThresholds(List.of(1_000_000L, 2_000_000L));
    assertThat(send(7)).isEqualTo(1);
    now += IDLE;
    assertThat(send(7)).isEqualTo(1);
    now += IDLE + 1;
    assertThat(send(7)).isZero();
  }

  @Test
  void anotherNumberOfThresholdsLeavesTheConfiguredOnes() {
    flows.setThresholds(List.of(3_000L, 6_000L));
    assertThat(flows.thresholdsBytes()).containsExactly(3_000, 6_000);
    flows.setThresholds(List.of(3_000L));
    assertThat(flows.thresholdsBytes()).containsExactly(1_500, 4_500);
  }

  /** For want of priority. */
  @Test
  void demotedFlowStaysInTheLastLevel() {
    priorityBytes = 1_600;
    assertThat(send(7)).isZero();
    assertThat(send(8)).isEqualTo(2);
    priorityBytes = Long.MAX_VALUE;
    assertThat(send(8)).isEqualTo(2);
    assertThat(send(7)).isEqualTo(1);
    assertThat(flows.take(addresses).large()).as("demoted, but not large").isEmpty();
  }

  @Test
  void largeFlowsAreReportedWhileTheySend() {
    send(7, 3);
    assertThat(flows.take(addresses).large()).isEmpty();
    send(7, 1);
    assertThat(flows.take(addresses).large()).containsExactly(large(7, 6_000, false));
    assertThat(flows.take(addresses).isEmpty()).as("nothing new").isTrue();
  }

  @Test
  void endOfALargeFlowIsReportedOnce() {
    send(7, 4);
    flows.take(addresses);
    finish(7);
    SentFlows.Sizes sizes = flows.take(addresses);
    assertThat(sizes.large()).containsExactly(large(7, 6_040, true));
    assertThat(sizes.ended()).containsExactly(EndedFlows.of(6_040, 1));
    assertThat(flows.take(addresses).isEmpty()).isTrue();
  }

  /** Of its last acknowledgements and what it sends again nothing is counted. */
  @Test
  void endedFlowIsCountedOnceAndMayRestart() {
    send(7, 1);
    finish(7);
    finish(7);
    assertThat(ended()).containsExactly(1_540L);
    now += IDLE + 1;
    flows.take(addresses);
    assertThat(send(7)).isZero();
    finish(7);
    assertThat(ended()).containsExactly(1_540L);
  }

  @Test
  void silenceEndsALargeFlowAndOneThatBeginsAnew() {
    send(7, 4);
    send(8, 1);
    now += IDLE;
    assertThat(ended()).isEmpty();
    now++;
    assertThat(ended()).containsExactly(6_000L);
    send(8, 1);
    assertThat(ended()).containsExactly(1_500L);
  }

  @Test
  void thresholdsMustRise() {
    assertThatThrownBy(() -> new LevelParameters(List.of(), IDLE))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new LevelParameters(List.of(2L, 2L), IDLE))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new LevelParameters(List.of(1L, 2L, 3L, 4L), IDLE))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new LevelParameters(List.of(1L), 0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
