// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.core.testing.Samples.port;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.IpPrefix;
import org.sluice.api.Member;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.api.PortStatus.MarkSource;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.link.UnitShare;
import org.sluice.api.link.UplinkMessage;
import org.sluice.core.setting.Topics;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

/** Receive ceilings in a whole node: who receives them, and what becomes of their marks. */
class ReceiveCeilingTest {
  private static final HostId H1 = HostId.of("h1");
  private static final HostId H5 = HostId.of("h5");
  private static final IpAddress IP1 = IpAddress.parse("10.0.0.1");
  private static final IpAddress IP5 = IpAddress.parse("10.0.0.5");
  private static final PortId OF_VM = PortId.parse("host:h5/vm0");
  private static final PortId OF_UPLINK = PortId.parse("host:h5/up0");
  private static final TenantId RED = TenantId.of("red");
  private static final long PERIOD_MILLIS = 5;
  private static final long PERIOD_NANOS = 5_000_000;
  private static final long MEGABIT = 1_000_000;

  private final MemoryNetwork network =
      new MemoryNetwork().connect("s1", 1, 5).connect("s2", 1, 5).link("s1/5", "s2/5");
  private final MemoryNode node = new MemoryNode(network, "n1");
  private final HostHello receiver =
      hello("h5", endpoint("h5/vm0", "02:00:00:00:01:05", "10.0.0.5"));

