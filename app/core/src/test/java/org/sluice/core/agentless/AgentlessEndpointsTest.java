// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.agentless;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.core.testing.Samples.port;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.Finding;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.UplinkMessage;
import org.sluice.core.spi.EdgeLimit;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

/**
 * Three senders behind a wire of 30 Mbit/s. Hosts h1 and h2 have agents, the machine behind s1/3
 * and the receiver behind s2/2 have none; the receiver h5 behind s2/1 has one. In a whole node.
 */
class AgentlessEndpointsTest {
  private static final long PERIOD_NANOS = 5_000_000;
  private static final IpAddress MANAGED = IpAddress.parse("10.0.0.5");
  private static final IpAddress AGENTLESS = IpAddress.parse("10.0.0.6");

  private final MemoryNetwork network =
      new MemoryNetwork().connect("s1", 1, 2, 3, 5).connect("s2", 1, 2, 5).link("s1/5", "s2/5");
  private final String limited =
      "port-" + port("s1/3").datapath().replace(':', '.') + "-3/020000000103";
  private MemoryNode node;

  /** What h2 offers to the receiver without an agent; its host lets 10 Mbit/s of it out. */
  private double offeredMbits;

  @BeforeEach
  void start() {
    network.setCapacity("s1/5", 30_000_000);
    network.setMaster("s1", "n1");
    network.setMaster("s2", "n1");
    for (int n : new int[] {1, 2, 3}) {
      network.seen("02:00:00:00:01:0" + n, "s1/" + n, "10.0.0." + n);
    }
    network.seen("02:00:00:00:01:05", "s2/1", "10.0.0.5");
    network.seen("02:00:00:00:01:06", "s2/2", "10.0.0.6");
    node = new MemoryNode(network, "n1").start();
    for (int n : new int[] {1, 2, 5}) {
      node.link.connect(helloOf(n));
    }
    network.time.advanceMillis(6000);
  }

  @AfterEach
  void stop() {
    node.stop();
  }

  private static HostHello helloOf(int n) {
    return hello("h" + n, endpoint("h" + n + "/vm0", "02:00:00:00:01:0" + n, "10.0.0." + n));
  }

  /** The three send to h5, and the last one to the receiver without an agent, too, in Mbit/s. */
  private void send(long millis, boolean marked, double[] toManaged, double toAgentless) {
    for (long passed = 0; passed < millis; passed += 5) {
      List<PairSample> received = new ArrayList<>();
      for (int n = 1; n <= toManaged.length; n++) {
        long bytes = bytes(toManaged[n - 1]);
        long packets = bytes / 500;
        if (packets == 0) {
          continue;
        }
        IpAddress source = IpAddress.parse("10.0.0." + n);
        if (n < 3) {
          report("h" + n, List.of(PairSample.of(source, MANAGED, packets, bytes, 0, 0, 0, true)));
        }
        long marks = marked ? packets / 4 + 1 : 0;
        received.add(PairSample.of(source, MANAGED, 0, 0, packets, bytes, marks));
      }
      report("h5", received);
      if (offeredMbits > 0) {
        long bytes = bytes(offeredMbits);
        IpAddress source = IpAddress.parse("10.0.0.2");
        report("h2", List.of(PairSample.of(source, AGENTLESS, bytes / 500, bytes, 0, 0, 0, true)));
      }
      double all = (toManaged.length > 2 ? toManaged[2] : 0) + toAgentless;
      count("s1/3", bytes(all), 0);
      count("s2/2", 0, bytes(toAgentless + Math.min(offeredMbits, 10)));
      network.time.advanceNanos(PERIOD_NANOS);
    }
  }

  private static long bytes(double mbits) {
    return Math.round(mbits * 1e6 / 8 * PERIOD_NANOS / 1e9);
  }

  private void report(String host, List<PairSample> pairs) {
    HostObservation observation =
        HostObservation.of(
            HostId.of(host), network.time.nanoTime(), PERIOD_NANOS, pairs, List.of());
    node.link.report(UplinkMessage.ofObservation(observation));
  }

