// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.core.testing.Samples.port;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.IpPrefix;
import org.sluice.api.Member;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.api.PortStatus.MarkSource;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.TenantRates;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.Notice;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.link.UnitShare;
import org.sluice.api.link.UplinkMessage;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

/** The control loop of a whole node in a network in memory, in virtual time. */
class EngineLoopTest {
  private static final PortId BOTTLENECK = port("s1/5");
  private static final HostId H1 = HostId.of("h1");
  private static final HostId H5 = HostId.of("h5");
  private static final IpAddress IP1 = IpAddress.parse("10.0.0.1");
  private static final IpAddress IP5 = IpAddress.parse("10.0.0.5");
  private static final long PERIOD_MILLIS = 5;
  private static final long PERIOD_NANOS = 5_000_000;
  private static final long CAPACITY_BITS_PER_SECOND = 50_000_000;

  private final MemoryNetwork network =
      new MemoryNetwork().connect("s1", 1, 5).connect("s2", 1, 5).link("s1/5", "s2/5");
  private final MemoryNode node = new MemoryNode(network, "n1");

  @BeforeEach
  void start() {
    network.setCapacity("s1/5", CAPACITY_BITS_PER_SECOND);
    network.setMaster("s1", "n1");
    network.setMaster("s2", "n1");
    network.seen("02:00:00:00:01:01", "s1/1", "10.0.0.1");
    network.seen("02:00:00:00:01:05", "s2/1", "10.0.0.5");
    node.counters.markMeters.put(port("s2/5").datapath(), Map.of(3L, 5L));
    node.counters.connected.add(port("s2/5").datapath());
    node.start();
    node.link.connect(hello("h1", endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1")));
    node.link.connect(hello("h5", endpoint("h5/vm0", "02:00:00:00:01:05", "10.0.0.5")));
    network.time.advanceMillis(2 * PERIOD_MILLIS);
  }

  /** A control period in which both hosts report traffic, half of it marked. */
  private void marked() {
    report(H1, PairSample.of(IP1, IP5, 100, 150_000, 0, 0, 0));
    report(H5, PairSample.of(IP1, IP5, 0, 0, 100, 150_000, 50));
    network.time.advanceMillis(PERIOD_MILLIS);
  }

  private void report(HostId host, PairSample pair) {
    node.link.report(
        UplinkMessage.ofObservation(
            HostObservation.of(
                host, network.time.nanoTime(), PERIOD_NANOS, List.of(pair), List.of())));
  }

  private List<UnitShare> shares() {
    return node.link.listedTo(H1, DownlinkMessage.Kind.UNIT_SHARES, DownlinkMessage::unitShares);
  }

  private List<Notice> notices() {
    return node.link.listedTo(H1, DownlinkMessage.Kind.NOTICES, DownlinkMessage::notices);
  }

  private PortStatus status() {
    network.time.advanceMillis(1000);
    return node.controller().ports().port(BOTTLENECK).orElseThrow();
  }

  @Test
  void withoutEndpointsTheLoopRestsUntilSomebodyReports() {
    MemoryNode alone = new MemoryNode(new MemoryNetwork(), "n2");
    alone.start();
    alone.network.time.advanceMillis(2_000);
    int before = alone.cycles;
    alone.network.time.advanceMillis(1_000);
    assertThat(alone.cycles - before).isBetween(5, 40);

    alone.link.connect(hello("h1", endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1")));
    alone.network.time.advanceMillis(100);
    before = alone.cycles;
    alone.network.time.advanceMillis(1_000);
    assertThat(alone.cycles - before).isGreaterThan(150);
  }

  @Test
  void portsHaveTheirCapacity() {
    assertThat(status().capacityBitsPerSecond()).isEqualTo(CAPACITY_BITS_PER_SECOND);
    assertThat(status().congested()).isFalse();
  }

  /**
   * Nobody reports arrivals at h5: what h1 says it sends is believed as far as its port carries.
   */
  @Test
  void noMoreOfAHostIsBelievedThanItsEdgePortCarries() {
    network.setCapacity("s1/1", 10_000_000);
    node.link.disconnect(H5);
    network.time.advanceMillis(2_000);
    for (int i = 0; i < 400; i++) {
      report(H1, PairSample.of(IP1, IP5, 20, 30_000, 0, 0, 0));
      network.time.advanceMillis(PERIOD_MILLIS);
    }
    PortStatus status = node.controller().ports().port(BOTTLENECK).orElseThrow();
    assertThat(status.loadBitsPerSecond()).isBetween(9_000_000L, 10_000_000L);
  }

  @Test
  void marksSendTheSourcesHostAUnitShareInTheNextPeriod() {
    marked();

    assertThat(shares()).isNotEmpty();
    UnitShare share = shares().get(0);
    assertThat(share.port()).isEqualTo(BOTTLENECK);
    assertThat(share.capacityBitsPerSecond()).isEqualTo(CAPACITY_BITS_PER_SECOND);
    assertThat(share.unitShareBitsPerSecond())
        .isEqualTo(Math.round(0.985 * CAPACITY_BITS_PER_SECOND));
    assertThat(node.link.sent).allMatch(sent -> sent.term > 0);
  }

  /** 240 Mbit/s arrive: a hundred packets of 1500 bytes every 5 ms. */
  @Test
  void tenantRatesHaveGuaranteesBesideDeliveredRates() throws Exception {
    TenantId gold = TenantId.of("gold");
    node.controller()
        .tenants()
        .put(
            Tenant.builder(gold)
                .guaranteeBitsPerSecond(3_000_000)
                .members(List.of(Member.ofPrefix(IpPrefix.parse("10.0.0.0/24"))))
                .build());
    for (int i = 0; i < 300; i++) {
      marked();
    }
    TenantRates rates = node.controller().tenantRates().rates(gold);
    assertThat(rates.promisedBitsPerSecond()).isEqualTo(3_000_000);
    assertThat(rates.deliveredBitsPerSecond() / 1e6).isBetween(230.0, 250.0);
    assertThat(node.controller().tenantRates().rates(TenantId.of("none")))
        .isEqualTo(TenantRates.of(0, 0));

    node.set("share", "endpoint");
    assertThat(node.controller().tenantRates().rates(gold).promisedBitsPerSecond())
        .as("two endpoints")
        .isEqualTo(6_000_000);
  }

  @Test
  void sdnGccSendsNotices() {
    node.set("law", "sdn-gcc");

    marked();
    marked();

    assertThat(notices()).isNotEmpty();
    assertThat(notices().get(0).port()).isEqualTo(BOTTLENECK);
    assertThat(shares()).isEmpty();
  }

  @Test
  void switchOfAnotherMasterGetsNoDecisions() {
    network.setMaster("s1", "n2");

    for (int i = 0; i < 50; i++) {
      marked();
    }

    assertThat(shares()).isEmpty();
  }

  @Test
  void newMasterDecidesInAHigherTerm() {
    marked();
    long before = lastTerm();
    network.setMaster("s1", "n2");
    network.time.advanceMillis(100);
    network.setMaster("s1", "n1");
    node.link.sent.clear();

    for (int i = 0; i < 5; i++) {
      marked();
    }

    assertThat(lastTerm()).isGreaterThan(before);
  }

  private long lastTerm() {
    return node.link.sent.stream()
        .filter(sent -> sent.message.kind() == DownlinkMessage.Kind.UNIT_SHARES)
        .reduce((a, b) -> b)
        .orElseThrow()
        .term;
  }

  @Test
  void marksOfMetersLeadToNoticesAndUnitShares() {
    node.set("signals", "meters");
    network.time.advanceMillis(1000);

    for (int i = 0; i < 5; i++) {
      node.counters.read(MeterSample.of(port("s2/5").datapath(), 3, 20, 30_000, PERIOD_NANOS));
      node.counters.read(
          PortSample.builder(BOTTLENECK).txPackets(40).intervalNanos(PERIOD_NANOS).build());
      marked();
    }

    Notice last = notices().get(notices().size() - 1);
    assertThat(last.port()).isEqualTo(BOTTLENECK);
    assertThat(last.marks() / last.packets()).isBetween(0.3, 0.7);
    assertThat(shares()).isNotEmpty();
  }

  @Test
  void marksOfAPortAgentTakePrecedenceOverHosts() {
    network.time.advanceMillis(900);
    for (int i = 0; i < 20; i++) {
      node.link.report(
          UplinkMessage.ofPortQueues(
              PortQueueObservation.of(
                  HostId.of("p1"),
                  network.time.nanoTime(),
                  PERIOD_NANOS,
                  List.of(PortQueueSample.of(BOTTLENECK, 20, 30_000, 0, 5, 0, 9, 13_500)))));
      marked();
    }

    PortStatus status = node.controller().ports().port(BOTTLENECK).orElseThrow();
    assertThat(status.marksFrom()).contains(MarkSource.PORTS);
    assertThat(status.ceShare()).isEqualTo(0.25);
  }
}
