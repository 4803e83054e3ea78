// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.core.testing.Samples.port;
import static org.sluice.onos.testing.Waiting.until;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.onlab.packet.ARP;
import org.onlab.packet.Ethernet;
import org.onlab.packet.Ip4Address;
import org.sluice.api.DoctorService;
import org.sluice.api.IpAddress;
import org.sluice.api.JournalEntry;
import org.sluice.api.MacAddress;
import org.sluice.forwarding.frame.EthernetFrame;
import org.sluice.forwarding.frame.NeighbourMessage;
import org.sluice.onos.testing.Frames;
import org.sluice.onos.testing.OnosWorld;
import org.sluice.onos.testing.SluiceNode;

class PacketsOnOnosTest {
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
  void unresolvedRequestIsSentOnceToEveryOtherEdgePort() {
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
  void requestForAReportedEndpointWithoutLocationIsAnsweredByProxy() {
    node.link.connect(hello("h5", endpoint("h5/vm0", MAC5, "10.0.0.5")));
    world.switches.emitted.clear();

    world.switches.receive("s1/1", Frames.question(MAC1, "10.0.0.1", "10.0.0.5"));

    ARP answer =
        arps("s1/1").stream().filter(arp -> arp.getOpCode() == ARP.OP_REPLY).findFirst().get();
    assertThat(MacAddress.of(answer.getSenderHardwareAddress())).isEqualTo(MacAddress.parse(MAC5));
    assertThat(Ip4Address.valueOf(answer.getSenderProtocolAddress()))
        .isEqualTo(Ip4Address.valueOf("10.0.0.5"));
  }

  @Test
  void packetInIsDeliveredToAKnownDestinationOrTriggersARequest() {
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
    assertThat(node.attachments.locate(IpAddress.parse("10.0.0.1"))).contains(port("s1/1"));
  }

  @Test
  void forwardingOtherRegistersNoPacketProcessor() {
    node.set("forwarding", "other");
    until(() -> assertThat(world.packets.getProcessors()).isEmpty());

    world.switches.receive("s1/1", Frames.question(MAC1, "10.0.0.1", "10.0.0.5"));

    assertThat(world.switches.emitted).isEmpty();
  }

  @Test
  void reportedIpv6EndpointsAreProbed() {
    node.link.connect(hello("h5", endpoint("h5/vm0", MAC5, "fd00::5")));

    until(() -> assertThat(world.switches.emittedAt("s2/1")).isNotEmpty());
    NeighbourMessage probe = message(world.switches.emittedAt("s2/1").get(0)).orElseThrow();
    assertThat(probe.isQuestion()).isTrue();
    assertThat(probe.target()).isEqualTo(IpAddress.parse("fd00::5"));
    assertThat(probe.sender()).isNotEqualTo(IpAddress.parse("::"));

    world.switches.receive("s2/1", Frames.parse(probe.answer(MacAddress.parse(MAC5))));
    assertThat(node.attachments.locate(IpAddress.parse("fd00::5"))).contains(port("s2/1"));
    assertThat(node.attachments.locate(probe.sender())).isEmpty();
  }

  private static Optional<NeighbourMessage> message(Ethernet frame) {
    return EthernetFrame.parse(frame.serialize()).flatMap(NeighbourMessage::parse);
  }

  private static String unknown(int number) {
    return "10.1." + number / 256 + "." + number % 256;
  }

  @Test
  void senderFarOverBudgetIsDroppedByItsSwitchAndReported() {
    for (int i = 0; i < 3000; i++) {
      world.switches.receive("s1/1", Frames.question(MAC1, "10.0.0.1", unknown(i)));
    }

    until(
        () ->
            assertThat(world.switches.rules("s1"))
                .filteredOn(rule -> rule.contains("ETH_SRC:02:00:00:00:01:01"))
                .hasSize(4)
                .allMatch(rule -> rule.contains("IN_PORT:1") && rule.endsWith("NOACTION"))
                .anyMatch(rule -> rule.startsWith("0/46000") && rule.contains("ARP_OP:1"))
                .anyMatch(rule -> rule.startsWith("0/46000") && rule.contains("ICMPV6_TYPE:135"))
                .anyMatch(rule -> rule.startsWith("1/00002") && rule.contains("ETH_TYPE:ipv4"))
                .anyMatch(rule -> rule.startsWith("1/00002") && rule.contains("ETH_TYPE:ipv6")));
    assertThat(world.switches.rules("s2")).noneMatch(rule -> rule.contains("ETH_SRC"));
    assertThat(node.journal().entries(-1, Optional.empty(), 100))
        .anyMatch(
            entry ->
                entry.kind() == JournalEntry.Kind.REFUSED
                    && entry.decision().contains("02:00:00:00:01:01")
                    && entry.decision().contains("of:0000000000000001/1"));
    assertThat(node.service(DoctorService.class).examine())
        .anyMatch(
            finding ->
                finding.about().equals("of:0000000000000001/1")
                    && finding.what().contains("than the controller processes"));
  }

  @Test
  void linkLocalRequesterReceivesItsReply() {
    Ethernet question = Frames.solicitation(MAC1, "fe80::1", "fd00::5");
    world.switches.receive("s1/1", question);
    world.switches.receive("s2/1", Frames.advertisement(MAC5, "fd00::5", question));

    assertThat(world.switches.emittedAt("s1/1"))
        .anySatisfy(
            frame -> {
              NeighbourMessage answer = message(frame).orElseThrow();
              assertThat(answer.isQuestion()).isFalse();
              assertThat(answer.target()).isEqualTo(IpAddress.parse("fe80::1"));
            });
    assertThat(node.attachments.locate(IpAddress.parse("fe80::1"))).isEmpty();
  }

  @Test
  void relayedLinkIsRejectedOnceAnEndpointReplies() {
    world.switches.link("s1/1", "s2/1");
    until(() -> assertThat(node.topology.interSwitchPorts()).contains(port("s1/1")));
    node.link.connect(hello("h1", endpoint("h1/vm0", MAC1, "10.0.0.1")));
    until(() -> assertThat(arps("s1/1")).isNotEmpty());

    world.switches.receive(
        "s1/1", Frames.answer(MAC1, "10.0.0.1", world.switches.emittedAt("s1/1").get(0)));

    until(() -> assertThat(node.topology.interSwitchPorts()).doesNotContain(port("s1/1")));
  }
}
