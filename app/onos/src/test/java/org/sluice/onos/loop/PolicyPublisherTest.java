// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.onos.testing.Samples.endpoint;
import static org.sluice.onos.testing.Samples.hello;
import static org.sluice.onos.testing.Waiting.until;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.onosproject.cluster.ClusterServiceAdapter;
import org.onosproject.cluster.ControllerNode;
import org.onosproject.cluster.DefaultControllerNode;
import org.onosproject.cluster.NodeId;
import org.sluice.api.HostId;
import org.sluice.api.TenantId;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.DownlinkMessage.Kind;
import org.sluice.api.link.EndpointPolicy;
import org.sluice.api.link.HostSettings;
import org.sluice.api.link.LinkKey;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.onos.deadline.FlowDemand;
import org.sluice.onos.journal.JournalKeeper;
import org.sluice.onos.registry.RegistryFixture;
import org.sluice.onos.testing.FakeLeadership;
import org.sluice.onos.testing.FakeLink;
import org.sluice.onos.testing.FakeSettings;
import org.sluice.onos.testing.MemoryStorage;
import org.sluice.onos.testing.OneTenant;
import org.sluice.onos.topology.Epoch;

class PolicyPublisherTest {
  private static final NodeId LOCAL = new NodeId("local");
  private static final HostId H1 = HostId.of("h1");
  private static final ReportedEndpoint E1 = endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1");
  private static final ReportedEndpoint E2 = endpoint("h2/vm0", "02:00:00:00:01:02", "10.0.0.2");

  private final FakeLink link = new FakeLink();
  private final FakeLeadership leadership = new FakeLeadership();
  private final FakeSettings settings = new FakeSettings();
  private final MemoryStorage storage = new MemoryStorage();
  private final RegistryFixture registry = new RegistryFixture(link, new JournalKeeper());
  private final OneTenant tenants = new OneTenant("t1");
  private final Demand demand = new Demand();
  private final PolicyPublisher publisher = new PolicyPublisher();

  @BeforeEach
  void start() {
    publisher.settings = settings;
    publisher.link = link;
    publisher.endpoints = registry.endpoints;
    publisher.tenants = tenants;
    publisher.leadership = leadership;
    publisher.storage = storage;
    publisher.flows = demand;
    publisher.cluster =
        new ClusterServiceAdapter() {
          @Override
          public ControllerNode getLocalNode() {
            return new DefaultControllerNode(
                LOCAL, org.onlab.packet.IpAddress.valueOf("127.0.0.1"));
          }
        };
    publisher.activate();
  }

  @AfterEach
  void stop() {
    publisher.deactivate();
  }

  private List<List<EndpointPolicy>> policiesOf(HostId host) {
    return link.sentTo(host, Kind.POLICIES, DownlinkMessage::policies);
  }

  private List<HostSettings> settingsOf(HostId host) {
    return link.sentTo(host, Kind.SETTINGS, DownlinkMessage::settings);
  }

  private List<LinkKey> keysOf(HostId host) {
    return link.sentTo(host, Kind.PEER_KEY, DownlinkMessage::peerKey);
  }

  private double weightOf(HostId host) {
    List<List<EndpointPolicy>> policies = policiesOf(host);
    return policies.get(policies.size() - 1).get(0).weight();
  }

  @Test
  void theLeaderTellsEveryHostItsOwnPoliciesSettingsAndTheKey() {
    leadership.elect(PolicyPublisher.TOPIC, LOCAL);
    link.connect(hello("h1", E1));
    link.connect(hello("h2", E2));

    until(() -> assertThat(link.sent).hasSizeGreaterThanOrEqualTo(6));
    assertThat(policiesOf(H1).get(0))
        .isEqualTo(List.of(EndpointPolicy.of(E1.id(), TenantId.of("t1"), 1, 0, 0, false)));
    assertThat(settingsOf(H1).get(0))
        .isEqualTo(HostSettings.of(true, HostSettings.Law.TWO_TIME_SCALE, 5000, 0));
    assertThat(keysOf(H1)).hasSize(1);
  }

