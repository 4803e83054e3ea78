// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.onos.testing.Samples.endpoint;
import static org.sluice.onos.testing.Samples.hello;
import static org.sluice.onos.testing.Waiting.until;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.api.PortStatus.MarkSource;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.DownlinkMessage.Kind;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.Notice;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.link.UnitShare;
import org.sluice.onos.counters.CounterFeed;
import org.sluice.onos.deadline.DeadlineDuty;
import org.sluice.onos.deadline.EngineSide;
import org.sluice.onos.registry.RegistryFixture;
import org.sluice.onos.tenant.TenantDirectory;
import org.sluice.onos.testing.OnosWorld;
import org.sluice.onos.testing.SluiceNode;
import org.sluice.onos.topology.Epoch;

/** The engine in its thread, between registries and the agent link, over ONOS's real managers. */
class EngineRunnerTest {
  private static final PortId BOTTLENECK = PortId.parse("of:0000000000000001/5");
  private static final HostId H1 = HostId.of("h1");
  private static final HostId H5 = HostId.of("h5");
  private static final IpAddress IP1 = IpAddress.parse("10.0.0.1");
  private static final IpAddress IP5 = IpAddress.parse("10.0.0.5");
  private static final long INTERVAL_NANOS = 5_000_000;
  private static final long CAPACITY_BITS_PER_SECOND = 50_000_000;

  private final OnosWorld world = new OnosWorld();
  private final SluiceNode node = new SluiceNode(world);
  private final EngineRunner runner = new EngineRunner();
  private final SwitchesThatTell counters = new SwitchesThatTell();

