// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.onos.testing.Samples.point;
import static org.sluice.onos.testing.Waiting.until;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.onlab.packet.ARP;
import org.onlab.packet.Ethernet;
import org.onlab.packet.Ip4Address;
import org.onlab.packet.IpAddress;
import org.onlab.packet.MacAddress;
import org.sluice.onos.testing.Frames;
import org.sluice.onos.testing.OnosWorld;
import org.sluice.onos.testing.SluiceNode;

class NeighbourProxyTest {
  private static final String MAC1 = "02:00:00:00:01:01";
  private static final String MAC2 = "02:00:00:00:01:02";
  private static final String MAC5 = "02:00:00:00:01:05";

  private final OnosWorld world = new OnosWorld();
  private final SluiceNode node = new SluiceNode(world);

  @BeforeEach
  void start() {
    world.switches.connect("s1", 1, 2, 5);
    world.switches.connect("s2", 1, 5);
    world.switches.link("s1/5", "s2/5");
    node.start();
    until(() -> assertThat(node.topology.interSwitchPorts()).hasSize(2));
    until(() -> assertThat(node.forwarding.own()).isTrue());
  }

  @AfterEach
  void stop() {
    node.stop();
    world.close();
  }

  private List<ARP> arps(String at) {
    return world.switches.emittedAt(at).stream()
        .filter(frame -> frame.getEtherType() == Ethernet.TYPE_ARP)
        .map(frame -> (ARP) frame.getPayload())
        .collect(Collectors.toList());
  }

  @Test
  void aQuestionNobodyCanAnswerIsAskedAtEveryOtherEdgePortOnce() {
    Ethernet question = Frames.question(MAC1, "10.0.0.1", "10.0.0.5");

    world.switches.receive("s1/1", question);
    world.switches.receive("s1/1", question);

    assertThat(arps("s1/2")).hasSize(1);
    assertThat(arps("s2/1")).hasSize(1);
    assertThat(arps("s1/1")).isEmpty();
    assertThat(arps("s1/5")).isEmpty();
    assertThat(arps("s2/5")).isEmpty();
  }

  @Test
  void whoAsksIsLearnt() {
    world.switches.receive("s1/1", Frames.question(MAC1, "10.0.0.1", "10.0.0.5"));

    assertThat(node.attachments.locate(IpAddress.valueOf("10.0.0.1"))).contains(point("s1/1"));
  }

  @Test
  void nothingIsLearntFromAPortThatLeadsToAnotherSwitch() {
    world.switches.receive("s2/5", Frames.question(MAC1, "10.0.0.1", "10.0.0.5"));

    assertThat(node.attachments.locate(IpAddress.valueOf("10.0.0.1"))).isEmpty();
    assertThat(world.switches.emitted).isEmpty();
  }

  @Test
  void theAnswerFindsItsWayBeforeTheRulesStand() {
    Ethernet question = Frames.question(MAC1, "10.0.0.1", "10.0.0.5");
    world.switches.receive("s1/1", question);
    world.switches.receive("s2/1", Frames.answer(MAC5, "10.0.0.5", question));

    assertThat(arps("s1/1")).hasSize(1);
    assertThat(arps("s1/1").get(0).getOpCode()).isEqualTo(ARP.OP_REPLY);
  }

  @Test
  void aQuestionAboutAReportedEndpointThatIsNowhereYetIsAnsweredForIt() {
    node.link.connect(hello("h5", endpoint("h5/vm0", MAC5, "10.0.0.5")));
    world.switches.emitted.clear();

    world.switches.receive("s1/1", Frames.question(MAC1, "10.0.0.1", "10.0.0.5"));

    ARP answer =
        arps("s1/1").stream().filter(arp -> arp.getOpCode() == ARP.OP_REPLY).findFirst().get();
    assertThat(MacAddress.valueOf(answer.getSenderHardwareAddress()))
        .isEqualTo(MacAddress.valueOf(MAC5));
    assertThat(Ip4Address.valueOf(answer.getSenderProtocolAddress()))
        .isEqualTo(Ip4Address.valueOf("10.0.0.5"));
  }

  @Test
  void reportedEndpointsAreLookedForUntilTheyAreHeard() {
    node.link.connect(hello("h5", endpoint("h5/vm0", MAC5, "10.0.0.5")));

    until(() -> assertThat(arps("s2/1")).isNotEmpty());
    ARP probe = arps("s2/1").get(0);
    assertThat(Ip4Address.valueOf(probe.getSenderProtocolAddress())).isEqualTo(Ip4Address.ZERO);
    assertThat(arps("s1/5")).isEmpty();

    world.switches.receive(
        "s2/1", Frames.answer(MAC5, "10.0.0.5", world.switches.emittedAt("s2/1").get(0)));
    assertThat(node.attachments.locate(IpAddress.valueOf("10.0.0.5"))).contains(point("s2/1"));
  }