  private void count(String at, long rxBytes, long txBytes) {
    node.counters.poll(
        PortSample.builder(port(at))
            .rxBytes(rxBytes)
            .rxPackets(rxBytes / 500)
            .txBytes(txBytes)
            .txPackets(txBytes / 500)
            .intervalNanos(PERIOD_NANOS)
            .build());
  }

  private Map<String, Double> limitsMbits() {
    Map<String, Double> found = new TreeMap<>();
    for (EdgeLimit limit : node.limits.get(node.limits.size() - 1)) {
      found.put(limit.endpoint().toString(), limit.bitsPerSecond() / 1e6);
    }
    return found;
  }

  private List<Finding> findings() {
    return node.controller().doctor().examine();
  }

  @Test
  void senderWithoutAnAgentIsHeldToItsShareBesideThoseWithOne() {
    send(1000, true, new double[] {5, 5, 20}, 0);

    EdgeLimit limit = node.limits.get(node.limits.size() - 1).get(0);
    assertThat(limit.port()).isEqualTo(port("s1/3"));
    assertThat(limit.ips()).containsExactly(IpAddress.parse("10.0.0.3"));
    assertThat(limitsMbits()).containsOnlyKeys(limited);
    assertThat(limitsMbits().get(limited)).isBetween(9.5, 10.5);
    assertThat(findings())
        .anySatisfy(
            finding ->
                assertThat(finding.what())
                    .matches(
                        "Machines behind it have no agent and send where others do \\(takes"
                            + " (19|20)\\..* of 30.0 Mbit/s of .*, limited to \\d+\\.. Mbit/s at .*"));
  }

  @Test
  void whatItSendsToAReceiverWithoutAnAgentCountsAsPortsSeeIt() {
    send(2000, true, new double[] {5, 5}, 20);

    assertThat(limitsMbits()).containsOnlyKeys(limited);
    assertThat(limitsMbits().get(limited)).isBetween(9.5, 10.5);
  }

  @Test
  void whatAHostHoldsBackIsNotTakenForWhatArrives() {
    offeredMbits = 40;

    send(2000, true, new double[] {10, 0}, 8);

    assertThat(limitsMbits()).containsOnlyKeys(limited);
    assertThat(limitsMbits().get(limited)).isBetween(9.0, 10.5);
  }

  @Test
  void moreThanAPortCountsGoesToNobodyBehindIt() {
    for (int i = 0; i < 600; i++) {
      count("s1/3", bytes(25), 0);
      count("s2/2", 0, bytes(1));
      network.time.advanceNanos(PERIOD_NANOS);
    }

    long load = node.controller().ports().port(port("s1/5")).orElseThrow().loadBitsPerSecond();

    assertThat(load).as("a router's packets from elsewhere").isBetween(900_000L, 1_100_000L);
  }

  @Test
  void amongThemselvesTheyAreLeftAlone() {
    send(1000, true, new double[] {5, 5, 20}, 0);
    assertThat(limitsMbits()).isNotEmpty();

    send(200_000, true, new double[] {0, 0, 20}, 0);

    assertThat(limitsMbits()).isEmpty();
  }

  @Test
  void nobodyIsLimitedWithoutCongestion() {
    send(5000, false, new double[] {5, 5, 10}, 2);

    assertThat(limitsMbits()).isEmpty();
  }

  @Test
  void anAgentThatComesTakesOver() {
    send(1000, true, new double[] {5, 5, 20}, 0);
    assertThat(limitsMbits()).isNotEmpty();

    node.link.connect(helloOf(3));
    send(1000, true, new double[] {10, 10, 10}, 0);

    assertThat(limitsMbits()).isEmpty();
  }

  @Test
  void whereOthersForwardItIsAFindingThatNobodyLimitsIt() {
    network.setForwarding(false, true);

    send(2000, true, new double[] {5, 5, 20}, 0);

    assertThat(limitsMbits()).isEmpty();
    assertThat(findings())
        .anySatisfy(
            finding -> {
              assertThat(finding.about()).isEqualTo("port " + port("s1/3"));
              assertThat(finding.what()).contains("not limited");
            });
  }
}
