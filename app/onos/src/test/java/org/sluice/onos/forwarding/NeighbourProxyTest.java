// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.onos.testing.Samples.point;
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
import org.onlab.packet.IpAddress;
import org.onlab.packet.MacAddress;
import org.sluice.api.DoctorService;
import org.sluice.api.Finding;
import org.sluice.api.JournalEntry;
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
  void requestersLocationIsLearned() {
    world.switches.receive("s1/1", Frames.question(MAC1, "10.0.0.1", "10.0.0.5"));

    assertThat(node.attachments.locate(IpAddress.valueOf("10.0.0.1"))).contains(point("s1/1"));
  }

  @Test
  void interSwitchPortsTeachNoLocation() {
    world.switches.receive("s2/5", Frames.question(MAC1, "10.0.0.1", "10.0.0.5"));

    assertThat(node.attachments.locate(IpAddress.valueOf("10.0.0.1"))).isEmpty();
    assertThat(world.switches.emitted).isEmpty();
  }

  @Test
  void replyIsDeliveredBeforeRulesAreInstalled() {
    Ethernet question = Frames.question(MAC1, "10.0.0.1", "10.0.0.5");
    world.switches.receive("s1/1", question);
    world.switches.receive("s2/1", Frames.answer(MAC5, "10.0.0.5", question));

    assertThat(arps("s1/1")).hasSize(1);
    assertThat(arps("s1/1").get(0).getOpCode()).isEqualTo(ARP.OP_REPLY);
  }

  @Test
  void requestForAReportedEndpointWithoutLocationIsAnsweredByProxy() {
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
  void reportedEndpointsAreProbedUntilTheyReply() {
    node.link.connect(hello("h5", endpoint("h5/vm0", MAC5, "10.0.0.5")));

    until(() -> assertThat(arps("s2/1")).isNotEmpty());
    ARP probe = arps("s2/1").get(0);
    assertThat(Ip4Address.valueOf(probe.getSenderProtocolAddress())).isEqualTo(Ip4Address.ZERO);

    world.switches.receive(
        "s2/1", Frames.answer(MAC5, "10.0.0.5", world.switches.emittedAt("s2/1").get(0)));
    assertThat(node.attachments.locate(IpAddress.valueOf("10.0.0.5"))).contains(point("s2/1"));
  }

  @Test
  void spoofedReportedAddressIsNotLearned() {
    node.link.connect(hello("h5", endpoint("h5/vm0", MAC5, "10.0.0.5")));

    world.switches.receive("s1/1", Frames.question(MAC1, "10.0.0.5", "10.0.0.9"));

    assertThat(node.attachments.locate(IpAddress.valueOf("10.0.0.5"))).isEmpty();
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
    assertThat(node.attachments.locate(IpAddress.valueOf("10.0.0.1"))).contains(point("s1/1"));
  }

  @Test
  void forwardingOtherRegistersNoPacketProcessor() {
    node.set("forwarding", "other");
    until(() -> assertThat(world.packets.getProcessors()).isEmpty());

    world.switches.receive("s1/1", Frames.question(MAC1, "10.0.0.1", "10.0.0.5"));

    assertThat(world.switches.emitted).isEmpty();
  }

  @Test
  void duplicateAddressDetectionGetsNoReply() {
    node.link.connect(hello("h5", endpoint("h5/vm0", MAC5, "10.0.0.5")));
    world.switches.emitted.clear();

    world.switches.receive("s2/1", Frames.question(MAC5, "0.0.0.0", "10.0.0.5"));

    assertThat(arps("s2/1")).noneMatch(arp -> arp.getOpCode() == ARP.OP_REPLY);
  }

  @Test
  void ipv6NeighbourDiscoveryIsProxied() {
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
  void reportedIpv6EndpointsAreProbed() {
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

  private static String unknown(int number) {
    return "10.1." + number / 256 + "." + number % 256;
  }

  private long solicitations(String at, String target) {
    return arps(at).stream()
        .filter(
            arp ->
                Ip4Address.valueOf(arp.getTargetProtocolAddress())
                    .equals(Ip4Address.valueOf(target)))
        .count();
  }

  @Test
  void addressScanIsLimitedToItsSendersBudget() {
    for (int i = 0; i < 3000; i++) {
      world.switches.receive("s1/1", Frames.question(MAC1, "10.0.0.1", unknown(i)));
    }

    assertThat(arps("s2/1")).hasSize(PuntBudget.SENDER_BURST);
    world.switches.receive("s1/1", Frames.question(MAC2, "10.0.0.3", "10.0.0.8"));
    world.switches.receive("s1/2", Frames.question(MAC2, "10.0.0.2", "10.0.0.9"));
    assertThat(solicitations("s2/1", "10.0.0.8"))
        .as("another sender behind the same port")
        .isEqualTo(1);
    assertThat(solicitations("s2/1", "10.0.0.9")).as("another port").isEqualTo(1);
  }

  @Test
  void packetsToUnknownAddressesUseTheSameBudget() {
    for (int i = 0; i < 3000; i++) {
      world.switches.receive("s1/1", Frames.packet(MAC1, "10.0.0.1", unknown(i)));
    }

    assertThat(arps("s2/1")).hasSize(PuntBudget.SENDER_BURST);
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
  void repliesToManyRequestsDoNotPauseTheReplier() {
    world.switches.receive("s1/1", Frames.question(MAC1, "10.0.0.1", "10.0.0.5"));
    for (int i = 0; i < 1500; i++) {
      Ethernet question = Frames.question(MAC1, "10.0.0.1", "10.0.0.5");
      world.switches.receive("s2/1", Frames.answer(MAC5, "10.0.0.5", question));
      world.switches.receive("s2/1", Frames.solicitation(MAC5, "fd00::5", "fe80::" + i));
    }
    world.switches.emitted.clear();

    world.switches.receive("s2/1", Frames.question(MAC5, "10.0.0.5", "10.0.0.9"));

    assertThat(solicitations("s1/2", "10.0.0.9")).isEqualTo(1);
    assertThat(world.switches.rules("s2")).noneMatch(rule -> rule.contains("ETH_SRC"));
  }

  @Test
  void linkLocalAndUnroutableAddressesAreNotLearned() {
    for (int i = 1; i <= 100; i++) {
      world.switches.receive(
          "s1/1", Frames.solicitation(MAC1, "fe80::" + Integer.toHexString(i), "fd00::5"));
    }
    world.switches.receive("s1/1", Frames.question(MAC1, "169.254.0.7", "10.0.0.5"));
    world.switches.receive("s1/1", Frames.question(MAC1, "127.0.0.1", "10.0.0.5"));
    world.switches.receive("s1/1", Frames.packet(MAC1, "255.255.255.255", "10.0.0.5"));

    assertThat(node.attachments.all()).isEmpty();
  }

  @Test
  void addressesThatNoAgentReportsAreLimitedPerPort() {
    node.set("addressesPerPort", 3);
    node.link.connect(hello("h5", endpoint("h5/vm0", MAC5, "10.0.0.5")));
    for (int i = 0; i < 50; i++) {
      world.switches.receive("s1/1", Frames.question(MAC1, unknown(i), "10.0.0.9"));
    }

    assertThat(node.attachments.all())
        .hasSize(3)
        .containsOnlyKeys(
            IpAddress.valueOf(unknown(0)),
            IpAddress.valueOf(unknown(1)),
            IpAddress.valueOf(unknown(2)));
    world.switches.receive("s1/1", Frames.question(MAC5, "10.0.0.5", "10.0.0.9"));
    world.switches.receive("s1/2", Frames.question(MAC2, "10.0.0.2", "10.0.0.9"));
    assertThat(node.attachments.locate(IpAddress.valueOf("10.0.0.5"))).contains(point("s1/1"));
    assertThat(node.attachments.locate(IpAddress.valueOf("10.0.0.2"))).contains(point("s1/2"));
    assertThat(node.service(DoctorService.class).examine())
        .anyMatch(
            finding ->
                finding.about().equals("of:0000000000000001/1")
                    && finding.what().contains("More than 3 addresses")
                    && finding.what().contains("47 times")
                    && finding.remedy().contains("addressesPerPort"));
  }

  @Test
  void portsWithOnlyReportedEndpointsGetASecondRequestOnly() {
    node.link.connect(hello("h5", endpoint("h5/vm0", MAC5, "10.0.0.5")));
    world.switches.receive("s2/1", Frames.question(MAC5, "10.0.0.5", "10.0.0.5"));

    world.switches.receive("s1/1", Frames.question(MAC1, "10.0.0.1", "10.0.0.9"));
    assertThat(solicitations("s1/2", "10.0.0.9")).isEqualTo(1);
    assertThat(solicitations("s2/1", "10.0.0.9")).isZero();

    world.switches.receive("s1/2", Frames.question(MAC2, "10.0.0.2", "10.0.0.9"));
    assertThat(solicitations("s2/1", "10.0.0.9")).isEqualTo(1);
  }

  @Test
  void replyIsHeldUntilItsRequestersLocationArrives() {
    Ethernet question = Frames.question(MAC1, "10.0.0.1", "10.0.0.5");
    world.switches.receive("s2/1", Frames.answer(MAC5, "10.0.0.5", question));
    assertThat(arps("s1/1")).isEmpty();

    node.attachments.learn(IpAddress.valueOf("10.0.0.1"), point("s1/1")); // Another node's news.

    until(() -> assertThat(arps("s1/1")).hasSize(1));
  }

  @Test
  void firstPacketIsHeldWhileItsDestinationIsResolved() {
    world.switches.receive("s1/1", Frames.packet(MAC1, "10.0.0.1", "10.0.0.5"));
    Ethernet probe = world.switches.emittedAt("s2/1").get(0);
    world.switches.receive("s2/1", Frames.answer(MAC5, "10.0.0.5", probe));

    until(
        () ->
            assertThat(world.switches.emittedAt("s2/1"))
                .anyMatch(frame -> frame.getEtherType() == Ethernet.TYPE_IPV4));
  }

  @Test
  void linkLocalRequesterReceivesItsReply() {
    Ethernet question = Frames.solicitation(MAC1, "fe80::1", "fd00::5");
    world.switches.receive("s1/1", question);
    world.switches.receive("s2/1", Frames.advertisement(MAC5, "fd00::5", question));

    assertThat(world.switches.emittedAt("s1/1"))
        .anySatisfy(
            frame -> {
              NeighbourMessage answer = NeighbourMessage.parse(frame).orElseThrow();
              assertThat(answer.isQuestion()).isFalse();
              assertThat(answer.target()).isEqualTo(IpAddress.valueOf("fe80::1"));
            });
    assertThat(node.attachments.locate(IpAddress.valueOf("fe80::1"))).isEmpty();
  }

  @Test
  void portWithAReplyingEndpointStaysAnEdgePortDespiteADiscoveredLink() {
    node.link.connect(hello("h1", endpoint("h1/vm0", MAC1, "10.0.0.1")));
    until(() -> assertThat(arps("s1/1")).isNotEmpty());
    world.switches.receive(
        "s1/1", Frames.answer(MAC1, "10.0.0.1", world.switches.emittedAt("s1/1").get(0)));

    world.switches.link("s1/1", "s2/1"); // Relayed by VMs behind both ports.

    until(() -> assertThat(node.topology.refusedLinks()).hasSize(1));
    assertThat(node.topology.interSwitchPorts()).containsOnly(point("s1/5"), point("s2/5"));
    assertThat(node.attachments.locate(IpAddress.valueOf("10.0.0.1"))).contains(point("s1/1"));
    assertThat(node.service(DoctorService.class).examine())
        .anyMatch(
            finding ->
                finding.severity() == Finding.Severity.ERROR
                    && finding.about().equals("of:0000000000000001/1")
                    && finding.what().contains("probes are relayed there"));
  }

  @Test
  void relayedLinkIsRejectedOnceAnEndpointReplies() {
    world.switches.link("s1/1", "s2/1");
    until(() -> assertThat(node.topology.interSwitchPorts()).contains(point("s1/1")));
    node.link.connect(hello("h1", endpoint("h1/vm0", MAC1, "10.0.0.1")));
    until(() -> assertThat(arps("s1/1")).isNotEmpty());

    world.switches.receive(
        "s1/1", Frames.answer(MAC1, "10.0.0.1", world.switches.emittedAt("s1/1").get(0)));

    until(() -> assertThat(node.topology.interSwitchPorts()).doesNotContain(point("s1/1")));
  }

  @Test
  void onlyAReplyToThePortsOwnProbeMakesItAnEdgePort() {
    node.link.connect(hello("h1", endpoint("h1/vm0", MAC1, "10.0.0.1")));
    until(
        () -> {
          assertThat(arps("s1/1")).isNotEmpty();
          assertThat(arps("s2/5")).isNotEmpty();
        });
    Ethernet probeAtTheEdge = world.switches.emittedAt("s1/1").get(0);
    Ethernet probeAtTheLink = world.switches.emittedAt("s2/5").get(0);
    Ethernet crafted = Frames.answer(MAC1, "10.0.0.1", probeAtTheLink);
    ((ARP) crafted.getPayload())
        .setTargetProtocolAddress(Ip4Address.valueOf("10.0.0.5").toOctets());

    world.switches.receive("s2/5", Frames.answer(MAC1, "10.0.0.1", probeAtTheEdge));
    world.switches.receive("s2/5", Frames.parse(crafted));
    world.switches.receive("s2/5", Frames.answer(MAC2, "10.0.0.1", probeAtTheLink));
    world.switches.receive("s2/5", Frames.question(MAC1, "10.0.0.1", "10.0.0.5"));

    assertThat(node.proofs.ports()).isEmpty();
  }

  @Test
  void rejectedLinkReturnsWhenItsEndpointRepliesAtAnotherPort() {
    world.switches.connect("s1", 3);
    world.switches.connect("s3", 1, 2);
    node.link.connect(hello("h1", endpoint("h1/vm0", MAC1, "10.0.0.1")));
    // Without a controller s3 passes everything on, and what is behind it seems to be behind s1/3.
    until(() -> assertThat(arps("s1/3")).isNotEmpty());
    world.switches.receive(
        "s1/3", Frames.answer(MAC1, "10.0.0.1", world.switches.emittedAt("s1/3").get(0)));
    world.switches.link("s1/3", "s3/2");
    until(() -> assertThat(node.topology.refusedLinks()).hasSize(1));

    world.switches.emitted.clear();
    until(() -> assertThat(arps("s3/1")).isNotEmpty());
    world.switches.receive(
        "s3/1", Frames.answer(MAC1, "10.0.0.1", world.switches.emittedAt("s3/1").get(0)));

    until(() -> assertThat(node.topology.interSwitchPorts()).contains(point("s1/3")));
    assertThat(node.attachments.locate(IpAddress.valueOf("10.0.0.1"))).contains(point("s3/1"));
  }
}
