// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;

/** Flows that have sent more than 5000 bytes are large; levels end at 1500 and 4500. */
class SentFlowsTest {
  private static final long IDLE = 1_000;

  private final PacketPool pool = new PacketPool();
  private final SentFlows flows = new SentFlows(5_000, IDLE, new long[] {1_500, 4_500});

  private Packet packet(int port, int payload) {
    Packet packet = pool.take();
    packet.source = 1;
    packet.destination = 2;
    packet.sourcePort = port;
    packet.destinationPort = 80;
    packet.payloadBytes = payload;
    packet.ipBytes = payload + 40;
    return packet;
  }

  private void send(int port, int packets, long now) {
    for (int i = 0; i < packets; i++) {
      flows.departed(packet(port, 1_460), now);
    }
  }

  private void finish(int port, long now) {
    Packet last = packet(port, 0);
    last.flags = Packet.FIN | Packet.ACK;
    flows.departed(last, now);
  }

  @Test
  void flowPriorityDropsWithSentBytes() {
    assertThat(flows.level(packet(7, 1_460))).isZero();
    send(7, 1, 0);
    assertThat(flows.level(packet(7, 1_460))).as("1500 are not more than 1500").isZero();
    send(7, 1, 0);
    assertThat(flows.level(packet(7, 1_460))).isEqualTo(1);
    send(7, 2, 0);
    assertThat(flows.level(packet(7, 1_460))).isEqualTo(2);
    assertThat(flows.level(packet(8, 1_460))).as("another flow").isZero();
    flows.setLevels(new long[] {1_000_000, 2_000_000});
    assertThat(flows.level(packet(7, 1_460))).isZero();
  }

  @Test
  void largeFlowsAreReportedWhileTheySend() {
    send(7, 3, 0);
    assertThat(flows.large(0)).isEmpty();
    send(7, 1, 0);
    assertThat(flows.large(0)).containsExactly(new SentFlows.Report(1, 7, 2, 80, 0, 6_000));
    assertThat(flows.large(1)).as("nothing new").isEmpty();
  }

  @Test
  void endedFlowIsReportedOnceAndMayRestart() {
    send(7, 4, 0);
    finish(7, 0);
    assertThat(flows.ended()).extracting(SentFlows.Report::bytes).containsExactly(6_040L);
    assertThat(flows.ended()).isEmpty();
    assertThat(flows.level(packet(7, 1_460))).isZero();
  }

  @Test
  void sizesOfShortFlowsAreReportedAndOfAcknowledgementsNot() {
    send(7, 1, 0);
    finish(7, 0);
    flows.departed(packet(8, 0), 0);
    finish(8, 0);
    assertThat(flows.ended()).extracting(SentFlows.Report::bytes).isEqualTo(List.of(1_540L));
  }

  @Test
  void idleFlowEnds() {
    send(7, 4, 0);
    flows.large(0);
    flows.large(IDLE - 1);
    assertThat(flows.ended()).isEmpty();
    flows.large(IDLE);
    assertThat(flows.ended()).hasSize(1);
  }
}
