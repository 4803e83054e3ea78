// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.why;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointTraffic;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.IpPrefix;
import org.sluice.api.JournalEntry;
import org.sluice.api.MegabitRate;
import org.sluice.api.Member;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.TenantRates;
import org.sluice.api.access.Caller;
import org.sluice.api.link.EndpointSample;
import org.sluice.api.link.GroupSample;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.UplinkMessage;
import org.sluice.api.why.Explanation;
import org.sluice.api.why.Explanation.Cause;
import org.sluice.api.why.PortReason;
import org.sluice.api.why.PortUserStatus;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

/** Three tenants send through a port of 48 Mbit/s, in a whole node; a third is marked. */
class ExplanationsTest {
  private static final IpAddress TARGET = IpAddress.parse("10.0.0.5");
  private static final PortId FULL = PortId.parse("of:0000000000000001/5");
  private static final Caller ADMIN = Caller.of(Caller.ADMIN_ROLE::equals);
  private static final long PERIOD_MILLIS = 5;
  private static final long MEGABIT = 1_000_000;
  private static final long NIC = 1_000 * MEGABIT;

  private final MemoryNetwork network =
      new MemoryNetwork().connect("s1", 1, 2, 3, 5).connect("s2", 1, 5).link("s1/5", "s2/5");
  private final MemoryNode node = new MemoryNode(network, "n1");

  @BeforeEach
  void start() throws SluiceException {
    network.setCapacity("s1/5", 48 * MEGABIT);
    network.setMaster("s1", "n1");
    network.setMaster("s2", "n1");
    for (int n : new int[] {1, 2, 3}) {
      network.seen("02:00:00:00:01:0" + n, "s1/" + n, "10.0.0." + n);
    }
    network.seen("02:00:00:00:01:05", "s2/1", "10.0.0.5");
    node.start();
    for (int n : new int[] {1, 2, 3, 5}) {
      node.link.connect(
          hello("h" + n, endpoint("h" + n + "/vm0", "02:00:00:00:01:0" + n, "10.0.0." + n)));
    }
    put("red", 1, 0);
    put("green", 2, 0);
    put("blue", 3, 0);
    network.time.advanceMillis(100);
  }

  private void put(String tenant, int n, long ceiling) throws SluiceException {
    node.controller()
        .tenants()
        .put(
            Tenant.builder(TenantId.of(tenant))
                .ceilingBitsPerSecond(ceiling)
                .members(List.of(Member.ofPrefix(IpPrefix.parse("10.0.0." + n + "/32"))))
                .build());
  }

  /** So many packets of 1500 bytes in every 5 ms, 2.4 Mbit/s each; hosts have these limits. */
  private void send(long millis, boolean marked, long limit, long portLimit, int... packets) {
    for (long passed = 0; passed < millis; passed += PERIOD_MILLIS) {
      List<PairSample> arrived = new ArrayList<>();
      for (int n = 1; n <= packets.length; n++) {
        int count = packets[n - 1];
        if (count > 0) {
          IpAddress source = IpAddress.parse("10.0.0." + n);
          long bytes = 1500L * count;
          int marks = marked ? (count + 2) / 3 : 0;
          arrived.add(PairSample.of(source, TARGET, 0, 0, count, bytes, marks));
          report("h" + n, List.of(PairSample.of(source, TARGET, count, bytes, 0, 0, 0)));
        }
        limit(n, limit, portLimit);
      }
      report("h5", arrived);
      network.time.advanceMillis(PERIOD_MILLIS);
    }
  }

  private void report(String host, List<PairSample> pairs) {
    node.link.report(
        UplinkMessage.ofObservation(
            HostObservation.of(
                HostId.of(host), network.time.nanoTime(), 5 * MEGABIT, pairs, List.of())));
  }

  private void limit(int n, long limit, long portLimit) {
    HostId host = HostId.of("h" + n);
    List<GroupSample> groups =
        portLimit == 0 ? List.of() : List.of(GroupSample.of(FULL, portLimit, 0.3, 0));
    EndpointSample sample =
        EndpointSample.of(EndpointId.of(host, "vm0"), limit, 0, 0, 0, 0, 0, 0, groups);
    node.link.report(
        UplinkMessage.ofObservation(
            HostObservation.of(
                host, network.time.nanoTime(), 5 * MEGABIT, List.of(), List.of(sample))));
  }

