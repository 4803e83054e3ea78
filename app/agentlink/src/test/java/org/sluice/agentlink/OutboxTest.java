// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sluice.agentlink.proto.ControllerMessage;
import org.sluice.agentlink.proto.ControllerMessage.BodyCase;
import org.sluice.agentlink.proto.PeerCertificates;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.Law;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.FlowAnswer;
import org.sluice.api.link.HostSettings;
import org.sluice.api.link.Notice;
import org.sluice.api.link.PeerCertificate;
import org.sluice.api.link.PeerPublicKey;
import org.sluice.api.link.UnitShare;
import org.sluice.api.link.WindowGrant;

class OutboxTest {
  private static final PortId P1 = PortId.of("of:01", 1);
  private static final PortId P2 = PortId.of("of:01", 2);

  private final HostCounters counters = new HostCounters();
  private final Outbox outbox = new Outbox(counters);

  @Test
  void onlyTheNewestShareOfAPortIsQueued() {
    outbox.add(1, DownlinkMessage.ofUnitShares(List.of(share(P1, 10), share(P2, 20))));
    outbox.add(1, DownlinkMessage.ofUnitShares(List.of(share(P1, 11))));
    ControllerMessage message = outbox.poll().build();
    assertThat(message.getUnitShares().getSharesList())
        .extracting(s -> s.getPort() + "=" + s.getUnitShareBitsPerSecond())
        .containsExactly("of:01/2=20", "of:01/1=11");
    assertThat(outbox.poll()).isNull();
    assertThat(counters.supersededItems.sum()).isEqualTo(1);
    assertThat(counters.droppedItems.sum()).isZero();
  }

  @Test
  void onlyTheNewestCertificateOfAnAddressIsQueuedAndEachKeyHasItsOwnMessage() {
    outbox.add(
        1,
        DownlinkMessage.ofPeerCertificates(
            List.of(certificate("10.0.0.1", 1, 5), certificate("10.0.0.2", 1, 6))));
    outbox.add(
        1,
        DownlinkMessage.ofPeerCertificates(
            List.of(certificate("10.0.0.3", 2, 7), certificate("10.0.0.1", 2, 8))));

    PeerCertificates first = outbox.poll().build().getPeerCertificates();
    assertThat(first.getPeerPublicKey().byteAt(0)).isEqualTo((byte) 1);
    assertThat(first.getCertificatesList())
        .extracting(org.sluice.agentlink.proto.PeerCertificate::getIssuedMillis)
        .containsExactly(6L);
    PeerCertificates second = outbox.poll().build().getPeerCertificates();
    assertThat(second.getPeerPublicKey().byteAt(0)).isEqualTo((byte) 2);
    assertThat(second.getCertificatesList())
        .extracting(org.sluice.agentlink.proto.PeerCertificate::getIssuedMillis)
        .containsExactly(7L, 8L);
    assertThat(outbox.poll()).isNull();
    assertThat(counters.supersededItems.sum()).isEqualTo(1);
  }

  @Test
  void queuedCertificatesAreBoundedAndSentInSeveralMessages() {
    for (int i = 0; i <= CertificateOutbox.MAX_CERTIFICATES; i++) {
      String ip = "10.0." + i / 256 + "." + i % 256;
      outbox.add(1, DownlinkMessage.ofPeerCertificates(List.of(certificate(ip, 1, i))));
    }
    assertThat(counters.droppedItems.sum()).isEqualTo(1);
    PeerCertificates first = outbox.poll().build().getPeerCertificates();
    assertThat(first.getCertificatesCount()).isEqualTo(CertificateOutbox.MAX_IN_A_MESSAGE);
    assertThat(first.getCertificates(0).getIssuedMillis()).isEqualTo(1);
  }

  private static PeerCertificate certificate(String ip, int key, long issuedMillis) {
    byte[] bytes = new byte[PeerPublicKey.BYTES];
    bytes[0] = (byte) key;
    return PeerCertificate.of(
        IpAddress.parse(ip),
        PeerPublicKey.of(bytes),
        1,
        issuedMillis,
        new byte[PeerCertificate.SIGNATURE_BYTES]);
  }

  @Test
  void sharesOfDifferentTermsAreSentTogether() {
    outbox.add(3, DownlinkMessage.ofUnitShares(List.of(share(P1, 10))));
    outbox.add(5, DownlinkMessage.ofUnitShares(List.of(share(P2, 20))));
    ControllerMessage message = outbox.poll().build();
    assertThat(message.getTerm()).isEqualTo(5);
    assertThat(message.getUnitShares().getSharesList())
        .extracting(share -> share.getPort() + " in " + share.getTerm())
        .containsExactly("of:01/1 in 3", "of:01/2 in 5");
    assertThat(outbox.poll()).isNull();
  }

