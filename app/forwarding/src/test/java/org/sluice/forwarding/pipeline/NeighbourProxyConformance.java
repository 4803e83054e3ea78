// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.core.testing.Samples.port;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.DoctorService;
import org.sluice.api.Finding;
import org.sluice.api.IpAddress;
import org.sluice.api.JournalEntry;
import org.sluice.api.MacAddress;
import org.sluice.forwarding.frame.EthernetFrame;
import org.sluice.forwarding.frame.Frames;
import org.sluice.forwarding.frame.NeighbourMessage;
import org.sluice.forwarding.testing.FabricUnderTest;
import org.sluice.forwarding.testing.NodeUnderTest;

public abstract class NeighbourProxyConformance {
  private static final String MAC1 = "02:00:00:00:01:01";
  private static final String MAC2 = "02:00:00:00:01:02";
  private static final String MAC5 = "02:00:00:00:01:05";

  private final FabricUnderTest fabric;
  private final NodeUnderTest node;

  protected NeighbourProxyConformance(NodeUnderTest node) {
    this.node = node;
    fabric = node.fabric();
  }

  @BeforeEach
  void start() {
    fabric.connect("s1", 1, 2, 5);
    fabric.connect("s2", 1, 5);
    fabric.link("s1/5", "s2/5");
    node.start();
    fabric.until(() -> assertThat(node.plane().topology().interSwitchPorts()).hasSize(2));
    fabric.until(() -> assertThat(node.plane().forwarding().own()).isTrue());
  }

  @AfterEach
  void stop() {
    node.stop();
    fabric.close();
  }

  private List<NeighbourMessage> arps(String at) {
    return fabric.emittedAt(at).stream()
        .filter(frame -> Frames.type(frame) == EthernetFrame.TYPE_ARP)
        .map(Frames::message)
        .collect(Collectors.toList());
  }

  @Test
  void unresolvedRequestIsSentOnceToEveryOtherEdgePort() {
    byte[] question = Frames.question(MAC1, "10.0.0.1", "10.0.0.5");

    fabric.receive("s1/1", question);
    fabric.receive("s1/1", question);

    assertThat(arps("s1/2")).hasSize(1);
    assertThat(arps("s2/1")).hasSize(1);
    assertThat(arps("s1/1")).isEmpty();
    assertThat(arps("s1/5")).isEmpty();
    assertThat(arps("s2/5")).isEmpty();
  }

  @Test
  void requestersLocationIsLearned() {
    fabric.receive("s1/1", Frames.question(MAC1, "10.0.0.1", "10.0.0.5"));

    assertThat(node.plane().attachments().locate(IpAddress.parse("10.0.0.1")))
        .contains(port("s1/1"));
  }

  @Test
  void interSwitchPortsTeachNoLocation() {
    fabric.receive("s2/5", Frames.question(MAC1, "10.0.0.1", "10.0.0.5"));

    assertThat(node.plane().attachments().locate(IpAddress.parse("10.0.0.1"))).isEmpty();
    assertThat(fabric.hasEmitted()).isFalse();
  }

  @Test
  void replyIsDeliveredBeforeRulesAreInstalled() {
    byte[] question = Frames.question(MAC1, "10.0.0.1", "10.0.0.5");
    fabric.receive("s1/1", question);
    fabric.receive("s2/1", Frames.answer(MAC5, "10.0.0.5", question));

    assertThat(arps("s1/1")).hasSize(1);
    assertThat(arps("s1/1").get(0).isQuestion()).isFalse();
  }

  @Test
  void requestForAReportedEndpointWithoutLocationIsAnsweredByProxy() {
    node.link().connect(hello("h5", endpoint("h5/vm0", MAC5, "10.0.0.5")));
    fabric.clearEmitted();

    fabric.receive("s1/1", Frames.question(MAC1, "10.0.0.1", "10.0.0.5"));

    NeighbourMessage answer =
        arps("s1/1").stream().filter(arp -> !arp.isQuestion()).findFirst().orElseThrow();
    assertThat(answer.senderMac()).isEqualTo(MacAddress.parse(MAC5));
    assertThat(answer.sender()).isEqualTo(IpAddress.parse("10.0.0.5"));
  }