  private Explanation why(int n, Caller caller) throws SluiceException {
    EndpointId id = EndpointId.of(HostId.of("h" + n), "vm0");
    return node.controller()
        .explanations()
        .why(node.controller().endpoints().endpoint(id).orElseThrow(), caller);
  }

  private EndpointTraffic traffic(int n) {
    EndpointId id = EndpointId.of(HostId.of("h" + n), "vm0");
    return node.controller().endpoints().endpoint(id).orElseThrow().traffic();
  }

  @Test
  void explanationHasThePortItsOtherUsersAndTheEffectOfMoreWeight() throws SluiceException {
    send(2_000, true, NIC, 16 * MEGABIT, 7, 7, 7);
    Explanation red = why(1, ADMIN);

    assertThat(red.cause()).isEqualTo(Cause.PORT);
    assertThat(red.limitBitsPerSecond()).isEqualTo(16 * MEGABIT);
    PortReason port = red.ports().get(0);
    assertThat(port.port().id()).isEqualTo(FULL);
    assertThat(port.users())
        .extracting(PortUserStatus::tenant)
        .containsExactlyInAnyOrder(TenantId.of("green"), TenantId.of("blue"));
    assertThat(port.dueBitsPerSecond().orElseThrow() / 1e6).isCloseTo(0.985 * 16, within(0.2));
    assertThat(port.dueOfTwiceTheWeightBitsPerSecond().orElseThrow() / 1e6)
        .isCloseTo(0.985 * 24, within(0.2));
    assertThat(red.summary())
        .startsWith("h1/vm0 of tenant red is held to 16 Mbit/s by its part of port " + FULL);
    assertThat(red.lines())
        .anyMatch(line -> line.contains("h2/vm0 of green (weight 1)"))
        .anyMatch(line -> line.startsWith("With weight 2 instead of 1 for tenant red: about 23.6"));
    assertThat(red.journal()).isNotEmpty().allMatch(e -> e.port().filter(FULL::equals).isPresent());
  }

  @Test
  void refusedAddressIsTheCauseWhateverElseThereIs() throws SluiceException {
    Tenant gold =
        Tenant.builder(TenantId.of("gold"))
            .members(List.of(Member.ofEndpoint(EndpointId.parse("h1/vm0"))))
            .build();
    node.controller().tenants().allowingRefusedAddresses().put(gold);
    network.time.advanceMillis(6_000);
    send(500, true, NIC, 16 * MEGABIT, 0, 7, 7);

    Explanation why = why(1, ADMIN);
    assertThat(why.cause()).isEqualTo(Cause.REFUSED_ADDRESS);
    assertThat(why.summary())
        .startsWith("h1/vm0 of tenant gold is cut off: it does not get its address 10.0.0.1.");
    assertThat(why.lines().get(0))
        .startsWith("10.0.0.1 is refused: it belongs to a member of tenant red");
    assertThat(why.journal())
        .extracting(JournalEntry::decision)
        .contains("Address 10.0.0.1 is its own no longer");
    Caller ofGold = Caller.of(List.of(Caller.TENANT_ROLE, "sluice-tenant-gold")::contains);
    assertThat(why(1, ofGold).toString())
        .contains("10.0.0.1 is refused.")
        .doesNotContain("tenant red");

    TenantRates rates = node.controller().tenantRates().rates(gold.id());
    assertThat(rates.refusedIps())
        .containsExactly(
            Map.entry(EndpointId.parse("h1/vm0"), Set.of(IpAddress.parse("10.0.0.1"))));
    assertThat(node.controller().tenantRates().rates(TenantId.of("red")).refusedIps()).isEmpty();
  }

  @Test
  void distinguishesGuaranteesFromWeights() throws SluiceException {
    guarantee("red", 30 * MEGABIT);
    send(2_000, true, NIC, 30 * MEGABIT, 13, 4, 3);
    assertThat(why(1, ADMIN).lines())
        .anyMatch(line -> line.contains("By guarantee it is due 30 Mbit/s (by weight "));
    assertThat(why(2, ADMIN).lines())
        .anyMatch(line -> line.contains("By weight it is due"))
        .noneMatch(line -> line.contains("uarantee"));

    guarantee("green", 40 * MEGABIT);
    send(2_000, true, NIC, 30 * MEGABIT, 10, 10, 1);
    assertThat(why(1, ADMIN).lines())
        .anyMatch(line -> line.startsWith("Its floor there is broken: ") && line.contains("0.6"));
    assertThat(why(3, ADMIN).lines()).noneMatch(line -> line.contains("broken"));
    assertThat(node.controller().tenantRates().rates(TenantId.of("red")).floorScales())
        .containsOnlyKeys(FULL);
    assertThat(node.controller().tenantRates().rates(TenantId.of("blue")).floorScales()).isEmpty();
  }

