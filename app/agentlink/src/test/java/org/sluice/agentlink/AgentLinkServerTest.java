// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.agentlink.proto.AgentMessage;
import org.sluice.agentlink.proto.ControllerMessage;
import org.sluice.agentlink.proto.ControllerMessage.BodyCase;
import org.sluice.agentlink.proto.Endpoint;
import org.sluice.agentlink.proto.EndpointMetadata;
import org.sluice.agentlink.proto.Event;
import org.sluice.agentlink.proto.NoticeKey;
import org.sluice.agentlink.proto.Observation;
import org.sluice.agentlink.proto.PairSample;
import org.sluice.agentlink.proto.PeerCertificates;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.Law;
import org.sluice.api.PortId;
import org.sluice.api.TenantId;
import org.sluice.api.link.AuthorityKey;
import org.sluice.api.link.ControlledEndpoint;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.HostSettings;
import org.sluice.api.link.LinkKey;
import org.sluice.api.link.Notice;
import org.sluice.api.link.PeerCertificate;
import org.sluice.api.link.PeerPublicKey;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.link.UnitShare;

@Timeout(60)
class AgentLinkServerTest {
  private static final HostId H1 = HostId.of("h1");
  private static final EndpointId VM = EndpointId.of(H1, "vm0");
  private static final PortId PORT = PortId.parse("of:0000000000000001/5");

  @TempDir Path directory;
  private TestLink test;
  private AgentLinkServer link;
  private RecordingListener listener;

  @BeforeEach
  void startLink() throws Exception {
    test = new TestLink(directory);
    link = test.server;
    listener = test.listener;
  }

  @AfterEach
  void closeLink() {
    test.close();
  }

  // ------------------------------------------------------------ messages

  @Test
  void sendsWelcomeAndThenTheListenersDecisions() throws Exception {
    link.addListener(
        new RecordingListener() {
          @Override
          public void sessionOpened(HostHello hello) {
            link.send(
                hello.host(),
                3,
                DownlinkMessage.ofProfiles(
                    List.of(EndpointProfile.of(VM, TenantId.of("t1"), 2, 10, 20, true))));
          }
        });
    try (TestAgent agent = test.agent(test.h1)) {
      agent.send(TestAgent.hello("h1"));
      ControllerMessage welcome = agent.next();
      assertThat(welcome.getBodyCase()).isEqualTo(BodyCase.WELCOME);
      assertThat(welcome.getWelcome().getProtocolVersion()).isEqualTo(1);
      assertThat(welcome.getNode()).isEqualTo("node-1");
      assertThat(welcome.getLeaseMillis()).isEqualTo(TestLink.LEASE_MILLIS);
      ControllerMessage policies = agent.next();
      assertThat(policies.getTerm()).isEqualTo(3);
      assertThat(policies.getSequence()).isGreaterThan(welcome.getSequence());
      org.sluice.agentlink.proto.EndpointPolicy policy = policies.getPolicies().getEndpoints(0);
      assertThat(policy.getInterface()).isEqualTo("vm0");
      assertThat(policy.getTenant()).isEqualTo("t1");
      assertThat(policy.getWeight()).isEqualTo(2);
      assertThat(policy.getGuaranteeBitsPerSecond()).isEqualTo(10);
      assertThat(policy.getCeilingBitsPerSecond()).isEqualTo(20);
      assertThat(policy.getPreserveEcn()).isTrue();

      HostHello hello = listener.next(HostHello.class);
      assertThat(hello.host()).isEqualTo(H1);
      assertThat(hello.uplinkCapacityBitsPerSecond()).isEqualTo(50_000_000);
      assertThat(hello.certificateNotAfter()).contains(test.pki.notAfter(test.h1));
      assertThat(hello.endpoints().get(0).ips()).containsExactly(IpAddress.parse("10.0.0.1"));
    }
  }