  @Test
  void reportedEndpointsAreProbedUntilTheyReply() {
    node.link().connect(hello("h5", endpoint("h5/vm0", MAC5, "10.0.0.5")));

    fabric.until(() -> assertThat(arps("s2/1")).isNotEmpty());
    assertThat(arps("s2/1").get(0).sender()).isEqualTo(IpAddress.parse("0.0.0.0"));

    fabric.receive("s2/1", Frames.answer(MAC5, "10.0.0.5", fabric.emittedAt("s2/1").get(0)));
    assertThat(node.plane().attachments().locate(IpAddress.parse("10.0.0.5")))
        .contains(port("s2/1"));
  }

  @Test
  void spoofedReportedAddressIsNotLearned() {
    node.link().connect(hello("h5", endpoint("h5/vm0", MAC5, "10.0.0.5")));

    fabric.receive("s1/1", Frames.question(MAC1, "10.0.0.5", "10.0.0.9"));

    assertThat(node.plane().attachments().locate(IpAddress.parse("10.0.0.5"))).isEmpty();
  }

  @Test
  void packetInIsDeliveredToAKnownDestinationOrTriggersARequest() {
    fabric.seen(MAC5, "s2/1", "10.0.0.5");
    fabric.until(
        () ->
            assertThat(node.plane().attachments().locate(IpAddress.parse("10.0.0.5"))).isPresent());

    fabric.receive("s1/1", Frames.packet(MAC1, "10.0.0.1", "10.0.0.5"));
    fabric.receive("s1/2", Frames.packet(MAC2, "10.0.0.2", "10.0.0.7"));

    assertThat(fabric.emittedAt("s2/1"))
        .anyMatch(frame -> Frames.type(frame) == EthernetFrame.TYPE_IPV4);
    assertThat(arps("s2/1"))
        .anySatisfy(arp -> assertThat(arp.target()).isEqualTo(IpAddress.parse("10.0.0.7")));
    assertThat(node.plane().attachments().locate(IpAddress.parse("10.0.0.1")))
        .contains(port("s1/1"));
  }

  @Test
  void forwardingOtherRegistersNoPacketProcessor() {
    node.set("forwarding", "other");
    fabric.until(() -> assertThat(fabric.isListening()).isFalse());

    fabric.receive("s1/1", Frames.question(MAC1, "10.0.0.1", "10.0.0.5"));

    assertThat(fabric.hasEmitted()).isFalse();
  }

  @Test
  void duplicateAddressDetectionGetsNoReply() {
    node.link().connect(hello("h5", endpoint("h5/vm0", MAC5, "10.0.0.5")));
    fabric.clearEmitted();

    fabric.receive("s2/1", Frames.question(MAC5, "0.0.0.0", "10.0.0.5"));

    assertThat(arps("s2/1")).noneMatch(arp -> !arp.isQuestion());
  }

  @Test
  void ipv6NeighbourDiscoveryIsProxied() {
    node.link().connect(hello("h5", endpoint("h5/vm0", MAC5, "fd00::5")));
    fabric.clearEmitted();

    fabric.receive("s1/1", Frames.solicitation(MAC1, "fd00::1", "fd00::5"));

    assertThat(node.plane().attachments().locate(IpAddress.parse("fd00::1")))
        .contains(port("s1/1"));
    NeighbourMessage answer =
        fabric.emittedAt("s1/1").stream()
            .map(Frames::message)
            .filter(message -> !message.isQuestion())
            .findFirst()
            .orElseThrow();
    assertThat(answer.sender()).isEqualTo(IpAddress.parse("fd00::5"));
    assertThat(answer.senderMac()).isEqualTo(MacAddress.parse(MAC5));
    assertThat(answer.target()).isEqualTo(IpAddress.parse("fd00::1"));
  }

