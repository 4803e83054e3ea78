// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.packet.Packet;

class TopologyTest {
  private static final LinkPlan PLAN =
      LinkPlan.symmetric(new LinkParameters(1_000_000_000L, 1000, 0), QueueFactory.dropTail(1000));

  private final Scheduler scheduler = new Scheduler();
  private final Network network = new Network(scheduler, new RandomStreams(1));

  private int delivered;

  private void send(Endpoint from, Endpoint to, int flowHash) {
    Packet packet = network.pool().take();
    packet.source = from.number();
    packet.destination = to.number();
    packet.ipBytes = 100;
    packet.flowHash = flowHash;
    packet.receiver = received -> delivered++;
    from.host().send(packet);
  }

  @Test
  void aDumbbellHasOneBottleneck() {
    Dumbbell dumbbell = Dumbbell.build(network, 3, 2, PLAN, PLAN);
    for (Endpoint from : dumbbell.senders()) {
      for (Endpoint to : dumbbell.receivers()) {
        send(from, to, 0);
        send(to, from, 0);
      }
    }
    scheduler.runUntil(1_000_000_000L);
    assertThat(delivered).isEqualTo(12);
    assertThat(dumbbell.bottleneck().counters().sentPackets()).isEqualTo(6);
  }

  @Test
  void rackHasOneHop() {
    SingleRack rack = SingleRack.build(network, 4, PLAN);
    send(rack.endpoints().get(0), rack.endpoints().get(3), 0);
    scheduler.runUntil(1_000_000_000L);
    assertThat(delivered).isEqualTo(1);
    assertThat(network.packetHops()).isEqualTo(2);
  }

  @Test
  void fatTreeConnectsAllHostsAndSpreadsFlows() {
    FatTree tree = FatTree.build(network, 4, PLAN, PLAN, PLAN);
    assertThat(tree.endpoints()).hasSize(16);
    assertThat(tree.edges()).hasSize(8);
    assertThat(tree.aggregations()).hasSize(8);
    assertThat(tree.cores()).hasSize(4);
    int sent = 0;
    for (Endpoint from : tree.endpoints()) {
      for (Endpoint to : tree.endpoints()) {
        if (!from.equals(to)) {
          send(from, to, ++sent * 0x1234567);
        }
      }
    }
    scheduler.runUntil(1_000_000_000L);
    assertThat(delivered).isEqualTo(240);
    for (var core : tree.cores()) {
      long through = core.ports().stream().mapToLong(p -> p.counters().sentPackets()).sum();
      // 192 of 240 flows cross the core, 48 per switch.
      assertThat(through).isBetween(24L, 72L);
    }
    assertThat(network.pool().inUse()).isZero();
  }

  @Test
  void fatTreeOfOddPortsIsRejected() {
    assertThatThrownBy(() -> FatTree.build(network, 3, PLAN, PLAN, PLAN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("3");
  }

  @Test
  void aLeafSpineUsesAllSpinesEvenly() {
    LeafSpine fabric = LeafSpine.build(network, 2, 4, 2, PLAN, PLAN);
    Map<String, Integer> chosen = new HashMap<>();
    int far = fabric.endpoints().get(3).number();
    for (int flow = 0; flow < 4000; flow++) {
      Port port = fabric.leaves().get(0).egress(far, flow);
      chosen.merge(port.peer().name(), 1, Integer::sum);
    }
    assertThat(chosen).hasSize(4);
    assertThat(chosen.values()).allSatisfy(flows -> assertThat(flows).isBetween(850, 1150));
  }

  @Test
  void switchesHashIndependently() {
    LeafSpine fabric = LeafSpine.build(network, 2, 4, 2, PLAN, PLAN);
    Set<String> pairs = new HashSet<>();
    for (int flow = 0; flow < 400; flow++) {
      pairs.add(
          fabric.leaves().get(0).egress(3, flow).peer().name()
              + fabric.leaves().get(1).egress(0, flow).peer().name());
    }
    assertThat(pairs).hasSize(16);
  }

  @Test
  void routesAvoidADownLink() {
    LeafSpine fabric = LeafSpine.build(network, 2, 2, 1, PLAN, PLAN);
    fabric.fabric().get(0).setUp(false);
    network.computeRoutes();
    for (int flow = 0; flow < 100; flow++) {
      send(fabric.endpoints().get(0), fabric.endpoints().get(1), flow);
      send(fabric.endpoints().get(1), fabric.endpoints().get(0), flow);
    }
    scheduler.runUntil(1_000_000_000L);
    assertThat(delivered).isEqualTo(200);
  }
}