  @Test
  void sendsEveryKindOfDecision() throws Exception {
    try (TestAgent agent = test.greeted()) {
      IpAddress far = IpAddress.parse("10.0.0.5");
      link.send(
          H1,
          4,
          DownlinkMessage.ofUnitShares(
              List.of(
                  UnitShare.of(
                      PORT,
                      12,
                      50,
                      4,
                      false,
                      List.of(
                          ControlledEndpoint.of(VM, Set.of(far), OptionalLong.of(0)),
                          ControlledEndpoint.of(VM, Set.of(far)))))));
      org.sluice.agentlink.proto.UnitShare share =
          agent.next(BodyCase.UNIT_SHARES).getUnitShares().getShares(0);
      assertThat(share.getPort()).isEqualTo(PORT.toString());
      assertThat(share.getUnitShareBitsPerSecond()).isEqualTo(12);
      assertThat(share.getCapacityBitsPerSecond()).isEqualTo(50);
      assertThat(share.getActiveWeight()).isEqualTo(4);
      assertThat(share.getEndpoints(0).getDestinations(0)).isEqualTo(TestAgent.ip(10, 0, 0, 5));
      assertThat(share.getEndpoints(0).hasFloorBitsPerSecond()).isTrue();
      assertThat(share.getEndpoints(0).getFloorBitsPerSecond()).isZero();
      assertThat(share.getEndpoints(1).hasFloorBitsPerSecond()).isFalse();

      link.send(
          H1,
          4,
          DownlinkMessage.ofNotices(
              List.of(Notice.of(PORT, VM, 2.5, 5_000_000, 12, 50, Set.of(far), 7.5))));
      org.sluice.agentlink.proto.Notice notice =
          agent.next(BodyCase.NOTICES).getNotices().getNotices(0);
      assertThat(notice.getMarks()).isEqualTo(2.5);
      assertThat(notice.getPeriodNanos()).isEqualTo(5_000_000);
      assertThat(notice.getPackets()).isEqualTo(7.5);

      link.send(
          H1,
          4,
          DownlinkMessage.ofSettings(
              HostSettings.of(
                  true, Law.SDN_GCC, 5000, 2500, true, HostSettings.NoticeTransport.IN_BAND_V1)));
      org.sluice.agentlink.proto.HostSettings settings =
          agent.next(BodyCase.SETTINGS).getSettings();
      assertThat(settings.getEnforcement()).isTrue();
      assertThat(settings.getLaw())
          .isEqualTo(org.sluice.agentlink.proto.HostSettings.Law.LAW_SDN_GCC);
      assertThat(settings.getControlPeriodMicros()).isEqualTo(5000);
      assertThat(settings.getNoticesAlone()).isTrue();
      assertThat(settings.getNoticeTransport())
          .isEqualTo(
              org.sluice.agentlink.proto.HostSettings.NoticeTransport.NOTICE_TRANSPORT_IN_BAND_V1);

      byte[] point = new byte[AuthorityKey.POINT_BYTES];
      point[64] = 6;
      link.send(H1, 4, DownlinkMessage.ofPeerAuthority(List.of(AuthorityKey.of(8, point))));
      org.sluice.agentlink.proto.AuthorityKey authority =
          agent.next(BodyCase.PEER_AUTHORITY).getPeerAuthority().getKeys(0);
      assertThat(authority.getKeyId()).isEqualTo(8);
      assertThat(authority.getPublicKey().toByteArray()).isEqualTo(point);

      byte[] key = new byte[PeerPublicKey.BYTES];
      key[0] = 9;
      byte[] signature = new byte[PeerCertificate.SIGNATURE_BYTES];
      signature[1] = 7;
      link.send(
          H1,
          4,
          DownlinkMessage.ofPeerCertificates(
              List.of(PeerCertificate.of(far, PeerPublicKey.of(key), 8, 1234, signature))));
      PeerCertificates certificates = agent.next(BodyCase.PEER_CERTIFICATES).getPeerCertificates();
      assertThat(certificates.getPeerPublicKey().toByteArray()).isEqualTo(key);
      assertThat(certificates.getCertificates(0).getIp()).isEqualTo(TestAgent.ip(10, 0, 0, 5));
      assertThat(certificates.getCertificates(0).getKeyId()).isEqualTo(8);
      assertThat(certificates.getCertificates(0).getIssuedMillis()).isEqualTo(1234);
      assertThat(certificates.getCertificates(0).getSignature().toByteArray()).isEqualTo(signature);

      byte[] secret = new byte[32];
      secret[31] = 5;
      link.send(H1, 4, DownlinkMessage.ofNoticeKey(LinkKey.of(9, secret)));
      NoticeKey noticeKey = agent.next(BodyCase.NOTICE_KEY).getNoticeKey();
      assertThat(noticeKey.getKeyId()).isEqualTo(9);
      assertThat(noticeKey.getKey().toByteArray()).isEqualTo(secret);
    }
  }