  @BeforeEach
  void start() {
    world.switches.connect("s1", 1, 5);
    world.switches.connect("s2", 1, 5);
    world.switches.link("s1/5", "s2/5");
    node.start();
    world.hosts.seen("02:00:00:00:01:01", "s1/1", "10.0.0.1");
    world.hosts.seen("02:00:00:00:01:05", "s2/1", "10.0.0.5");
    runner.settings = node.manager;
    runner.link = node.link;
    runner.notices = node.notices;
    runner.endpoints = node.endpoints;
    runner.locator = node.locations;
    runner.tenants = new DefaultTenants();
    runner.capacities = RegistryFixture.capacities(Map.of(BOTTLENECK, CAPACITY_BITS_PER_SECOND));
    runner.topology = node.topology;
    runner.attachments = node.attachments;
    runner.forwarding = node.forwarding;
    runner.mastership = world.mastership;
    runner.chronicle = node.journal;
    runner.counters = counters;
    runner.deadlines = new NoDeadlines();
    until(() -> assertThat(node.topology.interSwitchPorts()).hasSize(2));
    until(() -> assertThat(node.forwarding.own()).isTrue());
    runner.activate();
    node.link.connect(hello("h1", endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1")));
    node.link.connect(hello("h5", endpoint("h5/vm0", "02:00:00:00:01:05", "10.0.0.5")));
  }

  @AfterEach
  void stop() throws Exception {
    runner.deactivate();
    node.stop();
    world.close();
  }

  /** Both hosts tell of one control period's traffic, half of it marked. */
  private void observe() {
    PairSample sent = PairSample.of(IP1, IP5, 100, 150_000, 0, 0, 0);
    PairSample received = PairSample.of(IP1, IP5, 0, 0, 100, 150_000, 50);
    runner.observed(observation(H1, sent));
    runner.observed(observation(H5, received));
  }

  private static HostObservation observation(HostId host, PairSample pair) {
    return HostObservation.of(host, System.nanoTime(), INTERVAL_NANOS, List.of(pair), List.of());
  }

  private List<UnitShare> sharesOf(HostId host) {
    return node.link.listedTo(host, Kind.UNIT_SHARES, DownlinkMessage::unitShares);
  }

  private List<Notice> noticesTo(HostId host) {
    return node.link.listedTo(host, Kind.NOTICES, DownlinkMessage::notices);
  }

  @Test
  void portsAreKnownWithTheirCapacity() {
    until(() -> assertThat(runner.port(BOTTLENECK)).isPresent());
    PortStatus status = runner.port(BOTTLENECK).orElseThrow();

    assertThat(status.capacityBitsPerSecond()).isEqualTo(CAPACITY_BITS_PER_SECOND);
    assertThat(status.congested()).isFalse();
  }

  @Test
  void marksBringTheSourcesHostItsUnitShare() {
    until(
        () -> {
          observe();
          assertThat(sharesOf(H1)).isNotEmpty();
        });

    UnitShare share = sharesOf(H1).get(0);
    assertThat(share.port()).isEqualTo(BOTTLENECK);
    assertThat(share.capacityBitsPerSecond()).isEqualTo(CAPACITY_BITS_PER_SECOND);
    assertThat(share.unitShareBitsPerSecond()).isEqualTo(CAPACITY_BITS_PER_SECOND);
    assertThat(node.link.sent.get(0).term).isPositive();
    until(
        () -> {
          observe();
          assertThat(runner.port(BOTTLENECK)).hasValueSatisfying(p -> p.congested());
        });
  }

  @Test
  void withThePapersLawItBringsNotices() {
    node.set("law", "paper");

    until(
        () -> {
          observe();
          assertThat(noticesTo(H1)).isNotEmpty();
        });
    assertThat(noticesTo(H1).get(0).port()).isEqualTo(BOTTLENECK);
  }

  @Test
  void aSwitchOfAnotherMasterIsDecidedAboutThere() {
    world.loseMastership("s1");
    until(() -> assertThat(runner.port(BOTTLENECK)).isPresent());
    long ticks = System.nanoTime();
    while (System.nanoTime() - ticks < 50 * INTERVAL_NANOS) {
      observe();
    }

    assertThat(sharesOf(H1)).isEmpty();
  }

  @Test
  void marksOfMetersBringNoticesAndUnitShares() {
    node.set("signals", "meters");
    until(
        () -> {
          observe();
          counters.tell(MeterSample.of("of:0000000000000002", 3, 20, 30_000, INTERVAL_NANOS));
          counters.tell(
              PortSample.builder(BOTTLENECK).txPackets(40).intervalNanos(INTERVAL_NANOS).build());
          List<Notice> notices = noticesTo(H1);
          assertThat(notices).isNotEmpty();
          Notice last = notices.get(notices.size() - 1);
          assertThat(last.marks() / last.packets()).isBetween(0.3, 0.7);
        });

    assertThat(noticesTo(H1)).allMatch(notice -> notice.port().equals(BOTTLENECK));
    assertThat(sharesOf(H1)).isNotEmpty();
    until(
        () ->
            assertThat(runner.port(BOTTLENECK).flatMap(PortStatus::marksFrom))
                .contains(MarkSource.METERS));
  }

  @Test
  void aPortAgentComesBeforeHosts() {
    until(
        () -> {
          observe();
          runner.portQueuesObserved(
              PortQueueObservation.of(
                  HostId.of("p1"),
                  System.nanoTime(),
                  INTERVAL_NANOS,
                  List.of(PortQueueSample.of(BOTTLENECK, 20, 30_000, 0, 5, 0, 9, 13_500))));
          assertThat(runner.port(BOTTLENECK).flatMap(PortStatus::marksFrom))
              .contains(MarkSource.PORTS);
          // It is of now alone, and a busy machine may be late with the next word.
          assertThat(runner.port(BOTTLENECK).orElseThrow().ceShare()).isEqualTo(0.25);
        });
  }

  private static final class NoDeadlines implements DeadlineDuty {
    @Override
    public void begin(EngineSide side) {}

    @Override
    public boolean isUrgent() {
      return false;
    }

    @Override
    public void step(long nowNanos) {}

    @Override
    public void end() {}
  }

  /** Switch 2 has a mark meter at the port from switch 1. */
  private static final class SwitchesThatTell implements CounterFeed {
    private final List<CounterListener> listeners = new CopyOnWriteArrayList<>();

    @Override
    public void addListener(CounterListener listener) {
      listeners.add(listener);
    }

    @Override
    public void removeListener(CounterListener listener) {
      listeners.remove(listener);
    }

    @Override
    public Map<String, Map<Long, Long>> markMeters() {
      return Map.of("of:0000000000000002", Map.of(3L, 5L));
    }

    void tell(MeterSample sample) {
      listeners.forEach(listener -> listener.meterRead(sample));
    }

    void tell(PortSample sample) {
      listeners.forEach(listener -> listener.portRead(sample));
    }
  }

  private static final class DefaultTenants implements TenantDirectory {
    private final Epoch epoch = new Epoch();

    @Override
    public Epoch epoch() {
      return epoch;
    }

    @Override
    public Tenant tenantOf(ReportedEndpoint endpoint) {
      try {
        return Tenant.builder(TenantId.DEFAULT).build();
      } catch (SluiceException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
