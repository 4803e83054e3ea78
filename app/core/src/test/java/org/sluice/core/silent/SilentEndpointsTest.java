// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.silent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.datapath;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.endpointId;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.core.testing.Samples.port;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.Finding;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.IpPrefix;
import org.sluice.api.JournalEntry;
import org.sluice.api.Member;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.UplinkMessage;
import org.sluice.core.spi.EdgeLimit;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

/**
 * Three senders behind a wire of 30 Mbit/s, each a tenant of its own; the agent of the first one
 * dies. In whole nodes.
 */
class SilentEndpointsTest {
  private static final long PERIOD_NANOS = 5_000_000;
  private static final long MEGABIT = 1_000_000;
  private static final HostId H1 = HostId.of("h1");
  private static final IpAddress RECEIVER = IpAddress.parse("10.0.0.5");
  private static final long LEASE_MILLIS = 5000;
  private static final long CHECK_MILLIS = 500;

  private final MemoryNetwork network =
      new MemoryNetwork().connect("s1", 1, 2, 3, 5).connect("s2", 1, 5).link("s1/5", "s2/5");
  private final List<MemoryNode> nodes = new ArrayList<>();
  private final Set<Integer> dead = new HashSet<>();
  private MemoryNode node;

  @BeforeEach
  void start() throws Exception {
    network.setCapacity("s1/5", 30 * MEGABIT);
    network.setMaster("s1", "n1");
    network.setMaster("s2", "n1");
    for (int n : new int[] {1, 2, 3}) {
      network.seen("02:00:00:00:01:0" + n, "s1/" + n, "10.0.0." + n);
    }
    network.seen("02:00:00:00:01:05", "s2/1", "10.0.0.5");
    node = join("n1");
    for (int n : new int[] {1, 2, 3}) {
      tenant(n, tenant -> tenant);
    }
    network.time.advanceMillis(6000);
  }

  private void tenant(int n, java.util.function.UnaryOperator<Tenant.Builder> with)
      throws Exception {
    Member member = Member.ofPrefix(IpPrefix.parse("10.0.0." + n + "/32"));
    node.controller()
        .tenants()
        .put(with.apply(Tenant.builder(TenantId.of("t" + n)).members(List.of(member))).build());
  }

  private static HostHello helloOf(int n) {
    return hello("h" + n, endpoint("h" + n + "/vm0", "02:00:00:00:01:0" + n, "10.0.0." + n));
  }

  private MemoryNode join(String name) {
    MemoryNode joined = new MemoryNode(network, name).start();
    nodes.add(joined);
    for (int n : new int[] {1, 2, 3, 5}) {
      joined.link.connect(helloOf(n));
    }
    network.time.advanceMillis(10);
    return joined;
  }

  private void kill(int n) {
    dead.add(n);
    nodes.forEach(each -> each.link.disconnect(HostId.of("h" + n)));
  }

  private void revive(int n) {
    dead.remove(n);
    nodes.forEach(each -> each.link.connect(helloOf(n)));
  }

  /** Senders send so much, and their packets arrive, marked or not. Dead agents report nothing. */
  private void send(long millis, boolean marked, double... mbits) {
    for (long passed = 0; passed < millis; passed += 5) {
      List<PairSample> received = new ArrayList<>();
      for (int n = 1; n <= mbits.length; n++) {
        long bytes = Math.round(mbits[n - 1] * 1e6 / 8 * PERIOD_NANOS / 1e9);
        long packets = bytes / 500;
        if (packets == 0) {
          continue;
        }
        IpAddress source = IpAddress.parse("10.0.0." + n);
        if (!dead.contains(n)) {
          // Who is squeezed by a flood loses packets, and holds none.
          boolean waits = mbits[n - 1] >= 10;
          report("h" + n, List.of(PairSample.of(source, RECEIVER, packets, bytes, 0, 0, 0, waits)));
        }
        received.add(
            PairSample.of(source, RECEIVER, 0, 0, packets, bytes, marked ? packets / 4 + 1 : 0));
      }
      report("h5", received);
      network.time.advanceNanos(PERIOD_NANOS);
    }
  }