  @Test
  void passesObservationsAndEventsOnInOrder() throws Exception {
    try (TestAgent agent = test.greeted()) {
      agent.send(observation());
      agent.send(
          AgentMessage.newBuilder()
              .setEvent(
                  Event.newBuilder()
                      .setKind(Event.Kind.KIND_SPOOFED)
                      .setDetail("vm0\n\u001b[31m")));
      HostObservation observation = listener.next(HostObservation.class);
      assertThat(observation.intervalNanos()).isEqualTo(2_500_000);
      assertThat(observation.pairs())
          .containsExactly(
              org.sluice.api.link.PairSample.of(
                  IpAddress.parse("10.0.0.5"), IpAddress.parse("10.0.0.1"), 0, 0, 100, 150_000, 9));
      HostEvent event = listener.next(HostEvent.class);
      assertThat(event.kind()).isEqualTo(HostEvent.Kind.SPOOFED);
      assertThat(event.detail()).isEqualTo("vm0??[31m");
    }
  }

  /** More than the transport may deliver at once, so that the others have to be requested. */
  @Test
  void keepsReceivingUnderLoad() throws Exception {
    try (TestAgent agent = test.greeted()) {
      for (int i = 0; i < 1000; i++) {
        agent.send(observation());
      }
      for (int i = 0; i < 1000; i++) {
        listener.next(HostObservation.class);
      }
    }
  }

  @Test
  void renewsTheLeaseInTime() throws Exception {
    try (TestAgent agent = test.greeted()) {
      long previous = System.nanoTime();
      for (int i = 0; i < 3; i++) {
        assertThat(agent.next().getBodyCase()).isEqualTo(BodyCase.LEASE_RENEWAL);
        long now = System.nanoTime();
        // A third is due; the lease itself is what must never pass, however busy this machine is.
        assertThat((now - previous) / 1_000_000).isLessThan(TestLink.LEASE_MILLIS);
        previous = now;
      }
    }
  }

  // ------------------------------------------------------------ coming and going

  @Test
  void aNewSessionReplacesTheOld() throws Exception {
    try (TestAgent first = test.greeted();
        TestAgent second = test.greeted()) {
      Status end = first.end();
      assertThat(end.getCode()).isEqualTo(Status.Code.ABORTED);
      assertThat(end.getDescription()).contains("newer session");
      link.send(H1, 1, DownlinkMessage.ofSettings(HostSettings.of(true, Law.SDN_GCC, 1, 1)));
      second.next(BodyCase.SETTINGS);
      assertThat(listener.receivedMore()).as("the host never disconnected").isFalse();
      assertThat(test.stats().sessions()).isEqualTo(2);
    }
    assertThat(listener.next(String.class)).isEqualTo("disconnected h1");
    assertThat(test.stats().connected()).isFalse();
  }

  @Test
  void sessionsGoOnWhileOthersBeginWithARenewedCertificate() throws Exception {
    try (TestAgent before = test.greeted()) {
      TestPki other = new TestPki(directory, "other"); // for agents to distinguish them
      TestPki.Identity renewed = other.server();
      Files.copy(renewed.certificate, test.config.certificateFile(), REPLACE_EXISTING);
      assertThatThrownBy(link::renewTls).hasMessageContaining("belongs to the certificate");
      Files.copy(renewed.key, test.config.keyFile(), REPLACE_EXISTING);
      link.renewTls();
      try (TestAgent after =
          new TestAgent(link.localPort(), other.authority, test.pki.host("h2"), true)) {
        after.send(TestAgent.hello("h2"));
        assertThat(after.next().getBodyCase()).isEqualTo(BodyCase.WELCOME);
        listener.next(HostHello.class);
        before.send(observation());
        listener.next(HostObservation.class);
        assertThat(before.isEnded()).isFalse();
      }
    }
  }

  @Test
  void detectsAnAgentThatClosesItsSession() throws Exception {
    try (TestAgent agent = test.greeted()) {
      agent.hangUp();
      assertThat(agent.end().isOk()).isTrue();
      assertThat(listener.next(String.class)).isEqualTo("disconnected h1");
    }
  }

  @Test
  void detectsAnAgentWhoseConnectionBreaks() throws Exception {
    try (TestAgent agent = test.greeted()) {
      agent.abort();
      assertThat(listener.next(String.class)).isEqualTo("disconnected h1");
    }
  }

