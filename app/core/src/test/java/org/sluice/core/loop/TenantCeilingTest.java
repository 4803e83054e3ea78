// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.IpPrefix;
import org.sluice.api.Member;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.UplinkMessage;
import org.sluice.core.setting.Topics;
import org.sluice.core.testing.MemoryCluster;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

/** A tenant's ceiling of 90 Mbit/s over three hosts, in whole nodes; nothing is marked. */
class TenantCeilingTest {
  private static final TenantId RED = TenantId.of("red");
  private static final IpAddress TARGET = IpAddress.parse("10.0.0.5");
  private static final long PERIOD_MILLIS = 5;
  private static final long PERIOD_NANOS = 5_000_000;
  private static final long PACKET_BYTES = 1500;
  private static final double MEGABIT = 1e6;

  private final MemoryNetwork network =
      new MemoryNetwork().connect("s1", 1, 2, 3, 5).connect("s2", 1, 5).link("s1/5", "s2/5");
  private final List<MemoryNode> nodes = new ArrayList<>();
  private final double[] left = new double[4];
  private MemoryNode node;

  @BeforeEach
  void start() throws SluiceException {
    network.setMaster("s1", "n1");
    network.setMaster("s2", "n1");
    node = join("n1");
    node.controller()
        .tenants()
        .put(
            Tenant.builder(RED)
                .ceilingBitsPerSecond(90_000_000)
                .members(
                    List.of(
                        Member.ofPrefix(IpPrefix.parse("10.0.0.1/32")),
                        Member.ofPrefix(IpPrefix.parse("10.0.0.2/32")),
                        Member.ofPrefix(IpPrefix.parse("10.0.0.3/32"))))
                .build());
    network.time.advanceMillis(100);
  }

  private MemoryNode join(String name) {
    MemoryNode joined = new MemoryNode(network, name).start();
    nodes.add(joined);
    for (int n : new int[] {1, 2, 3, 5}) {
      joined.link.connect(
          hello("h" + n, endpoint("h" + n + "/vm0", "02:00:00:00:01:0" + n, "10.0.0." + n)));
    }
    network.time.advanceMillis(10);
    return joined;
  }

  /** Endpoints send as much as they want and their hosts let them, for so long. */
  private void send(MemoryNode leader, long millis, double... wantedMbits) {
    for (long passed = 0; passed < millis; passed += PERIOD_MILLIS) {
      for (int n = 1; n <= wantedMbits.length; n++) {
        left[n] += Math.min(wantedMbits[n - 1], ceiling(leader, n)) * PERIOD_MILLIS / 12;
        long packets = (long) left[n];
        left[n] -= packets;
        if (packets > 0) {
          IpAddress source = IpAddress.parse("10.0.0." + n);
          long bytes = packets * PACKET_BYTES;
          report("h" + n, PairSample.of(source, TARGET, packets, bytes, 0, 0, 0));
          report("h5", PairSample.of(source, TARGET, 0, 0, packets, bytes, 0));
        }
      }
      network.time.advanceMillis(PERIOD_MILLIS);
    }
  }

  private void report(String host, PairSample pair) {
    HostObservation observation =
        HostObservation.of(
            HostId.of(host), network.time.nanoTime(), PERIOD_NANOS, List.of(pair), List.of());
    nodes.forEach(each -> each.link.report(UplinkMessage.ofObservation(observation)));
  }

  /** As its host received it last, Mbit/s. */
  private static double ceiling(MemoryNode by, int n) {
    List<List<EndpointProfile>> sent =
        by.link.sentTo(
            HostId.of("h" + n), DownlinkMessage.Kind.PROFILES, DownlinkMessage::profiles);
    return sent.get(sent.size() - 1).get(0).ceilingBitsPerSecond() / MEGABIT;
  }

  private static double sum(MemoryNode by) {
    return ceiling(by, 1) + ceiling(by, 2) + ceiling(by, 3);
  }

  @Test
  void endpointsOnSeveralHostsKeepTheCeilingTogether() {
    assertThat(ceiling(node, 1)).as("before anybody sends").isCloseTo(30, within(0.1));
    send(node, 1000, 500, 500, 500);
    assertThat(ceiling(node, 1)).isCloseTo(30, within(0.5));
    assertThat(sum(node)).isCloseTo(90, within(0.5));
    send(node, 1000, 500, 500);
    assertThat(ceiling(node, 1)).as("one has ended").isCloseTo(45, within(1.0));
    assertThat(sum(node)).isLessThan(99);
    assertThat(ceiling(node, 3)).isCloseTo(1.5, within(0.1));
  }

  @Test
  void ceilingIsDividedByMemberWeights() throws SluiceException {
    node.controller()
        .tenants()
        .put(
            Tenant.builder(RED)
                .ceilingBitsPerSecond(90_000_000)
                .members(
                    List.of(
                        Member.ofPrefix(IpPrefix.parse("10.0.0.1/32")).withWeight(2),
                        Member.ofPrefix(IpPrefix.parse("10.0.0.2/32")),
                        Member.ofPrefix(IpPrefix.parse("10.0.0.3/32"))))
                .build());
    send(node, 1000, 500, 500, 500);
    assertThat(ceiling(node, 1)).isCloseTo(45, within(1.0));
    assertThat(ceiling(node, 2)).isCloseTo(22.5, within(0.5));
  }

  @Test
  void eachEndpointHasTheWholeCeilingWithShareEndpoint() {
    send(node, 200, 500, 500, 500);
    node.set("share", "endpoint");
    network.time.advanceMillis(50);
    assertThat(ceiling(node, 1)).isEqualTo(90);
    assertThat(sum(node)).isEqualTo(270);
  }

  /** It may take itself for the leader still, and hosts go by what they receive last. */
  @Test
  void leaderThatIsCutOffPublishesNoParts() {
    MemoryNode second = join("n2");
    send(node, 1000, 500, 500);
    network.cluster.keepLeadersThatAreCutOff();
    network.cluster.cut("n1");
    network.time.advanceMillis(MemoryCluster.SESSION_MILLIS + 1_000);
    node.link.sent.clear();

    send(second, 1000, 500, 500, 500);
    assertThat(ceiling(second, 3)).isCloseTo(30, within(0.5));
    assertThat(node.link.sentTo(HostId.of("h3"), DownlinkMessage.Kind.PROFILES, each -> each))
        .isEmpty();
  }

  /** Hosts keep what they received; another leader has divided it too. */
  @Test
  void nextLeaderContinuesWithTheSameParts() {
    MemoryNode second = join("n2");
    send(node, 1000, 500, 500);
    assertThat(second.link.sent).isEmpty();
    nodes.remove(node);
    node.stop();
    network.time.advanceMillis(10);
    assertThat(network.leaderOf(Topics.CLUSTER)).contains("n2");
    assertThat(ceiling(second, 1)).isCloseTo(45, within(1.0));
    send(second, 1000, 500, 500, 500);
    assertThat(ceiling(second, 3)).isCloseTo(30, within(0.5));
  }
}