  private void report(String host, List<PairSample> pairs) {
    HostObservation observation =
        HostObservation.of(
            HostId.of(host), network.time.nanoTime(), PERIOD_NANOS, pairs, List.of());
    nodes.forEach(each -> each.link.report(UplinkMessage.ofObservation(observation)));
  }

  private static Map<String, Long> limits(MemoryNode of) {
    Map<String, Long> found = new TreeMap<>();
    for (EdgeLimit limit : of.limits.get(of.limits.size() - 1)) {
      found.put(limit.endpoint().toString(), limit.bitsPerSecond());
    }
    return found;
  }

  private double limitMbits() {
    return limits(node).get("h1/vm0") / 1e6;
  }

  @Test
  void endpointOfASilentAgentIsLimitedToItsShareAfterTheLease() {
    send(200, true, 10, 10, 10);
    kill(1);
    send(LEASE_MILLIS - 100, true, 10, 10, 10);
    assertThat(limits(node)).isEmpty();

    send(100 + CHECK_MILLIS, true, 20, 10, 10);

    EdgeLimit limit = node.limits.get(node.limits.size() - 1).get(0);
    assertThat(limit.endpoint()).isEqualTo(endpointId("h1/vm0"));
    assertThat(limit.port()).isEqualTo(port("s1/1"));
    assertThat(limit.ips()).containsExactly(IpAddress.parse("10.0.0.1"));
    assertThat(limitMbits()).isBetween(9.5, 10.5);
  }

  @Test
  void limitFollowsTheCapacityThatOthersLeave() {
    send(200, true, 15, 15);
    kill(1);
    send(LEASE_MILLIS + CHECK_MILLIS, true, 25, 15);
    assertThat(limitMbits()).isBetween(14.0, 16.0);

    send(2000, true, 15, 15, 15);
    assertThat(limitMbits()).as("another one sends, too").isBetween(9.5, 10.5);

    send(5000, true, 15, 15);
    assertThat(limitMbits()).as("up in steps").isBetween(12.0, 13.0);
    send(10_000, true, 15, 15);
    assertThat(limitMbits()).isBetween(14.0, 16.0);
  }

  @Test
  void excessTrafficDoesNotRaiseTheLimit() {
    send(200, true, 10, 10, 10);
    kill(1);
    send(LEASE_MILLIS, true, 10, 10, 10);
    send(4_000, true, 24, 3, 3);
    assertThat(limitMbits()).isBetween(9.5, 10.5);
  }

  @Test
  void limitIsTheCeilingOrTheNicWithoutCongestion() throws Exception {
    kill(1);
    send(LEASE_MILLIS + CHECK_MILLIS, false, 3);
    assertThat(limitMbits()).as("of the NIC").isEqualTo(50);

    tenant(1, tenant -> tenant.ceilingBitsPerSecond(4 * MEGABIT));
    send(2000, false, 3);
    assertThat(limitMbits()).isEqualTo(4);
  }

  @Test
  void limitIsAtLeastTheGuarantee() throws Exception {
    tenant(1, tenant -> tenant.guaranteeBitsPerSecond(20 * MEGABIT));
    send(200, true, 20, 10, 10);
    kill(1);
    send(LEASE_MILLIS + CHECK_MILLIS, true, 20, 10, 10);
    assertThat(limitMbits()).isBetween(19.9, 21.0);
  }

  @Test
  void reconnectedAgentEndsTheLimitAtOnce() {
    kill(1);
    network.time.advanceMillis(LEASE_MILLIS + CHECK_MILLIS);
    assertThat(limits(node)).isNotEmpty();
    revive(1);
    network.time.advanceMillis(1);
    assertThat(limits(node)).isEmpty();
  }