  @Test
  void reportsConnectedHostsToALaterListener() throws Exception {
    try (TestAgent agent = test.greeted()) {
      agent.send(
          AgentMessage.newBuilder()
              .setEvent(
                  Event.newBuilder()
                      .setKind(Event.Kind.KIND_ENDPOINTS_CHANGED)
                      .addEndpoints(
                          Endpoint.newBuilder()
                              .setInterface("vm9")
                              .setMac(TestAgent.MAC)
                              .setMetadata(
                                  EndpointMetadata.newBuilder()
                                      .setNamespace("shop")
                                      .setVlan(100)
                                      .putLabels("app", "web")))));
      ReportedEndpoint changed = listener.next(HostEvent.class).endpoints().get(0);
      assertThat(changed.metadata().words())
          .containsExactly("namespace:shop", "label:app:web", "vlan:100");
      RecordingListener late = new RecordingListener();
      link.addListener(late);
      assertThat(late.next(HostHello.class).endpoints().get(0).id().interfaceName())
          .isEqualTo("vm9");
      link.removeListener(late);
      agent.hangUp();
      listener.next(String.class);
      assertThat(late.receivedMore()).isFalse();
    }
  }

  @Test
  void failingListenerDoesNotAffectOthers() throws Exception {
    link.addListener(
        new RecordingListener() {
          @Override
          public void observed(HostObservation observation) {
            throw new IllegalStateException("on purpose");
          }
        });
    RecordingListener after = new RecordingListener();
    link.addListener(after);
    try (TestAgent agent = test.greeted()) {
      after.next(HostHello.class);
      agent.send(observation());
      after.next(HostObservation.class);
      agent.send(observation());
      after.next(HostObservation.class);
    }
  }

  @Test
  void slowAgentReceivesTheNewestStateAndLosesTheOldestNotices() throws Exception {
    try (TestAgent agent = new TestAgent(link.localPort(), test.pki.authority, test.h1, false)) {
      agent.send(TestAgent.hello("h1"));
      assertThat(agent.next().getBodyCase()).isEqualTo(BodyCase.WELCOME);
      listener.next(HostHello.class);
      long sent = 0;
      while (test.stats().droppedItems() < 100) {
        sent++;
        link.send(
            H1,
            1,
            DownlinkMessage.ofNotices(List.of(Notice.of(PORT, VM, sent, sent, 0, 0, Set.of()))));
        link.send(
            H1,
            1,
            DownlinkMessage.ofUnitShares(
                List.of(UnitShare.of(PORT, sent, 1, 1, false, List.of()))));
      }
      assertThat(test.stats().supersededItems()).isGreaterThan(0);

      agent.request(Integer.MAX_VALUE);
      long notice = 0;
      long share = 0;
      while (notice < sent || share < sent) {
        ControllerMessage message = agent.next();
        if (message.getBodyCase() == BodyCase.NOTICES) {
          long period = message.getNotices().getNotices(0).getPeriodNanos();
          assertThat(period).isGreaterThan(notice);
          notice = period;
        } else if (message.getBodyCase() == BodyCase.UNIT_SHARES) {
          long newest = message.getUnitShares().getShares(0).getUnitShareBitsPerSecond();
          assertThat(newest).isGreaterThan(share);
          share = newest;
        }
      }
    }
  }

  @Test
  void closeEndsAllSessionsAndThreads() throws Exception {
    try (TestAgent agent = test.greeted()) {
      link.close();
      Status end = agent.end();
      assertThat(end.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(end.getDescription()).contains("node-1 goes away");
      assertThat(listener.next(String.class)).isEqualTo("disconnected h1");
    }
    await(() -> threadOfTheLink().isEmpty());
    assertThat(link.connectedHosts()).isEmpty();
    link.send(H1, 1, DownlinkMessage.ofNotices(List.of()));
  }

  // ------------------------------------------------------------ help

  private static AgentMessage.Builder observation() {
    return AgentMessage.newBuilder()
        .setObservation(
            Observation.newBuilder()
                .setIntervalNanos(2_500_000)
                .addPairs(
                    PairSample.newBuilder()
                        .setSource(TestAgent.ip(10, 0, 0, 5))
                        .setDestination(TestAgent.OWN_IP)
                        .setReceivedPackets(100)
                        .setReceivedBytes(150_000)
                        .setCePackets(9)));
  }

  private static Optional<String> threadOfTheLink() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("sluice-agentlink"))
        .findAny();
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TestAgent.PATIENCE_SECONDS * 1_000_000_000L;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waited too long").isLessThan(deadline);
      LockSupport.parkNanos(1_000_000);
    }
  }
}
