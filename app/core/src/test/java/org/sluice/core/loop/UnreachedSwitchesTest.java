// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.api.Finding;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.HostSettings;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.link.UnitShare;
import org.sluice.api.link.UplinkMessage;
import org.sluice.core.counter.CounterRunner;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

/**
 * A whole node whose platform has no connections to switches: hosts mark what exceeds their NICs.
 */
class UnreachedSwitchesTest {
  private static final HostId H1 = HostId.of("h1");
  private static final HostId H2 = HostId.of("h2");
  private static final IpAddress IP1 = IpAddress.parse("10.0.0.1");
  private static final IpAddress IP2 = IpAddress.parse("10.0.0.2");
  private static final PortId UPLINK = PortId.parse("host:h2/up0");
  private static final long PERIOD_NANOS = 5_000_000;

  private final MemoryNetwork network = new MemoryNetwork().connect("s1", 1, 2);
  private final MemoryNode node = new MemoryNode(network, "n1");
  private final HostHello receiver =
      hello("h2", endpoint("h2/vm0", "02:00:00:00:01:02", "10.0.0.2"));

  private void start() {
    node.reachesSwitches = false;
    network.setMaster("s1", "n1");
    network.seen("02:00:00:00:01:01", "s1/1", "10.0.0.1");
    network.seen("02:00:00:00:01:02", "s1/2", "10.0.0.2");
    node.start();
    node.link.connect(hello("h1", endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1")));
    node.link.connect(receiver);
    network.time.advanceMillis(10);
  }

  @Test
  void uplinksAreSharedAsIfTheirCapacityWereAReceiveCeiling() {
    start();
    List<HostSettings> settings =
        node.link.sentTo(H2, DownlinkMessage.Kind.SETTINGS, DownlinkMessage::settings);
    assertThat(settings).last().extracting(HostSettings::receiversMark).isEqualTo(true);
    for (int i = 0; i < 4; i++) {
      long now = network.time.nanoTime();
      report(H1, PairSample.of(IP1, IP2, 10, 15_000, 0, 0, 0, true));
      report(H2, PairSample.of(IP1, IP2, 0, 0, 10, 15_000, 0));
      node.link.report(
          UplinkMessage.ofPortQueues(
              PortQueueObservation.of(
                  H2,
                  now,
                  PERIOD_NANOS,
                  List.of(PortQueueSample.of(UPLINK, 10, 15_000, 0, 5, 0, 9, 13_500)))));
      network.time.advanceMillis(5);
    }
    assertThat(
            node.link.listedTo(H1, DownlinkMessage.Kind.UNIT_SHARES, DownlinkMessage::unitShares))
        .filteredOn(share -> share.port().equals(UPLINK))
        .extracting(UnitShare::capacityBitsPerSecond)
        .contains((long) (receiver.uplinkCapacityBitsPerSecond() * 0.98));
  }

  private void report(HostId host, PairSample pair) {
    node.link.report(
        UplinkMessage.ofObservation(
            HostObservation.of(
                host, network.time.nanoTime(), PERIOD_NANOS, List.of(pair), List.of())));
  }

  @Test
  void nobodyAwaitsConnectionsOfSwitches() {
    start();
    network.time.advanceNanos(2 * CounterRunner.CONNECT_GRACE_NANOS);
    assertThat(node.counters.targets).isEmpty();
    assertThat(node.controller().counters().switches()).isEmpty();
    assertThat(node.controller().doctor().examine())
        .extracting(Finding::about)
        .doesNotContain("fast counters", "of:0000000000000001");
    assertThat(node.settings.refusals()).isEmpty();
  }
}
