// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.certificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.core.testing.Samples.peerKey;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.link.AuthorityKey;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.DownlinkMessage.Kind;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.PeerCertificate;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.link.UplinkMessage;
import org.sluice.core.setting.Topics;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

/** What a cluster of two nodes certifies to hosts. */
class PeerCertifierTest {
  private static final HostId H1 = HostId.of("h1");
  private static final HostId H2 = HostId.of("h2");
  private static final IpAddress IP = IpAddress.parse("10.0.0.1");
  private static final ReportedEndpoint VM1 =
      endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1", "fd00::1");
  private static final HostHello HELLO1 = hello("h1", VM1).withPeerPublicKey(peerKey(1));
  private static final HostHello HELLO2 =
      hello("h2", endpoint("h2/vm0", "02:00:00:00:01:02", "10.0.0.2"))
          .withPeerPublicKey(peerKey(2));

  private final MemoryNetwork network = new MemoryNetwork();
  private MemoryNode first;
  private MemoryNode second;

  @BeforeEach
  void start() {
    first = new MemoryNode(network, "n1").start();
    second = new MemoryNode(network, "n2").start();
    network.elect(Topics.CLUSTER, "n1");
    soon();
  }

  private void soon() {
    network.time.advanceMillis(10);
  }

  /** Keys age by the clock on the wall: nodes need not run through all ticks of an hour. */
  private void almostRotate() {
    long millis = PeerAuthority.ROTATION_MILLIS - 30_000;
    network.time.stepWallClock(TimeUnit.MILLISECONDS.toMicros(millis));
  }

  private void connect(HostHello hello) {
    first.link.connect(hello);
    second.link.connect(hello);
    soon();
  }

  private void nowHas(HostId host, ReportedEndpoint... endpoints) {
    UplinkMessage message =
        UplinkMessage.ofEvent(
            HostEvent.of(host, HostEvent.Kind.ENDPOINTS_CHANGED, "", List.of(endpoints)));
    first.link.report(message);
    second.link.report(message);
    soon();
  }

  private static List<PeerCertificate> certificates(MemoryNode node, HostId host) {
    return node.link.listedTo(host, Kind.PEER_CERTIFICATES, DownlinkMessage::peerCertificates);
  }

  private static List<PeerCertificate> of(List<PeerCertificate> certificates, IpAddress ip) {
    return certificates.stream()
        .filter(certificate -> certificate.ip().equals(ip))
        .collect(Collectors.toList());
  }

  private static List<AuthorityKey> authority(MemoryNode node, HostId host) {
    List<List<AuthorityKey>> sent =
        node.link.sentTo(host, Kind.PEER_AUTHORITY, DownlinkMessage::peerAuthority);
    return sent.get(sent.size() - 1);
  }

  @Test
  void leaderCertifiesEachAddressOfAHostOnce() {
    connect(HELLO1);
    connect(HELLO2);
    nowHas(H2, endpoint("h2/vm0", "02:00:00:00:01:02", "10.0.0.2", "10.0.0.3"));

    assertThat(certificates(first, H1))
        .extracting(PeerCertificate::ip)
        .containsExactlyInAnyOrder(IP, IpAddress.parse("fd00::1"));
    assertThat(certificates(first, H2))
        .extracting(PeerCertificate::ip)
        .containsExactly(IpAddress.parse("10.0.0.2"), IpAddress.parse("10.0.0.3"));
    assertThat(certificates(first, H1))
        .allSatisfy(
            certificate -> {
              assertThat(certificate.key()).isEqualTo(peerKey(1));
              assertThat(PeerAuthorityTest.isGood(certificate, authority(first, H1).get(0)))
                  .isTrue();
            });
    assertThat(certificates(second, H1)).isEmpty();
    assertThat(authority(first, H2)).isEqualTo(authority(first, H1));
  }

  @Test
  void addressOfAnotherHostIsNotCertified() {
    connect(HELLO1);
    connect(HELLO2);
    nowHas(H2, endpoint("h2/vm0", "02:00:00:00:01:02", "10.0.0.1", "10.0.0.2"));

    assertThat(of(certificates(first, H2), IP)).isEmpty();
    assertThat(of(certificates(first, H1), IP)).hasSize(1);
  }

  /** What a node gives somebody only until the cluster has decided is not certified. */
  @Test
  void undecidedClaimIsNotCertified() {
    connect(HELLO1);
    first.link.sent.clear();
    network.storage.setAvailable(false);
    nowHas(H1, VM1, endpoint("h1/vm1", "02:00:00:00:01:03", "10.0.0.9"));
    network.time.advanceMillis(60_000);
    assertThat(certificates(first, H1)).isEmpty();

    network.storage.setAvailable(true);
    network.time.advanceMillis(60_000);
    assertThat(of(certificates(first, H1), IpAddress.parse("10.0.0.9"))).hasSize(1);
  }

  @Test
  void movedAddressGetsALaterCertificate() {
    connect(HELLO1);
    connect(HELLO2);
    nowHas(H1);
    nowHas(H2, endpoint("h2/vm0", "02:00:00:00:01:01", "10.0.0.1"));
    nowHas(H2);
    nowHas(H1, VM1);

    PeerCertificate before = of(certificates(first, H1), IP).get(0);
    PeerCertificate there = of(certificates(first, H2), IP).get(0);
    PeerCertificate again = of(certificates(first, H1), IP).get(1);
    assertThat(there.key()).isEqualTo(peerKey(2));
    assertThat(there.issuedMillis()).isGreaterThan(before.issuedMillis());
    assertThat(again.issuedMillis()).isGreaterThan(there.issuedMillis());
  }