  @Test
  void decisionOfAnEarlierTermDoesNotReplaceALaterOne() {
    outbox.add(7, DownlinkMessage.ofSettings(HostSettings.of(true, Law.SDN_GCC, 1, 1)));
    outbox.add(6, DownlinkMessage.ofSettings(HostSettings.of(false, Law.SDN_GCC, 1, 1)));
    assertThat(outbox.poll().getSettings().getEnforcement()).isTrue();
    assertThat(outbox.poll()).isNull();
  }

  @Test
  void oldestNoticesAreDroppedFirst() {
    for (int i = 1; i <= Outbox.MAX_NOTICES + 3; i++) {
      outbox.add(1, DownlinkMessage.ofNotices(List.of(notice(i))));
    }
    assertThat(counters.droppedItems.sum()).isEqualTo(3);
    assertThat(outbox.poll().getNotices().getNotices(0).getMarks()).isEqualTo(4);
  }

  @Test
  void queuedPortsAreBounded() {
    for (int i = 0; i <= Outbox.MAX_PORTS; i++) {
      outbox.add(1, DownlinkMessage.ofUnitShares(List.of(share(PortId.of("of:01", i), i))));
    }
    assertThat(counters.droppedItems.sum()).isEqualTo(1);
    assertThat(outbox.poll().getUnitShares().getSharesCount()).isEqualTo(Outbox.MAX_PORTS);
  }

  @Test
  void stateIsSentBeforeNoticesAndReplacesALeaseRenewal() {
    outbox.leaseRenewal();
    outbox.add(1, DownlinkMessage.ofNotices(List.of(notice(1))));
    outbox.add(1, DownlinkMessage.ofUnitShares(List.of(share(P1, 1))));
    outbox.welcome("test");
    assertThat(outbox.poll().getBodyCase()).isEqualTo(BodyCase.WELCOME);
    assertThat(outbox.poll().getBodyCase()).isEqualTo(BodyCase.UNIT_SHARES);
    assertThat(outbox.poll().getBodyCase()).isEqualTo(BodyCase.NOTICES);
    assertThat(outbox.poll()).isNull();
    outbox.leaseRenewal();
    assertThat(outbox.poll().getBodyCase()).isEqualTo(BodyCase.LEASE_RENEWAL);
  }

  @Test
  void onlyTheNewestWindowOfAFlowIsQueuedAndIsSentBeforeShares() {
    outbox.add(1, DownlinkMessage.ofUnitShares(List.of(share(P1, 1))));
    outbox.add(2, DownlinkMessage.ofWindowGrants(List.of(grant(1, 100), grant(2, 200))));
    outbox.add(2, DownlinkMessage.ofWindowGrants(List.of(grant(1, WindowGrant.RELEASED))));
    outbox.add(1, DownlinkMessage.ofWindowGrants(List.of(grant(2, 300))));
    outbox.add(1, DownlinkMessage.ofWindowGrants(List.of(grant(3, 300))));
    assertThat(outbox.poll().getGrants().getGrantsList())
        .extracting(g -> g.getFlow().getSourcePort() + "=" + g.getWindowBytes())
        .containsExactlyInAnyOrder("1=0", "2=200");
    ControllerMessage.Builder other = outbox.poll();
    assertThat(other.getTerm()).isEqualTo(1);
    assertThat(other.getGrants().getGrantsCount()).isEqualTo(1);
    assertThat(outbox.poll().getBodyCase()).isEqualTo(BodyCase.UNIT_SHARES);
  }

  @Test
  void queuedFlowsAreBounded() {
    for (int i = 0; i <= FlowOutbox.MAX_GRANTS; i++) {
      FlowKey flow = FlowKey.of(IpAddress.parse("10.0.0." + (i >> 16)), i & 0xffff, RECEIVER, 5001);
      outbox.add(1, DownlinkMessage.ofWindowGrants(List.of(WindowGrant.of(flow, 1))));
    }
    assertThat(counters.droppedItems.sum()).isEqualTo(1);
    for (int i = 0; i <= FlowOutbox.MAX_ANSWERS; i++) {
      outbox.add(1, DownlinkMessage.ofFlowAnswer(FlowAnswer.removed(i, true)));
    }
    assertThat(counters.droppedItems.sum()).isEqualTo(2);
  }

  private static final IpAddress RECEIVER = IpAddress.parse("10.0.1.5");

  private static WindowGrant grant(int port, long window) {
    return WindowGrant.of(FlowKey.of(IpAddress.parse("10.0.0.1"), port, RECEIVER, 5001), window);
  }

  private static UnitShare share(PortId port, long rate) {
    return UnitShare.of(port, rate, 100, 1, false, List.of());
  }

  private static Notice notice(double marks) {
    EndpointId endpoint = EndpointId.of(HostId.of("h1"), "vm0");
    return Notice.of(P1, endpoint, marks, 1, 1, 1, Set.of());
  }
}
