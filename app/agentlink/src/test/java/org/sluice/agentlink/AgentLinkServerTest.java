// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.bouncycastle.asn1.x509.GeneralName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.agentlink.proto.AgentMessage;
import org.sluice.agentlink.proto.ControllerMessage;
import org.sluice.agentlink.proto.ControllerMessage.BodyCase;
import org.sluice.agentlink.proto.Endpoint;
import org.sluice.agentlink.proto.Event;
import org.sluice.agentlink.proto.Observation;
import org.sluice.agentlink.proto.PairSample;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.TenantId;
import org.sluice.api.link.ControlledEndpoint;
import org.sluice.api.link.EndpointPolicy;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.HostSettings;
import org.sluice.api.link.Notice;
import org.sluice.api.link.UnitShare;

@Timeout(60)
class AgentLinkServerTest {
  private static final HostId H1 = HostId.of("h1");
  private static final EndpointId VM = EndpointId.of(H1, "vm0");
  private static final PortId PORT = PortId.parse("of:0000000000000001/5");
  private static final int LEASE_MILLIS = 600;

  @TempDir static Path directory;
  private static TestPki pki;
  private static TestPki.Identity serverIdentity;
  private static TestPki.Identity h1;

  private final RecordingListener listener = new RecordingListener();
  private AgentLinkServer link;

  @BeforeAll
  static void issueCertificates() {
    pki = new TestPki(directory, "authority");
    serverIdentity = pki.server();
    h1 = pki.host("h1");
  }

  @BeforeEach
  void startLink() throws Exception {
    link = AgentLinkServer.start(config().build());
    link.addListener(listener);
  }

  @AfterEach
  void closeLink() {
    link.close();
  }

  private static AgentLinkConfig.Builder config() {
    return AgentLinkConfig.builder()
        .bindAddress("127.0.0.1")
        .port(0)
        .keyFile(serverIdentity.key)
        .certificateFile(serverIdentity.certificate)
        .trustFile(pki.authority)
        .nodeName("node-1")
        .controllerVersion("test")
        .leaseMillis(LEASE_MILLIS);
  }

  private TestAgent agent(TestPki.Identity identity) {
    return new TestAgent(link.localPort(), pki.authority, identity, true);
  }

  // ------------------------------------------------------------ who may speak

