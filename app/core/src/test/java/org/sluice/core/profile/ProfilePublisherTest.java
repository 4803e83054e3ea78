// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.Law;
import org.sluice.api.TenantId;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.DownlinkMessage.Kind;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.HostSettings;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.certificate.PeerCertifier;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.registry.RegistryFixture;
import org.sluice.core.setting.Settings;
import org.sluice.core.setting.Topics;
import org.sluice.core.spi.Epoch;
import org.sluice.core.tenant.OneTenant;
import org.sluice.core.testing.FakeLink;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

class ProfilePublisherTest {
  private static final String LOCAL = "n1";
  private static final HostId H1 = HostId.of("h1");
  private static final ReportedEndpoint E1 = endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1");
  private static final ReportedEndpoint E2 = endpoint("h2/vm0", "02:00:00:00:01:02", "10.0.0.2");

  private final MemoryNetwork network = new MemoryNetwork();
  private final FakeLink link = new FakeLink();
  private final Settings settings = new Settings(warning -> {});
  private final Map<String, Object> properties = new HashMap<>();
  private final RegistryFixture registry =
      new RegistryFixture(link, new NodeJournal(network.time), network.time);
  private final OneTenant tenants = new OneTenant("t1");
  private final Demand demand = new Demand();
  private final Tuned levels = new Tuned();
  private final CeilingParts ceilings = new CeilingParts();
  private final PeerCertifier certifier =
      new PeerCertifier(
          link,
          registry.endpoints,
          new MemoryNode(network, LOCAL).leadership(),
          network.storage,
          network.time,
          network.time::wallMillis);
  private final ProfilePublisher publisher =
      new ProfilePublisher(
          settings,
          link,
          registry.endpoints,
          tenants,
          demand,
          levels,
          ceilings,
          new MemoryNode(network, LOCAL).leadership(),
          certifier,
          false,
          network.time,
          network.time::wallMillis);

  @BeforeEach
  void start() {
    elect("elsewhere");
    publisher.start();
  }

  private void elect(String node) {
    network.elect(Topics.CLUSTER, node);
  }

  private void set(Object... namesAndValues) {
    for (int i = 0; i < namesAndValues.length; i += 2) {
      properties.put(namesAndValues[i].toString(), namesAndValues[i + 1]);
    }
    settings.read(properties::get);
  }

  /** Lets the publisher follow what changed. */
  private void follow() {
    network.time.advanceMillis(1);
  }

  private List<List<EndpointProfile>> profilesOf(HostId host) {
    return link.sentTo(host, Kind.PROFILES, DownlinkMessage::profiles);
  }

  private List<HostSettings> settingsOf(HostId host) {
    return link.sentTo(host, Kind.SETTINGS, DownlinkMessage::settings);
  }

  private EndpointProfile profileOf(HostId host) {
    List<List<EndpointProfile>> profiles = profilesOf(host);
    return profiles.get(profiles.size() - 1).get(0);
  }

  private double weightOf(HostId host) {
    return profileOf(host).weight();
  }

  private long ceilingOf(HostId host) {
    return profileOf(host).ceilingBitsPerSecond();
  }

  @Test
  void leaderSendsEachHostItsProfilesAndSettings() {
    elect(LOCAL);
    link.connect(hello("h1", E1));
    link.connect(hello("h2", E2));

    follow();
    assertThat(link.sent).hasSize(4);
    assertThat(profilesOf(H1).get(0))
        .as("one of its tenant's two endpoints")
        .isEqualTo(List.of(EndpointProfile.of(E1.id(), TenantId.of("t1"), 0.5, 0, 0, false)));
    assertThat(settingsOf(H1).get(0)).isEqualTo(HostSettings.of(true, Law.SLUICE, 5000, 0));
  }

  /** Until the controller publishes what an endpoint weighs at a port. */
  @Test
  void endpointsDivideTheTenantsWeightExceptWithShareEndpoint() {
    elect(LOCAL);
    link.connect(hello("h1", E1));
    follow();
    assertThat(weightOf(H1)).as("alone").isEqualTo(1);
    link.connect(hello("h2", E2));
    follow();
    assertThat(weightOf(H1)).isEqualTo(0.5);
    set("share", "endpoint");
    follow();
    assertThat(weightOf(H1)).isEqualTo(1);
    set("share", "tenant", "law", "sdn-gcc");
    follow();
    assertThat(weightOf(H1)).as("the published law knows no tenants").isEqualTo(1);
  }

  @Test
  void endpointsReceiveTheirPartsOfTheCeiling() {
    elect(LOCAL);
    link.connect(hello("h1", E1));
    link.connect(hello("h2", E2));
    tenants.setCeiling(100_000_000);
    follow();
    assertThat(ceilingOf(H1)).as("as if both sent").isEqualTo(50_000_000);
    int sentBefore = profilesOf(HostId.of("h2")).size();

    ceilings.change(Map.of(E1.id(), 90_000_000L));
    follow();
    assertThat(ceilingOf(H1)).isEqualTo(90_000_000);
    assertThat(profilesOf(HostId.of("h2"))).as("nothing new").hasSize(sentBefore);
    tenants.setWeight(2);
    follow();
    assertThat(ceilingOf(H1)).as("whatever else changes").isEqualTo(90_000_000);

    ceilings.change(Map.of(E1.id(), 0L));
    follow();
    assertThat(ceilingOf(H1)).isEqualTo(50_000_000);
  }

  @Test
  void ceilingPartsDecidedBeforeLeadershipAreUsed() {
    link.connect(hello("h1", E1));
    tenants.setCeiling(100_000_000);
    ceilings.change(Map.of(E1.id(), 80_000_000L));
    follow();
    assertThat(link.sent).isEmpty();

    elect(LOCAL);
    follow();
    assertThat(ceilingOf(H1)).isEqualTo(80_000_000);
    tenants.setCeiling(0);
    follow();
    assertThat(ceilingOf(H1)).as("there is nothing to divide").isZero();
  }