  @Test
  void agentRestartWithinTheLeaseSetsNoLimit() {
    for (int i = 0; i < 10; i++) {
      kill(1);
      network.time.advanceMillis(LEASE_MILLIS - 1);
      revive(1);
      network.time.advanceMillis(10);
    }
    assertThat(node.limits).containsExactly(List.of());
  }

  @Test
  void stoppedAgentIsNotSilent() {
    UplinkMessage leaving =
        UplinkMessage.ofEvent(HostEvent.of(H1, HostEvent.Kind.LEAVING, "", List.of()));
    nodes.forEach(each -> each.link.report(leaving));
    kill(1);
    network.time.advanceMillis(60_000);
    assertThat(node.limits).containsExactly(List.of());

    revive(1);
    kill(1);
    network.time.advanceMillis(LEASE_MILLIS + CHECK_MILLIS);
    assertThat(limits(node)).as("this time it died").containsKey("h1/vm0");
  }

  @Test
  void movedEndpointIsLimitedAtItsNewPortUnlessAnAgentIsThere() {
    kill(1);
    network.time.advanceMillis(LEASE_MILLIS + CHECK_MILLIS);
    network.seen("02:00:00:00:01:01", "s2/1", "10.0.0.1");
    network.time.advanceMillis(CHECK_MILLIS);
    assertThat(node.limits.get(node.limits.size() - 1))
        .extracting(EdgeLimit::port)
        .containsExactly(port("s2/1"));

    network.disconnect("s1");
    network.connect("s1", 2, 3, 5); // Its own port is down: the address yields to who is there.
    network.time.advanceMillis(10_000);
    nodes.forEach(
        each ->
            each.link.connect(
                hello(
                    "h3",
                    endpoint("h3/vm0", "02:00:00:00:01:03", "10.0.0.3"),
                    endpoint("h3/vm1", "02:00:00:00:01:01", "10.0.0.1"))));
    network.time.advanceMillis(10_000);
    assertThat(limits(node)).isEmpty();
  }

  @Test
  void nothingIsLimitedWhileAnotherApplicationForwards() {
    network.setForwarding(false, true);
    kill(1);
    network.time.advanceMillis(LEASE_MILLIS + CHECK_MILLIS);
    assertThat(limits(node)).isEmpty();

    network.setForwarding(true, true);
    network.time.advanceMillis(CHECK_MILLIS);
    assertThat(limits(node)).containsKey("h1/vm0");
    network.setForwarding(false, true);
    network.time.advanceMillis(CHECK_MILLIS);
    assertThat(limits(node)).isEmpty();
  }

  @Test
  void reconnectedSwitchGetsNoLimitsForReconnectedAgents() {
    network.disconnect("s1");
    kill(1);
    network.time.advanceMillis(60_000);
    assertThat(limits(node)).isEmpty();
    network.connect("s1", 1, 2, 3, 5);
    network.time.advanceMillis(LEASE_MILLIS - CHECK_MILLIS);
    revive(1);
    network.time.advanceMillis(60_000);
    assertThat(node.limits).containsExactly(List.of());
  }

  @Test
  void endpointsOfTwoSilentAgentsAreEachLimitedToTheirShare() {
    send(200, true, 10, 10, 10);
    kill(1);
    kill(2);
    send(LEASE_MILLIS + CHECK_MILLIS, true, 20, 20, 10);
    assertThat(limits(node).values().stream().mapToLong(Long::longValue).sum())
        .isLessThan(21 * MEGABIT);
    assertThat(limits(node)).containsOnlyKeys("h1/vm0", "h2/vm0");
  }

  @Test
  void beginAndEndAreJournaled() {
    kill(1);
    network.time.advanceMillis(LEASE_MILLIS + CHECK_MILLIS);
    revive(1);
    network.time.advanceMillis(CHECK_MILLIS);
    assertThat(node.journal.entries(-1, Optional.empty(), 100))
        .filteredOn(entry -> entry.decision().contains("edge ports"))
        .extracting(JournalEntry::decision)
        .containsExactlyInAnyOrder(
            "Endpoints of host h1 are limited at their edge ports",
            "Endpoints of host h1 are not limited at their edge ports any more");
  }