  @BeforeEach
  void start() {
    network.setCapacity("s1/5", 50 * MEGABIT);
    network.setMaster("s1", "n1");
    network.setMaster("s2", "n1");
    network.seen("02:00:00:00:01:01", "s1/1", "10.0.0.1");
    network.seen("02:00:00:00:01:05", "s2/1", "10.0.0.5");
    node.start();
    node.link.connect(hello("h1", endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1")));
    node.link.connect(receiver);
    pass(2);
  }

  private void pass(int periods) {
    network.time.advanceMillis(periods * PERIOD_MILLIS);
  }

  private void setCeiling(long megabits) throws SluiceException {
    node.controller()
        .tenants()
        .put(
            Tenant.builder(RED)
                .receiveCeilingBitsPerSecond(megabits * MEGABIT)
                .members(List.of(Member.ofPrefix(IpPrefix.parse("10.0.0.5/32"))))
                .build());
    pass(2);
  }

  /** A control period in which a part of what arrives is marked, on the path and at the end. */
  private void arrive(long packets, long onPath, long atReceiver, PortId... ports) {
    report(H1, PairSample.of(IP1, IP5, packets, packets * 1500, 0, 0, 0, true));
    report(H5, PairSample.of(IP1, IP5, 0, 0, packets, packets * 1500, onPath));
    for (PortId one : ports) {
      node.link.report(
          UplinkMessage.ofPortQueues(
              PortQueueObservation.of(
                  H5,
                  network.time.nanoTime(),
                  PERIOD_NANOS,
                  List.of(
                      PortQueueSample.of(
                          one, packets, packets * 1500, 0, atReceiver, 0, 9, 13_500)))));
    }
    pass(1);
  }

  private void report(HostId host, PairSample pair) {
    node.link.report(
        UplinkMessage.ofObservation(
            HostObservation.of(
                host, network.time.nanoTime(), PERIOD_NANOS, List.of(pair), List.of())));
  }

  private List<UnitShare> shares(PortId of) {
    return node
        .link
        .listedTo(H1, DownlinkMessage.Kind.UNIT_SHARES, DownlinkMessage::unitShares)
        .stream()
        .filter(share -> share.port().equals(of))
        .collect(Collectors.toList());
  }

  private PortStatus status(PortId of) {
    return node.controller().ports().port(of).orElseThrow();
  }

  @Test
  void receiversHostIsSentTheCeiling() throws Exception {
    setCeiling(20);

    List<List<EndpointProfile>> sent =
        node.link.sentTo(H5, DownlinkMessage.Kind.PROFILES, DownlinkMessage::profiles);
    assertThat(sent.get(sent.size() - 1))
        .extracting(EndpointProfile::receiveCeilingBitsPerSecond)
        .containsExactly(20 * MEGABIT);
  }

  @Test
  void excessOverTheCeilingIsSharedAmongItsSenders() throws Exception {
    setCeiling(20);
    for (int i = 0; i < 20; i++) {
      arrive(10, 0, 5, OF_VM);
    }

    UnitShare share = shares(OF_VM).get(0);
    assertThat(share.capacityBitsPerSecond()).isEqualTo(19_600_000);
    assertThat(share.unitShareBitsPerSecond()).isEqualTo(19_306_000); // 0.985 of it
    assertThat(share.endpoints()).hasSize(1);
    assertThat(share.endpoints().get(0).destinations()).containsExactly(IP5);
    assertThat(shares(port("s1/5"))).isEmpty();
    network.time.advanceMillis(300);
    arrive(10, 0, 5, OF_VM);
    network.time.advanceMillis(700);
    assertThat(status(OF_VM).congested()).isTrue();
    assertThat(status(OF_VM).marksFrom()).contains(MarkSource.PORTS);
    assertThat(status(port("s1/5")).ceShare()).isZero();
  }

  @Test
  void marksOfThePathAreAttributedToPortsOfThePath() throws Exception {
    setCeiling(20);
    for (int i = 0; i < 200; i++) {
      arrive(10, 2, 5, OF_VM);
    }

    List<UnitShare> onPath = shares(port("s1/5"));
    assertThat(onPath).isNotEmpty();
    assertThat(status(port("s1/5")).ceShare()).isBetween(0.15, 0.25);
    assertThat(status(OF_VM).ceShare()).isBetween(0.45, 0.55);
  }

  @Test
  void removedCeilingEndsItsControl() throws Exception {
    setCeiling(20);
    arrive(10, 0, 5, OF_VM);
    assertThat(shares(OF_VM)).isNotEmpty();
    node.link.sent.clear();

    setCeiling(0);

    assertThat(shares(OF_VM)).extracting(UnitShare::expired).contains(true);
    arrive(10, 0, 5, OF_VM);
    network.time.advanceMillis(1100);
    assertThat(node.controller().ports().port(OF_VM)).isEmpty();
  }

  @Test
  void changedCeilingChangesTheCapacity() throws Exception {
    setCeiling(20);
    arrive(10, 0, 5, OF_VM);
    setCeiling(10);
    arrive(10, 0, 5, OF_VM);

    List<UnitShare> shares = shares(OF_VM);
    assertThat(shares.get(shares.size() - 1).capacityBitsPerSecond()).isEqualTo(9_800_000);
  }

  @Test
  void uplinkMayHaveAReceiveCeiling() throws Exception {
    setCeiling(20);
    node.link.disconnect(H5);
    node.link.connect(receiver.withUplinkReceiveCeiling(40 * MEGABIT));
    pass(2);
    for (int i = 0; i < 4; i++) {
      arrive(10, 0, 5, OF_UPLINK, OF_VM);
    }

    assertThat(shares(OF_UPLINK).get(0).capacityBitsPerSecond()).isEqualTo(39_200_000);
    assertThat(shares(OF_VM)).isNotEmpty();
    node.link.disconnect(H5);
    node.link.connect(receiver);
    pass(2);
    assertThat(shares(OF_UPLINK)).last().extracting(UnitShare::expired).isEqualTo(true);
  }

  @Test
  void leaderDecidesWhateverNodeIsMasterOfTheSwitches() throws Exception {
    setCeiling(20);
    network.setMaster("s1", "n2");
    network.setMaster("s2", "n2");
    pass(1);
    arrive(10, 2, 5, OF_VM);
    assertThat(shares(OF_VM)).isNotEmpty();
    assertThat(shares(port("s1/5"))).isEmpty();

    MemoryNode other = new MemoryNode(network, "n2").start();
    other.link.connect(receiver);
    node.leadership().withdraw(Topics.CLUSTER);
    node.link.sent.clear();
    pass(1);
    arrive(10, 0, 5, OF_VM);
    assertThat(shares(OF_VM)).as("they hold until the successor publishes").isEmpty();
    other.stop();
  }
}