  @Test
  void newSessionKeepsCertificatesAndRestartedAgentGetsNewOnes() {
    connect(HELLO1);
    connect(HELLO1);
    List<PeerCertificate> twice = of(certificates(first, H1), IP);
    assertThat(twice).hasSize(2);
    assertThat(twice.get(1)).isEqualTo(twice.get(0));

    connect(hello("h1", VM1).withPeerPublicKey(peerKey(3)));
    List<PeerCertificate> thrice = of(certificates(first, H1), IP);
    assertThat(thrice).hasSize(3);
    assertThat(thrice.get(2).key()).isEqualTo(peerKey(3));
    assertThat(thrice.get(2).issuedMillis()).isGreaterThan(thrice.get(0).issuedMillis());
  }

  @Test
  void agentWithoutPublicKeyGetsNoCertificate() {
    connect(hello("h1", VM1));
    assertThat(certificates(first, H1)).isEmpty();
  }

  @Test
  void rotationReissuesCertificates() {
    connect(HELLO1);
    almostRotate();
    network.time.advanceMillis(20_000);
    assertThat(of(certificates(first, H1), IP)).as("before an hour").hasSize(1);
    network.time.advanceMillis(30_000);

    List<PeerCertificate> all = of(certificates(first, H1), IP);
    assertThat(all).hasSize(2);
    List<AuthorityKey> keys = authority(first, H1);
    assertThat(keys).hasSize(2);
    assertThat(PeerAuthorityTest.isGood(all.get(1), keys.get(0))).isTrue();
    assertThat(PeerAuthorityTest.isGood(all.get(0), keys.get(1))).isTrue();
    assertThat(first.link.sent)
        .filteredOn(sent -> sent.host.equals(H1))
        .extracting(sent -> sent.message.kind())
        .filteredOn(kind -> kind == Kind.PEER_AUTHORITY || kind == Kind.PEER_CERTIFICATES)
        .as("agents know a key before they get certificates by it")
        .containsExactly(
            Kind.PEER_AUTHORITY,
            Kind.PEER_CERTIFICATES,
            Kind.PEER_AUTHORITY,
            Kind.PEER_CERTIFICATES);
  }

  @Test
  void nextLeaderIssuesLaterCertificatesByTheSameKey() {
    connect(HELLO1);
    network.elect(Topics.CLUSTER, "n2");
    soon();

    PeerCertificate before = of(certificates(first, H1), IP).get(0);
    PeerCertificate now = of(certificates(second, H1), IP).get(0);
    assertThat(now.issuedMillis()).isGreaterThan(before.issuedMillis());
    assertThat(now.authorityKeyId()).isEqualTo(before.authorityKeyId());
    assertThat(authority(second, H1)).isEqualTo(authority(first, H1));

    network.elect(Topics.CLUSTER, "n1");
    soon();
    List<PeerCertificate> again = of(certificates(first, H1), IP);
    assertThat(again.get(again.size() - 1).issuedMillis()).isGreaterThan(now.issuedMillis());
  }

  @Test
  void certificationInBatchesDelaysNoOtherHost() {
    ReportedEndpoint[] many = new ReportedEndpoint[100];
    for (int i = 0; i < many.length; i++) {
      many[i] = endpoint("h1/vm" + i, String.format("02:00:00:00:02:%02x", i), "10.0.1." + i);
    }
    connect(hello("h1", many).withPeerPublicKey(peerKey(1)));
    connect(HELLO2);
    assertThat(certificates(first, H1)).as("not all yet").hasSizeLessThan(100);
    assertThat(certificates(first, H2)).as("that has fewer").hasSize(1);

    network.time.advanceMillis(1_000);
    List<List<PeerCertificate>> sent =
        first.link.sentTo(H1, Kind.PEER_CERTIFICATES, DownlinkMessage::peerCertificates);
    assertThat(sent).hasSizeGreaterThan(2);
    assertThat(sent).allSatisfy(part -> assertThat(part).hasSizeLessThanOrEqualTo(32));
    assertThat(certificates(first, H1)).hasSize(100);
  }

  @Test
  void newAddressIsCertifiedBeforeReissues() {
    ReportedEndpoint[] many = new ReportedEndpoint[200];
    for (int i = 0; i < many.length; i++) {
      many[i] = endpoint("h1/vm" + i, String.format("02:00:00:00:02:%02x", i), "10.0.1." + i);
    }
    connect(hello("h1", many).withPeerPublicKey(peerKey(1)));
    network.time.advanceMillis(1_000);
    List<AuthorityKey> before = authority(first, H1);
    almostRotate();
    network.time.until(() -> !authority(first, H1).equals(before), 50_000);
    connect(HELLO2);

    int newKey = authority(first, H1).get(0).id();
    assertThat(certificates(first, H2))
        .extracting(PeerCertificate::authorityKeyId)
        .containsExactly(newKey);
    assertThat(renewed(newKey)).isLessThan(200);
    network.time.advanceMillis(1_000);
    assertThat(renewed(newKey)).isEqualTo(200);
  }

  private long renewed(int keyId) {
    return certificates(first, H1).stream()
        .filter(certificate -> certificate.authorityKeyId() == keyId)
        .count();
  }

  @Test
  void withdrawalDeletesTheKeys() {
    connect(HELLO1);
    first.settings.withdraw();
    network.time.advanceMillis(60_000);
    assertThat(new PeerAuthority(network.storage, () -> 1).newest()).isEmpty();
  }
}