  @Test
  void followerSendsNothing() {
    elect("elsewhere");
    link.connect(hello("h1", E1));
    tenants.setWeight(3);
    follow();
    assertThat(link.sent).isEmpty();

    elect(LOCAL);
    follow();
    assertThat(profilesOf(H1)).hasSize(1);
    assertThat(weightOf(H1)).isEqualTo(3);
  }

  @Test
  void unchangedProfileIsNotSentAgain() {
    elect(LOCAL);
    link.connect(hello("h1", E1));
    follow();

    tenants.setWeight(2);
    follow();
    assertThat(weightOf(H1)).isEqualTo(2);
    set("enforcement", "off", "law", "sdn-gcc", "controlPeriodMillis", 10);
    follow();
    assertThat(settingsOf(H1)).hasSize(2);

    assertThat(settingsOf(H1).get(1)).isEqualTo(HostSettings.of(false, Law.SDN_GCC, 10_000, 0));
    assertThat(profilesOf(H1)).hasSize(2);
  }

  @Test
  void hostsReportFlowsWhileDeadlinesExist() {
    elect(LOCAL);
    link.connect(hello("h1", E1));
    follow();
    assertThat(settingsOf(H1)).hasSize(1);
    demand.set(true);
    follow();
    assertThat(settingsOf(H1)).hasSize(2);
    HostSettings asked = settingsOf(H1).get(1);
    assertThat(asked.reportFlows()).isTrue();
    assertThat(asked.handshakeWaitMicros()).isEqualTo(5000);
    assertThat(asked.reportLosses()).isTrue();
    assertThat(asked.sendLostFrames()).isFalse();

    assertThat(asked.signConnections()).isFalse();

    set("lossAnswersBy", "packet-out");
    follow();
    assertThat(settingsOf(H1).get(2).sendLostFrames()).isTrue();

    set("lossAnswers", "off", "flows", "switch");
    follow();
    assertThat(settingsOf(H1)).hasSize(4);
    asked = settingsOf(H1).get(3);
    assertThat(asked.sendLostFrames()).isFalse();
    assertThat(asked.reportLosses()).isFalse();
    assertThat(asked.signConnections()).isTrue();
    demand.set(false);
    follow();
    assertThat(settingsOf(H1)).hasSize(5);
    assertThat(settingsOf(H1).get(4)).isEqualTo(settingsOf(H1).get(0));
  }

  private static final class Demand implements FlowReporting {
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
  void hostsReportFlowSizesWhileNeeded() {
    elect(LOCAL);
    link.connect(hello("h1", E1));
    follow();
    assertThat(settingsOf(H1).get(0).reportFlowSizes()).isFalse();
    set("caps", "sluice");
    follow();
    assertThat(settingsOf(H1).get(1).reportFlowSizes()).isTrue();
    set("caps", "off");
    follow();
    assertThat(settingsOf(H1).get(2)).isEqualTo(settingsOf(H1).get(0));
  }

  @Test
  void hostsReceiveTunedLevelsIfConfigured() {
    elect(LOCAL);
    levels.set(List.of(1_000L, 20_000L));
    link.connect(hello("h1", E1));
    follow();
    assertThat(settingsOf(H1).get(0).levelThresholdsBytes()).isEmpty();
    set("levelThresholds", "tuned");
    follow();
    assertThat(settingsOf(H1).get(1).reportFlowSizes()).isTrue();
    assertThat(settingsOf(H1).get(1).levelThresholdsBytes()).containsExactly(1_000L, 20_000L);
    levels.set(List.of(1_500L, 20_000L));
    follow();
    assertThat(settingsOf(H1).get(2).levelThresholdsBytes()).containsExactly(1_500L, 20_000L);
    assertThat(settingsOf(H1)).hasSize(3);
  }

  private static final class Tuned implements TunedLevels {
    private final Epoch epoch = new Epoch();
    private volatile List<Long> thresholds = List.of();

    void set(List<Long> now) {
      thresholds = now;
      epoch.advance();
    }

    @Override
    public Epoch epoch() {
      return epoch;
    }

    @Override
    public List<Long> thresholdsBytes() {
      return thresholds;
    }
  }

  @Test
  void newSessionReceivesAllProfiles() {
    elect(LOCAL);
    link.connect(hello("h1", E1));
    follow();

    link.connect(hello("h1", E1));

    follow();
    assertThat(profilesOf(H1)).hasSize(2);
    assertThat(settingsOf(H1)).hasSize(2);
  }

  @Test
  void newLeaderPublishesInAHigherTerm() {
    elect(LOCAL);
    link.connect(hello("h1", E1));
    follow();
    assertThat(profilesOf(H1)).hasSize(1);

    elect(LOCAL);

    follow();
    assertThat(profilesOf(H1)).hasSize(2);
    List<Long> terms =
        link.sent.stream()
            .filter(sent -> sent.message.kind() == Kind.PROFILES)
            .map(sent -> sent.term)
            .collect(Collectors.toList());
    assertThat(terms.get(1)).isGreaterThan(terms.get(0));
  }

  @Test
  void withoutTheStoreNothingIsPublished() {
    elect(LOCAL);
    network.storage.setAvailable(false);
    link.connect(hello("h1", E1));
    follow();
    assertThat(link.sent).isEmpty();

    network.storage.setAvailable(true);
    network.time.advanceMillis(20_000);
    assertThat(profilesOf(H1)).hasSize(1);
  }
}