  @Test
  void reportedIpv6EndpointsAreProbed() {
    node.link().connect(hello("h5", endpoint("h5/vm0", MAC5, "fd00::5")));

    fabric.until(() -> assertThat(fabric.emittedAt("s2/1")).isNotEmpty());
    NeighbourMessage probe = Frames.message(fabric.emittedAt("s2/1").get(0));
    assertThat(probe.isQuestion()).isTrue();
    assertThat(probe.target()).isEqualTo(IpAddress.parse("fd00::5"));
    assertThat(probe.sender()).isNotEqualTo(IpAddress.parse("::"));

    fabric.receive("s2/1", probe.answer(MacAddress.parse(MAC5)));
    assertThat(node.plane().attachments().locate(IpAddress.parse("fd00::5")))
        .contains(port("s2/1"));
    assertThat(node.plane().attachments().locate(probe.sender())).isEmpty();
  }

  private static String unknown(int number) {
    return "10.1." + number / 256 + "." + number % 256;
  }

  private long solicitations(String at, String target) {
    return arps(at).stream().filter(arp -> arp.target().equals(IpAddress.parse(target))).count();
  }

  @Test
  void addressScanIsLimitedToItsSendersBudget() {
    for (int i = 0; i < 3000; i++) {
      fabric.receive("s1/1", Frames.question(MAC1, "10.0.0.1", unknown(i)));
    }

    assertThat(arps("s2/1")).hasSize(PuntBudget.SENDER_BURST);
    fabric.receive("s1/1", Frames.question(MAC2, "10.0.0.3", "10.0.0.8"));
    fabric.receive("s1/2", Frames.question(MAC2, "10.0.0.2", "10.0.0.9"));
    assertThat(solicitations("s2/1", "10.0.0.8"))
        .as("another sender behind the same port")
        .isEqualTo(1);
    assertThat(solicitations("s2/1", "10.0.0.9")).as("another port").isEqualTo(1);
  }

  @Test
  void packetsToUnknownAddressesUseTheSameBudget() {
    for (int i = 0; i < 3000; i++) {
      fabric.receive("s1/1", Frames.packet(MAC1, "10.0.0.1", unknown(i)));
    }

    assertThat(arps("s2/1")).hasSize(PuntBudget.SENDER_BURST);
  }

  @Test
  void senderFarOverBudgetIsDroppedByItsSwitchAndReported() {
    for (int i = 0; i < 3000; i++) {
      fabric.receive("s1/1", Frames.question(MAC1, "10.0.0.1", unknown(i)));
    }

    fabric.until(
        () ->
            assertThat(fabric.tables().rules("s1"))
                .filteredOn(rule -> rule.contains("eth_src=02:00:00:00:01:01"))
                .hasSize(4)
                .allMatch(rule -> rule.contains("in_port=1,") && rule.endsWith("drop"))
                .anyMatch(rule -> rule.startsWith("0/46000") && rule.contains("arp_op=1"))
                .anyMatch(rule -> rule.startsWith("0/46000") && rule.contains("icmpv6_type=135"))
                .anyMatch(rule -> rule.startsWith("1/00002") && rule.contains("ipv4"))
                .anyMatch(rule -> rule.startsWith("1/00002") && rule.contains("ipv6")));
    assertThat(fabric.tables().rules("s2")).noneMatch(rule -> rule.contains("eth_src"));
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
    fabric.receive("s1/1", Frames.question(MAC1, "10.0.0.1", "10.0.0.5"));
    for (int i = 0; i < PuntBudget.ANSWERS_PAUSE_AT / 2; i++) {
      byte[] question = Frames.question(MAC1, "10.0.0.1", "10.0.0.5");
      fabric.receive("s2/1", Frames.answer(MAC5, "10.0.0.5", question));
      fabric.receive("s2/1", Frames.solicitation(MAC5, "fd00::5", "fe80::" + i));
    }
    fabric.clearEmitted();

    fabric.receive("s2/1", Frames.question(MAC5, "10.0.0.5", "10.0.0.9"));

    assertThat(solicitations("s1/2", "10.0.0.9")).isEqualTo(1);
    assertThat(fabric.tables().rules("s2")).noneMatch(rule -> rule.contains("eth_src"));
  }

