// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.forwarding.spi.RuleTable;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Link;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.network.Network;
import org.sluice.sim.shim.host.Addresses;
import org.sluice.sim.topology.LeafSpine;
import org.sluice.sim.topology.LinkPlan;
import org.sluice.sim.topology.QueueFactory;
import org.sluice.sim.transport.SendingPattern;
import org.sluice.sim.transport.UdpFlow;

/** A leaf-spine that the product's own forwarding forwards. */
class ForwardedFabricTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long RATE = 1_200_000; // 100 packets a second.
  private static final LinkPlan PLAN =
      LinkPlan.symmetric(new LinkParameters(SECOND, 1000, 0), QueueFactory.dropTail(1000));

  private final Scheduler scheduler = new Scheduler();
  private final Network network = new Network(scheduler, new RandomStreams(1));
  private final LeafSpine fabric = LeafSpine.build(network, 2, 2, 2, PLAN, PLAN);
  private final SwitchNames names = new SwitchNames(network);
  private final List<UdpFlow> flows = new ArrayList<>();
  private final ControlChannels channels =
      new ControlChannels(network, new ChannelParameters(SECOND / 10_000, 0, 0));
  private final ControllerNode controller =
      new ControllerNode(
          network,
          new Addresses(network),
          names,
          channels,
          new AgentLinks(scheduler, channels),
          Map.of(),
          true);
  private final ForwardedFabric forwarded = controller.fabric().orElseThrow();

  /** Between the leaves, many enough to take both spines. */
  @BeforeEach
  void send() {
    for (int i = 0; i < 16; i++) {
      UdpFlow flow =
          new UdpFlow(
              network,
              "f" + i,
              fabric.endpoints().get(i % 2),
              fabric.endpoints().get(2 + i % 2),
              RATE,
              1500,
              SendingPattern.CONSTANT);
      flow.start(0);
      flows.add(flow);
    }
  }

  private List<Long> receivedIn(long nanos) {
    List<Long> before = received();
    scheduler.runUntil(scheduler.now() + nanos);
    List<Long> now = received();
    List<Long> delta = new ArrayList<>();
    for (int i = 0; i < flows.size(); i++) {
      delta.add(now.get(i) - before.get(i));
    }
    return delta;
  }

  private List<Long> received() {
    return flows.stream().map(flow -> flow.statistics().receivedPackets()).toList();
  }

  private long sent(Link uplink) {
    return uplink.atA().counters().sentPackets();
  }

  @Test
  void flowsTakeBothSpinesAndTheOtherOneWhenALinkFails() {
    assertThat(receivedIn(SECOND)).as("switches hold no rules").containsOnly(0L);
    controller.start();
    scheduler.runUntil(20 * SECOND);

    assertThat(receivedIn(SECOND)).allMatch(packets -> packets >= 99);
    Link first = fabric.fabric().get(0);
    Link second = fabric.fabric().get(1);
    assertThat(sent(first)).isPositive();
    assertThat(sent(second)).isPositive();
    String leaf = names.datapath(fabric.leaves().get(0));
    assertThat(forwarded.groups().groups(leaf)).hasSize(1);
    assertThat(forwarded.meters().meters(leaf)).as("one counts each uplink's marks").hasSize(2);
    assertThat(forwarded.rules().entries(leaf))
        .allMatch(entry -> entry.state() == RuleTable.State.CONFIRMED);

    first.setUp(false);
    controller.topologyChanged();
    long before = sent(first);
    scheduler.runUntil(scheduler.now() + SECOND);
    assertThat(receivedIn(SECOND)).allMatch(packets -> packets >= 99);
    assertThat(sent(first)).isEqualTo(before);

    first.setUp(true);
    controller.topologyChanged();
    scheduler.runUntil(scheduler.now() + SECOND);
    assertThat(receivedIn(SECOND)).allMatch(packets -> packets >= 99);
    assertThat(sent(first)).isGreaterThan(before);
  }

  @Test
  void stoppedForwardingLeavesItsRules() {
    controller.start();
    scheduler.runUntil(20 * SECOND);
    controller.stop();
    assertThat(receivedIn(SECOND)).allMatch(packets -> packets >= 99);
  }
}