  @Test
  void findingHasThePortTheLimitAndItsEnforcement() {
    send(200, true, 10, 10, 10);
    kill(1);
    send(LEASE_MILLIS + 2 * CHECK_MILLIS, true, 10, 10, 10);
    assertThat(ofH1().what())
        .matches(
            ".*h1/vm0 \\(takes (9\\.\\d|10\\.\\d) Mbit/s of 30\\.0 Mbit/s of "
                + port("s1/5")
                + ", limited to (9\\.\\d|10\\.\\d) Mbit/s at "
                + port("s1/1")
                + "\\)");
    assertThat(ofH1().severity()).isEqualTo(Finding.Severity.ERROR);

    node.refusing.add(datapath("s1"));
    send(CHECK_MILLIS, true, 10, 10, 10);
    assertThat(ofH1().what()).contains("not limited at " + port("s1/1") + ": the switch");
  }

  private Finding ofH1() {
    return node.controller().doctor().examine().stream()
        .filter(finding -> finding.about().equals("host h1"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void agentConnectedToAnotherNodeIsNotSilent() {
    MemoryNode second = join("n2");
    node.link.disconnect(H1);
    network.time.advanceMillis(60_000);
    assertThat(limits(node)).isEmpty();

    second.link.disconnect(H1);
    network.time.advanceMillis(LEASE_MILLIS + 2 * CHECK_MILLIS);
    assertThat(limits(node)).containsKey("h1/vm0");
    assertThat(limits(second)).containsKey("h1/vm0");

    second.link.connect(helloOf(1));
    network.time.advanceMillis(2000);
    assertThat(limits(node)).isEmpty();
    assertThat(limits(second)).isEmpty();
  }

  @Test
  void edgeSwitchMasterUsesSharesOfTheCongestedPortsMaster() {
    network.setMaster("s2", "n2"); // A port there is congested,
    network.setCapacity("s2/1", 15 * MEGABIT);
    network.setCapacity("s1/5", 1000 * MEGABIT);
    MemoryNode second = join("n2");
    network.time.advanceMillis(6000);
    send(200, true, 5, 5, 5);
    kill(1);
    send(LEASE_MILLIS + 3000, true, 10, 5, 5);

    assertThat(limitMbits()).as("at the edge switch's master").isBetween(4.7, 5.3);
    assertThat(limits(second).get("h1/vm0") / 1e6).isBetween(4.7, 5.3);
  }

  @Test
  void viewOfAFailedNodeExpires() {
    MemoryNode second = join("n2");
    node.link.disconnect(H1);
    network.time.advanceMillis(20_000);
    assertThat(limits(node)).isEmpty();
    nodes.remove(second);
    second.stop();
    network.time.advanceMillis(NodeViews.FRESH_NANOS / 1_000_000 + CHECK_MILLIS);
    assertThat(limits(node)).containsKey("h1/vm0");
  }

  @Test
  void clusterStorageIsEmptyWithoutSilentAgents() {
    join("n2");
    assertThat(network.storage.map("sluice-silent").entries()).isEmpty();
    kill(1);
    network.time.advanceMillis(20_000);
    assertThat(network.storage.map("sluice-silent").entries()).hasSize(2);
    revive(1);
    network.time.advanceMillis(20_000);
    assertThat(network.storage.map("sluice-silent").entries()).isEmpty();
  }

  @Test
  void nodeUsesItsOwnConnectionsWithoutClusterStorage() {
    network.storage.setAvailable(false);
    kill(1);
    network.time.advanceMillis(LEASE_MILLIS + CHECK_MILLIS);
    assertThat(limits(node)).containsKey("h1/vm0");
  }
}