  @Test
  void linkLocalAndUnroutableAddressesAreNotLearned() {
    for (int i = 1; i <= 100; i++) {
      fabric.receive(
          "s1/1", Frames.solicitation(MAC1, "fe80::" + Integer.toHexString(i), "fd00::5"));
    }
    fabric.receive("s1/1", Frames.question(MAC1, "169.254.0.7", "10.0.0.5"));
    fabric.receive("s1/1", Frames.question(MAC1, "127.0.0.1", "10.0.0.5"));
    fabric.receive("s1/1", Frames.packet(MAC1, "255.255.255.255", "10.0.0.5"));

    assertThat(node.plane().attachments().all()).isEmpty();
  }

  @Test
  void addressesThatNoAgentReportsAreLimitedPerPort() {
    node.set("addressesPerPort", 3);
    node.link().connect(hello("h5", endpoint("h5/vm0", MAC5, "10.0.0.5")));
    for (int i = 0; i < 50; i++) {
      fabric.receive("s1/1", Frames.question(MAC1, unknown(i), "10.0.0.9"));
    }

    assertThat(node.plane().attachments().all())
        .hasSize(3)
        .containsOnlyKeys(
            IpAddress.parse(unknown(0)), IpAddress.parse(unknown(1)), IpAddress.parse(unknown(2)));
    fabric.receive("s1/1", Frames.question(MAC5, "10.0.0.5", "10.0.0.9"));
    fabric.receive("s1/2", Frames.question(MAC2, "10.0.0.2", "10.0.0.9"));
    assertThat(node.plane().attachments().locate(IpAddress.parse("10.0.0.5")))
        .contains(port("s1/1"));
    assertThat(node.plane().attachments().locate(IpAddress.parse("10.0.0.2")))
        .contains(port("s1/2"));
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
    node.link().connect(hello("h5", endpoint("h5/vm0", MAC5, "10.0.0.5")));
    fabric.receive("s2/1", Frames.question(MAC5, "10.0.0.5", "10.0.0.5"));

    fabric.receive("s1/1", Frames.question(MAC1, "10.0.0.1", "10.0.0.9"));
    assertThat(solicitations("s1/2", "10.0.0.9")).isEqualTo(1);
    assertThat(solicitations("s2/1", "10.0.0.9")).isZero();

    fabric.receive("s1/2", Frames.question(MAC2, "10.0.0.2", "10.0.0.9"));
    assertThat(solicitations("s2/1", "10.0.0.9")).isEqualTo(1);
  }

  @Test
  void replyIsHeldUntilItsRequestersLocationArrives() {
    byte[] question = Frames.question(MAC1, "10.0.0.1", "10.0.0.5");
    fabric.receive("s2/1", Frames.answer(MAC5, "10.0.0.5", question));
    assertThat(arps("s1/1")).isEmpty();

    node.plane()
        .attachments()
        .learn(IpAddress.parse("10.0.0.1"), port("s1/1")); // Another node's news.

    fabric.until(() -> assertThat(arps("s1/1")).hasSize(1));
  }

  @Test
  void firstPacketIsHeldWhileItsDestinationIsResolved() {
    fabric.receive("s1/1", Frames.packet(MAC1, "10.0.0.1", "10.0.0.5"));
    byte[] probe = fabric.emittedAt("s2/1").get(0);
    fabric.receive("s2/1", Frames.answer(MAC5, "10.0.0.5", probe));

    fabric.until(
        () ->
            assertThat(fabric.emittedAt("s2/1"))
                .anyMatch(frame -> Frames.type(frame) == EthernetFrame.TYPE_IPV4));
  }

  @Test
  void linkLocalRequesterReceivesItsReply() {
    byte[] question = Frames.solicitation(MAC1, "fe80::1", "fd00::5");
    fabric.receive("s1/1", question);
    fabric.receive("s2/1", Frames.advertisement(MAC5, question));

    assertThat(fabric.emittedAt("s1/1"))
        .anySatisfy(
            frame -> {
              NeighbourMessage answer = Frames.message(frame);
              assertThat(answer.isQuestion()).isFalse();
              assertThat(answer.target()).isEqualTo(IpAddress.parse("fe80::1"));
            });
    assertThat(node.plane().attachments().locate(IpAddress.parse("fe80::1"))).isEmpty();
  }