  private void guarantee(String tenant, long guarantee) throws SluiceException {
    node.controller()
        .tenants()
        .change(
            TenantId.of(tenant),
            present -> present.orElseThrow().toBuilder().guaranteeBitsPerSecond(guarantee).build());
  }

  @Test
  void explanationHidesEndpointsOfOtherTenants() throws SluiceException {
    send(2_000, true, NIC, 16 * MEGABIT, 7, 7, 7);
    Caller ofRed = Caller.of(List.of(Caller.TENANT_ROLE, "sluice-tenant-red")::contains);
    Explanation red = why(1, ofRed);

    PortReason port = red.ports().get(0);
    assertThat(port.users()).isEmpty();
    assertThat(port.furtherUsers()).isEmpty();
    assertThat(port.furtherBitsPerSecond()).isEmpty();
    assertThat(port.loadBitsPerSecond()).isEmpty();
    assertThat(red.toString()).doesNotContain("green").doesNotContain("blue");
    assertThat(red.lines()).anyMatch(line -> line.contains(" carries at most 48 Mbit/s; of its"));
    PortReason whole = why(1, ADMIN).ports().get(0);
    long others = whole.users().stream().mapToLong(PortUserStatus::deliveredBitsPerSecond).sum();
    assertThat(others / 1e6).isCloseTo(33.6, within(1.0));
    for (long rate : new long[] {others, whole.loadBitsPerSecond().orElseThrow()}) {
      assertThat(red.toString())
          .doesNotContain(MegabitRate.measured(rate))
          .doesNotContain("=" + rate);
    }
    assertThat(red.journal()).allMatch(ofRed::sees);
  }

  @Test
  void distinguishesLowDemandFromALimit() throws SluiceException {
    send(2_000, true, NIC, 16 * MEGABIT, 1, 10, 10);
    assertThat(why(1, ADMIN).cause()).isEqualTo(Cause.NOTHING);
    assertThat(why(1, ADMIN).summary()).contains("is not held back: it sends 2.4 Mbit/s");
    assertThat(why(2, ADMIN).cause()).isEqualTo(Cause.PORT);
    assertThat(traffic(1).heldBack()).isFalse();
    assertThat(traffic(1).deliveredBitsPerSecond() / 1e6).isCloseTo(2.4, within(0.3));
    assertThat(traffic(2).heldBack()).isTrue();
    assertThat(traffic(2).deliveredBitsPerSecond() / 1e6).isCloseTo(24, within(1.0));
  }

  @Test
  void agreesWithTheListingWhereRatesVary() throws SluiceException {
    send(2_000, true, NIC, 16 * MEGABIT, 7, 7, 7);
    // What receivers report of some seconds is less, of later ones more.
    send(1_000, true, NIC, 16 * MEGABIT, 3, 7, 7);
    Explanation red = why(1, ADMIN);
    assertThat(red.deliveredBitsPerSecond()).isLessThan(13 * MEGABIT);
    assertThat(traffic(1).heldBack()).isTrue();
    assertThat(red.cause()).isEqualTo(Cause.PORT);
    assertThat(red.ports().get(0).binding()).isTrue();
  }

  @Test
  void distinguishesACeilingFromANic() throws SluiceException {
    put("red", 1, 12 * MEGABIT);
    send(2_000, false, 12 * MEGABIT, 0, 5, 5);
    assertThat(why(1, ADMIN).cause()).isEqualTo(Cause.CEILING);
    assertThat(why(1, ADMIN).lines()).anyMatch(line -> line.contains("a ceiling of 12 Mbit/s"));
    assertThat(why(2, ADMIN).cause()).isEqualTo(Cause.UPLINK);
  }

  @Test
  void reportsWhereNothingIsEnforcedOrReported() throws SluiceException {
    send(500, false, 0, 0, 5);
    assertThat(why(1, ADMIN).cause()).isEqualTo(Cause.NOT_ENFORCED);
    EndpointId id = EndpointId.of(HostId.of("h1"), "vm0");
    var known = node.controller().endpoints().endpoint(id).orElseThrow();
    node.link.disconnect(HostId.of("h1"));
    assertThat(node.controller().explanations().why(known, ADMIN).cause())
        .isEqualTo(Cause.NOT_REPORTED);
  }
}