  @Test
  void aFalseClaimOfAReportedAddressIsNotLearnt() {
    node.link.connect(hello("h5", endpoint("h5/vm0", MAC5, "10.0.0.5")));

    world.switches.receive("s1/1", Frames.question(MAC1, "10.0.0.5", "10.0.0.9"));

    assertThat(node.attachments.locate(IpAddress.valueOf("10.0.0.5"))).isEmpty();
  }

  @Test
  void aPacketWithoutARuleIsDeliveredIfItsDestinationIsKnownAndAskedForOtherwise() {
    world.hosts.seen(MAC5, "s2/1", "10.0.0.5");

    world.switches.receive("s1/1", Frames.packet(MAC1, "10.0.0.1", "10.0.0.5"));
    world.switches.receive("s1/2", Frames.packet(MAC2, "10.0.0.2", "10.0.0.7"));

    assertThat(world.switches.emittedAt("s2/1"))
        .anyMatch(frame -> frame.getEtherType() == Ethernet.TYPE_IPV4);
    assertThat(arps("s2/1"))
        .anySatisfy(
            arp ->
                assertThat(Ip4Address.valueOf(arp.getTargetProtocolAddress()))
                    .isEqualTo(Ip4Address.valueOf("10.0.0.7")));
    assertThat(node.attachments.locate(IpAddress.valueOf("10.0.0.1"))).contains(point("s1/1"));
  }

  @Test
  void withForwardingOtherNobodyListens() {
    node.set("forwarding", "other");
    until(() -> assertThat(world.packets.getProcessors()).isEmpty());

    world.switches.receive("s1/1", Frames.question(MAC1, "10.0.0.1", "10.0.0.5"));

    assertThat(world.switches.emitted).isEmpty();
  }

  @Test
  void aHostThatChecksItsOwnAddressForDuplicatesIsLeftInPeace() {
    node.link.connect(hello("h5", endpoint("h5/vm0", MAC5, "10.0.0.5")));
    world.switches.emitted.clear();

    world.switches.receive("s2/1", Frames.question(MAC5, "0.0.0.0", "10.0.0.5"));

    assertThat(arps("s2/1")).noneMatch(arp -> arp.getOpCode() == ARP.OP_REPLY);
  }

  @Test
  void neighbourDiscoveryOfIpv6GoesTheSameWay() {
    node.link.connect(hello("h5", endpoint("h5/vm0", MAC5, "fd00::5")));
    world.switches.emitted.clear();

    world.switches.receive("s1/1", Frames.solicitation(MAC1, "fd00::1", "fd00::5"));

    assertThat(node.attachments.locate(IpAddress.valueOf("fd00::1"))).contains(point("s1/1"));
    NeighbourMessage answer =
        world.switches.emittedAt("s1/1").stream()
            .flatMap(frame -> NeighbourMessage.parse(frame).stream())
            .filter(message -> !message.isQuestion())
            .findFirst()
            .orElseThrow();
    assertThat(answer.sender()).isEqualTo(IpAddress.valueOf("fd00::5"));
    assertThat(answer.senderMac()).isEqualTo(MacAddress.valueOf(MAC5));
    assertThat(answer.target()).isEqualTo(IpAddress.valueOf("fd00::1"));
  }

  @Test
  void reportedIpv6EndpointsAreLookedFor() {
    node.link.connect(hello("h5", endpoint("h5/vm0", MAC5, "fd00::5")));

    until(() -> assertThat(world.switches.emittedAt("s2/1")).isNotEmpty());
    NeighbourMessage probe =
        NeighbourMessage.parse(world.switches.emittedAt("s2/1").get(0)).orElseThrow();
    assertThat(probe.isQuestion()).isTrue();
    assertThat(probe.target()).isEqualTo(IpAddress.valueOf("fd00::5"));
    assertThat(probe.sender().isZero()).isFalse();

    world.switches.receive("s2/1", Frames.parse(probe.answer(MacAddress.valueOf(MAC5))));
    assertThat(node.attachments.locate(IpAddress.valueOf("fd00::5"))).contains(point("s2/1"));
    assertThat(node.attachments.locate(probe.sender())).isEmpty();
  }
}