  @Test
  void refusesAnAgentWithoutCertificate() throws Exception {
    try (TestAgent agent = agent(null)) {
      assertThat(agent.end().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(link.connectedHosts()).isEmpty();
    }
  }

  @Test
  void refusesACertificateOfAnotherAuthority() throws Exception {
    TestPki.Identity forged = new TestPki(directory, "impostor").host("h1");
    try (TestAgent agent = agent(forged)) {
      assertThat(agent.end().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(link.connectedHosts()).isEmpty();
    }
  }

  @Test
  void refusesACertificateThatNamesNoHost() throws Exception {
    try (TestAgent agent = agent(pki.issue("nobody", TestPki.uri("https://example.org/h1")))) {
      Status end = agent.end();
      assertThat(end.getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
      assertThat(end.getDescription()).contains("names 0 hosts", "URI:sluice-host:<host>");
      assertThat(listener.next(String.class)).startsWith("refused").contains("names 0 hosts");
      assertThat(link.refusals()).isEqualTo(1);
    }
  }

  @Test
  void refusesACertificateThatNamesTwoHosts() throws Exception {
    GeneralName[] two = {TestPki.uri("sluice-host:h1"), TestPki.uri("sluice-host:h2")};
    try (TestAgent agent = agent(pki.issue("both", two))) {
      assertThat(agent.end().getDescription()).contains("names 2 hosts");
    }
  }

  @Test
  void refusesAHelloForAnotherHost() throws Exception {
    try (TestAgent agent = agent(pki.host("h2"))) {
      agent.send(TestAgent.hello("h1"));
      Status end = agent.end();
      assertThat(end.getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
      assertThat(end.getDescription()).contains("'h1'", "certificate is for 'h2'");
      assertThat(listener.next(String.class)).contains("certificate is for 'h2'");
      assertThat(link.connectedHosts()).isEmpty();
    }
  }

  @Test
  void refusesAnotherProtocolVersionWithRemedy() throws Exception {
    try (TestAgent agent = agent(h1)) {
      agent.send(
          AgentMessage.newBuilder().setHello(TestAgent.helloBody("h1").setProtocolVersion(9)));
      Status end = agent.end();
      assertThat(end.getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
      assertThat(end.getDescription()).contains("version 9", "of the same release");
    }
  }

  @Test
  void refusesASessionThatDoesNotStartWithHello() throws Exception {
    try (TestAgent agent = agent(h1)) {
      agent.send(observation());
      assertThat(agent.end().getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
    }
  }

  // ------------------------------------------------------------ what is said

  @Test
  void welcomesThenSendsWhatTheListenerDecides() throws Exception {
    link.addListener(
        new RecordingListener() {
          @Override
          public void connected(HostHello hello) {
            link.sendPolicies(
                hello.host(),
                3,
                List.of(EndpointPolicy.of(VM, TenantId.of("t1"), 2, 10, 20, true)));
          }
        });
    try (TestAgent agent = agent(h1)) {
      agent.send(TestAgent.hello("h1"));
      ControllerMessage welcome = agent.next();
      assertThat(welcome.getBodyCase()).isEqualTo(BodyCase.WELCOME);
      assertThat(welcome.getWelcome().getProtocolVersion()).isEqualTo(1);
      assertThat(welcome.getNode()).isEqualTo("node-1");
      assertThat(welcome.getLeaseMillis()).isEqualTo(LEASE_MILLIS);
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
      assertThat(hello.endpoints().get(0).ips()).containsExactly(IpAddress.parse("10.0.0.1"));
    }
  }

  @Test
  void sendsEveryKindOfDecision() throws Exception {
    try (TestAgent agent = greeted(h1)) {
      IpAddress far = IpAddress.parse("10.0.0.5");
      link.sendUnitShares(
          H1,
          4,
          List.of(
              UnitShare.of(
                  PORT, 12, 50, 4, false, List.of(ControlledEndpoint.of(VM, Set.of(far))))));
      org.sluice.agentlink.proto.UnitShare share =
          agent.next(BodyCase.UNIT_SHARES).getUnitShares().getShares(0);
      assertThat(share.getPort()).isEqualTo(PORT.toString());
      assertThat(share.getUnitShareBitsPerSecond()).isEqualTo(12);
      assertThat(share.getCapacityBitsPerSecond()).isEqualTo(50);
      assertThat(share.getActiveWeight()).isEqualTo(4);
      assertThat(share.getEndpoints(0).getDestinations(0)).isEqualTo(TestAgent.ip(10, 0, 0, 5));

      link.sendNotices(H1, 4, List.of(Notice.of(PORT, VM, 2.5, 5_000_000, 12, 50, Set.of(far))));
      org.sluice.agentlink.proto.Notice notice =
          agent.next(BodyCase.NOTICES).getNotices().getNotices(0);
      assertThat(notice.getMarks()).isEqualTo(2.5);
      assertThat(notice.getPeriodNanos()).isEqualTo(5_000_000);

      link.sendSettings(H1, 4, HostSettings.of(true, HostSettings.Law.SDN_GCC, 5000, 2500));
      org.sluice.agentlink.proto.HostSettings settings =
          agent.next(BodyCase.SETTINGS).getSettings();
      assertThat(settings.getEnforcement()).isTrue();
      assertThat(settings.getLaw()).isEqualTo(org.sluice.agentlink.proto.HostSettings.Law.SDN_GCC);
      assertThat(settings.getControlPeriodMicros()).isEqualTo(5000);

      link.sendPeerKey(H1, 4, 8, new byte[32]);
      assertThat(agent.next(BodyCase.PEER_KEY).getPeerKey().getKeyId()).isEqualTo(8);
    }
  }

  @Test
  void handsOnObservationsAndEventsInOrder() throws Exception {
    try (TestAgent agent = greeted(h1)) {
      agent.send(observation());
      agent.send(
          AgentMessage.newBuilder()
              .setEvent(
                  Event.newBuilder().setKind(Event.Kind.SPOOFED).setDetail("vm0\n\u001b[31m")));
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

  @Test
  void renewsTheLeaseInTime() throws Exception {
    try (TestAgent agent = greeted(h1)) {
      long previous = System.nanoTime();
      for (int i = 0; i < 5; i++) {
        assertThat(agent.next().getBodyCase()).isEqualTo(BodyCase.LEASE_RENEWAL);
        long now = System.nanoTime();
        // A third is due; the lease itself is what must never pass, however busy this machine is.
        assertThat((now - previous) / 1_000_000).isLessThan(LEASE_MILLIS);
        previous = now;
      }
      assertThat(System.nanoTime()).isPositive();
    }
  }

  // ------------------------------------------------------------ coming and going

  @Test
  void aNewSessionReplacesTheOld() throws Exception {
    try (TestAgent first = greeted(h1);
        TestAgent second = greeted(h1)) {
      Status end = first.end();
      assertThat(end.getCode()).isEqualTo(Status.Code.ABORTED);
      assertThat(end.getDescription()).contains("newer session");
      link.sendSettings(H1, 1, HostSettings.of(true, HostSettings.Law.SDN_GCC, 1, 1));
      second.next(BodyCase.SETTINGS);
      assertThat(listener.heardMore()).as("the host never disconnected").isFalse();
      assertThat(stats().sessions()).isEqualTo(2);
    }
    assertThat(listener.next(String.class)).isEqualTo("disconnected h1");
    assertThat(stats().connected()).isFalse();
  }

  @Test
  void noticesAnAgentThatHangsUp() throws Exception {
    try (TestAgent agent = greeted(h1)) {
      agent.hangUp();
      assertThat(agent.end().isOk()).isTrue();
      assertThat(listener.next(String.class)).isEqualTo("disconnected h1");
    }
  }

  @Test
  void noticesAnAgentThatBreaksOff() throws Exception {
    try (TestAgent agent = greeted(h1)) {
      agent.abort();
      assertThat(listener.next(String.class)).isEqualTo("disconnected h1");
    }
  }

  @Test
  void announcesConnectedHostsToALateListener() throws Exception {
    try (TestAgent agent = greeted(h1)) {
      agent.send(
          AgentMessage.newBuilder()
              .setEvent(
                  Event.newBuilder()
                      .setKind(Event.Kind.ENDPOINTS_CHANGED)
                      .addEndpoints(
                          Endpoint.newBuilder().setInterface("vm9").setMac(TestAgent.MAC))));
      listener.next(HostEvent.class);
      RecordingListener late = new RecordingListener();
      link.addListener(late);
      assertThat(late.next(HostHello.class).endpoints().get(0).id().interfaceName())
          .isEqualTo("vm9");
      link.removeListener(late);
      agent.hangUp();
      listener.next(String.class);
      assertThat(late.heardMore()).isFalse();
    }
  }

  @Test
  void aFailingListenerHarmsNobody() throws Exception {
    link.addListener(
        new RecordingListener() {
          @Override
          public void observed(HostObservation observation) {
            throw new IllegalStateException("on purpose");
          }
        });
    RecordingListener after = new RecordingListener();
    link.addListener(after);
    try (TestAgent agent = greeted(h1)) {
      after.next(HostHello.class);
      agent.send(observation());
      after.next(HostObservation.class);
      agent.send(observation());
      after.next(HostObservation.class);
    }
  }

  @Test
  void aSlowReaderFindsThePresentAndMissesTheOldest() throws Exception {
    try (TestAgent agent = new TestAgent(link.localPort(), pki.authority, h1, false)) {
      agent.send(TestAgent.hello("h1"));
      assertThat(agent.next().getBodyCase()).isEqualTo(BodyCase.WELCOME);
      listener.next(HostHello.class);
      long sent = 0;
      while (stats().droppedItems() < 100) {
        sent++;
        link.sendNotices(H1, 1, List.of(Notice.of(PORT, VM, sent, sent, 0, 0, Set.of())));
        link.sendUnitShares(H1, 1, List.of(UnitShare.of(PORT, sent, 1, 1, false, List.of())));
      }
      assertThat(stats().supersededItems()).isGreaterThan(0);

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
  void closeTellsEverybodyAndLeavesNoThread() throws Exception {
    try (TestAgent agent = greeted(h1)) {
      link.close();
      Status end = agent.end();
      assertThat(end.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(end.getDescription()).contains("node-1 goes away");
      assertThat(listener.next(String.class)).isEqualTo("disconnected h1");
    }
    await(() -> threadOfTheLink().isEmpty());
    assertThat(link.connectedHosts()).isEmpty();
    link.sendNotices(H1, 1, List.of());
  }

  // ------------------------------------------------------------ help

  private TestAgent greeted(TestPki.Identity identity) throws Exception {
    TestAgent agent = agent(identity);
    agent.send(TestAgent.hello("h1"));
    assertThat(agent.next().getBodyCase()).isEqualTo(BodyCase.WELCOME);
    listener.next(HostHello.class);
    return agent;
  }

  private HostLinkStats stats() {
    return link.stats().get(0);
  }

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
      Thread.onSpinWait();
    }
  }
}