  @Test
  void whoDoesNotLeadSaysNothing() {
    leadership.elect(PolicyPublisher.TOPIC, new NodeId("elsewhere"));
    link.connect(hello("h1", E1));
    tenants.setWeight(3);
    assertThat(link.sent).isEmpty();

    leadership.elect(PolicyPublisher.TOPIC, LOCAL);
    until(() -> assertThat(policiesOf(H1)).hasSize(1));
    assertThat(weightOf(H1)).isEqualTo(3);
  }

  @Test
  void whatDidNotChangeIsNotSaidAgain() {
    leadership.elect(PolicyPublisher.TOPIC, LOCAL);
    link.connect(hello("h1", E1));
    until(() -> assertThat(keysOf(H1)).hasSize(1));

    tenants.setWeight(2);
    until(() -> assertThat(weightOf(H1)).isEqualTo(2));
    settings.set("enforcement", "off", "law", "paper", "controlPeriodMillis", 10);
    until(() -> assertThat(settingsOf(H1)).hasSize(2));

    assertThat(settingsOf(H1).get(1))
        .isEqualTo(HostSettings.of(false, HostSettings.Law.SDN_GCC, 10_000, 0));
    assertThat(policiesOf(H1)).hasSize(2);
    assertThat(keysOf(H1)).hasSize(1);
  }

  @Test
  void hostsAreAskedAboutFlowsWhileSomebodyHasADeadline() {
    leadership.elect(PolicyPublisher.TOPIC, LOCAL);
    link.connect(hello("h1", E1));
    until(() -> assertThat(settingsOf(H1)).hasSize(1));
    demand.set(true);
    until(() -> assertThat(settingsOf(H1)).hasSize(2));
    HostSettings asked = settingsOf(H1).get(1);
    assertThat(asked.reportFlows()).isTrue();
    assertThat(asked.handshakeWaitMicros()).isEqualTo(5000);
    assertThat(asked.reportLosses()).isTrue();

    assertThat(asked.signConnections()).isFalse();

    settings.set("lossAnswers", "off", "flows", "switch");
    until(() -> assertThat(settingsOf(H1)).hasSize(3));
    asked = settingsOf(H1).get(2);
    assertThat(asked.reportLosses()).isFalse();
    assertThat(asked.signConnections()).isTrue();
    demand.set(false);
    until(() -> assertThat(settingsOf(H1)).hasSize(4));
    assertThat(settingsOf(H1).get(3)).isEqualTo(settingsOf(H1).get(0));
  }

  private static final class Demand implements FlowDemand {
    private final Epoch epoch = new Epoch();
    private volatile boolean wanted;

    void set(boolean value) {
      wanted = value;
      epoch.advance();
    }

    @Override
    public Epoch epoch() {
      return epoch;
    }

    @Override
    public boolean isWanted() {
      return wanted;
    }
  }

  @Test
  void aNewSessionIsToldAllOfIt() {
    leadership.elect(PolicyPublisher.TOPIC, LOCAL);
    link.connect(hello("h1", E1));
    until(() -> assertThat(keysOf(H1)).hasSize(1));

    link.connect(hello("h1", E1));

    until(() -> assertThat(keysOf(H1)).hasSize(2));
    assertThat(policiesOf(H1)).hasSize(2);
    assertThat(settingsOf(H1)).hasSize(2);
  }

  @Test
  void aNewLeadershipSpeaksInAGreaterTerm() {
    leadership.elect(PolicyPublisher.TOPIC, LOCAL);
    link.connect(hello("h1", E1));
    until(() -> assertThat(policiesOf(H1)).hasSize(1));

    leadership.elect(PolicyPublisher.TOPIC, LOCAL);

    until(() -> assertThat(policiesOf(H1)).hasSize(2));
    List<Long> terms =
        link.sent.stream()
            .filter(sent -> sent.message.kind() == Kind.POLICIES)
            .map(sent -> sent.term)
            .collect(Collectors.toList());
    assertThat(terms.get(1)).isGreaterThan(terms.get(0));
  }

  @Test
  void withdrawingForgetsTheKeyAndEndsTheCandidacy() {
    leadership.elect(PolicyPublisher.TOPIC, LOCAL);
    until(() -> assertThat(new PeerKeys(storage).newest()).isPresent());

    settings.withdraw();
    tenants.setWeight(4);

    assertThat(new PeerKeys(storage).newest()).isEmpty();
    publisher.deactivate();
    assertThat(leadership.candidacies).isEmpty();
    publisher.activate();
  }
}