  @Test
  void portWithAReplyingEndpointStaysAnEdgePortDespiteADiscoveredLink() {
    node.link().connect(hello("h1", endpoint("h1/vm0", MAC1, "10.0.0.1")));
    fabric.until(() -> assertThat(arps("s1/1")).isNotEmpty());
    fabric.receive("s1/1", Frames.answer(MAC1, "10.0.0.1", fabric.emittedAt("s1/1").get(0)));

    fabric.link("s1/1", "s2/1"); // Relayed by VMs behind both ports.

    fabric.until(() -> assertThat(node.plane().topology().refusedLinks()).hasSize(1));
    assertThat(node.plane().topology().interSwitchPorts()).containsOnly(port("s1/5"), port("s2/5"));
    assertThat(node.plane().attachments().locate(IpAddress.parse("10.0.0.1")))
        .contains(port("s1/1"));
    assertThat(node.service(DoctorService.class).examine())
        .anyMatch(
            finding ->
                finding.severity() == Finding.Severity.ERROR
                    && finding.about().equals("of:0000000000000001/1")
                    && finding.what().contains("probes are relayed there"));
  }

  @Test
  void relayedLinkIsRejectedOnceAnEndpointReplies() {
    fabric.link("s1/1", "s2/1");
    fabric.until(
        () -> assertThat(node.plane().topology().interSwitchPorts()).contains(port("s1/1")));
    node.link().connect(hello("h1", endpoint("h1/vm0", MAC1, "10.0.0.1")));
    fabric.until(() -> assertThat(arps("s1/1")).isNotEmpty());

    fabric.receive("s1/1", Frames.answer(MAC1, "10.0.0.1", fabric.emittedAt("s1/1").get(0)));

    fabric.until(
        () -> assertThat(node.plane().topology().interSwitchPorts()).doesNotContain(port("s1/1")));
  }

  @Test
  void onlyAReplyToThePortsOwnProbeMakesItAnEdgePort() {
    node.link().connect(hello("h1", endpoint("h1/vm0", MAC1, "10.0.0.1")));
    fabric.until(
        () -> {
          assertThat(arps("s1/1")).isNotEmpty();
          assertThat(arps("s2/5")).isNotEmpty();
        });
    byte[] probeAtTheEdge = fabric.emittedAt("s1/1").get(0);
    byte[] probeAtTheLink = fabric.emittedAt("s2/5").get(0);
    byte[] crafted = Frames.answerTo(IpAddress.parse("10.0.0.5"), MAC1, "10.0.0.1", probeAtTheLink);

    fabric.receive("s2/5", Frames.answer(MAC1, "10.0.0.1", probeAtTheEdge));
    fabric.receive("s2/5", crafted);
    fabric.receive("s2/5", Frames.answer(MAC2, "10.0.0.1", probeAtTheLink));
    fabric.receive("s2/5", Frames.question(MAC1, "10.0.0.1", "10.0.0.5"));

    assertThat(node.plane().proofs().ports()).isEmpty();
  }

  @Test
  void rejectedLinkReturnsWhenItsEndpointRepliesAtAnotherPort() {
    fabric.connect("s1", 3);
    fabric.connect("s3", 1, 2);
    node.link().connect(hello("h1", endpoint("h1/vm0", MAC1, "10.0.0.1")));
    // Without a controller s3 passes everything on, and what is behind it seems to be behind s1/3.
    fabric.until(() -> assertThat(arps("s1/3")).isNotEmpty());
    fabric.receive("s1/3", Frames.answer(MAC1, "10.0.0.1", fabric.emittedAt("s1/3").get(0)));
    fabric.link("s1/3", "s3/2");
    fabric.until(() -> assertThat(node.plane().topology().refusedLinks()).hasSize(1));

    fabric.clearEmitted();
    fabric.until(() -> assertThat(arps("s3/1")).isNotEmpty());
    fabric.receive("s3/1", Frames.answer(MAC1, "10.0.0.1", fabric.emittedAt("s3/1").get(0)));

    fabric.until(
        () -> assertThat(node.plane().topology().interSwitchPorts()).contains(port("s1/3")));
    assertThat(node.plane().attachments().locate(IpAddress.parse("10.0.0.1")))
        .contains(port("s3/1"));
  }
}
