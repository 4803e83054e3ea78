// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.endpointId;
import static org.sluice.core.testing.Samples.hello;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.IpPrefix;
import org.sluice.api.MacAddress;
import org.sluice.api.Member;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.link.UplinkMessage;
import org.sluice.core.spi.Inventory;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

/** Hosts claim what is another one's, on a cluster of two nodes. */
class ClaimKeeperTest {
  private static final HostId H1 = HostId.of("h1");
  private static final HostId H2 = HostId.of("h2");
  private static final EndpointId OWNER = endpointId("h1/vm0");
  private static final EndpointId THIEF = endpointId("h2/vm0");
  private static final IpAddress IP = IpAddress.parse("10.0.0.1");
  private static final HostHello OWNERS =
      hello("h1", endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1"));
  private static final HostHello THIEVES =
      hello("h2", endpoint("h2/vm0", "02:00:00:00:01:02", "10.0.0.1", "10.0.0.2"));

  private final MemoryNetwork network = new MemoryNetwork();
  private MemoryNode first;
  private MemoryNode second;

  @BeforeEach
  void start() {
    first = new MemoryNode(network, "n1").start();
    second = new MemoryNode(network, "n2").start();
    soon();
  }

  private void soon() {
    network.time.advanceMillis(10);
  }

  private static Optional<EndpointId> holder(MemoryNode node) {
    return node.controller().endpoints().endpoint(IP).map(Endpoint::id);
  }

  private static Set<IpAddress> refusedTo(MemoryNode node, HostId host) {
    List<List<EndpointProfile>> sent =
        node.link.sentTo(host, DownlinkMessage.Kind.PROFILES, DownlinkMessage::profiles);
    return sent.get(sent.size() - 1).get(0).refusedIps();
  }

  private static void endpointsChanged(MemoryNode node, HostId host, ReportedEndpoint... now) {
    node.link.report(
        UplinkMessage.ofEvent(
            HostEvent.of(host, HostEvent.Kind.ENDPOINTS_CHANGED, "", List.of(now))));
  }

  @Test
  void claimsHaveOneHolderInTheClusterInWhateverOrderNodesReceiveThem() {
    first.link.connect(OWNERS);
    second.link.connect(THIEVES);
    soon();
    first.link.connect(THIEVES);
    second.link.connect(OWNERS);
    soon();

    assertThat(holder(first)).contains(OWNER);
    assertThat(holder(second)).contains(OWNER);
  }

  @Test
  void losingClaimantReceivesARefusal() {
    first.link.connect(OWNERS);
    first.link.connect(THIEVES);
    soon();
    assertThat(refusedTo(first, H2)).containsExactly(IP);
    assertThat(refusedTo(first, H1)).isEmpty();

    endpointsChanged(first, H1);
    soon();

    assertThat(holder(first)).contains(THIEF);
    assertThat(refusedTo(first, H2)).isEmpty();
  }

  /** Both hosts are there, each behind its edge port. */
  private void connectBoth() {
    network.connect("s1", 1, 2, 3);
    network.seen("02:00:00:00:01:01", "s1/1", "10.0.0.1");
    network.seen("02:00:00:00:01:02", "s1/2", "10.0.0.2");
    for (MemoryNode node : List.of(first, second)) {
      node.link.connect(OWNERS);
      node.link.connect(THIEVES);
    }
    network.time.advanceMillis(6_000);
  }

  private void disconnectOwner() {
    first.link.disconnect(H1);
    second.link.disconnect(H1);
  }

  private void assertHolder(EndpointId expected) {
    assertThat(holder(first)).contains(expected);
    assertThat(holder(second)).contains(expected);
  }

  /** Its agent may have lost the controllers alone. */
  @Test
  void addressStaysWithAHostThatIsAwayBehindAPortThatIsUp() {
    connectBoth();
    disconnectOwner();
    network.time.advanceMillis(120_000);
    assertHolder(OWNER);
    assertThat(refusedTo(first, H2)).containsExactly(IP);
  }

  @Test
  void addressOfAHostBehindAPortThatIsDownGoesToWhoClaimsItUntilTheHostIsBack() {
    connectBoth();
    disconnectOwner();
    network.connect("s1", 2, 3);
    network.time.advanceMillis(9_000);
    assertHolder(OWNER);
    network.time.advanceMillis(7_000);
    assertHolder(THIEF);

    // Neither another leader nor a third node's start changes who may have it back.
    network.time.advanceMillis(60_000);
    first.stop();
    first = new MemoryNode(network, "n1").start();
    first.link.connect(THIEVES);
    network.time.advanceMillis(60_000);
    assertHolder(THIEF);
    network.connect("s1", 1, 2, 3);
    first.link.connect(OWNERS);
    second.link.connect(OWNERS);
    network.time.advanceMillis(6_000);
    assertHolder(OWNER);
    assertThat(refusedTo(second, H2)).containsExactly(IP);
  }

  @Test
  void aHostThatIsBackWithoutItsAddressHasReleasedIt() {
    connectBoth();
    disconnectOwner();
    network.connect("s1", 2, 3);
    network.time.advanceMillis(16_000);
    first.link.connect(hello("h1"));
    second.link.connect(hello("h1"));
    soon();
    first.link.connect(OWNERS);
    second.link.connect(OWNERS);
    network.time.advanceMillis(6_000);
    assertHolder(THIEF);
  }

  /** A host that lies may send in the owner's name behind a second port, and take that down. */
  @Test
  void aPortThatAForgerTakesDownProvesNothing() {
    connectBoth();
    network.seen("02:00:00:00:01:01", "s1/3", "10.0.0.1");
    network.time.advanceMillis(6_000);
    disconnectOwner();
    network.connect("s1", 1, 2);
    network.time.advanceMillis(60_000);
    assertHolder(OWNER);
  }

  @Test
  void aSwitchThatIsAwayProvesNothing() {
    connectBoth();
    disconnectOwner();
    network.disconnect("s1");
    network.time.advanceMillis(60_000);
    assertHolder(OWNER);
  }

  @Test
  void whatWentToOthersIsStoredWithItsTime() {
    ClaimCodec written =
        new ClaimCodec(
            7,
            Map.of(OWNER, Set.of(IP)),
            Map.of(IpAddress.parse("fd00::1"), new ClaimCodec.Yielded(OWNER, 1_764_288_000_000L)));
    assertThat(written.encode()).isEqualTo("7\nvm0 10.0.0.1 fd00::1@1764288000000");
    ClaimCodec read = ClaimCodec.decode(H1, written.encode());
    assertThat(read.encode()).isEqualTo(written.encode());
    assertThat(read.held).isEqualTo(written.held);
  }

  /** The cluster starts anew, after all nodes had the owners. */
  private MemoryNode restart() {
    first.link.connect(OWNERS);
    second.link.connect(OWNERS);
    soon();
    first.stop();
    second.stop();
    return new MemoryNode(network, "n1").start();
  }

  /** Who connects first after it may be the thief. */
  @Test
  void clusterRestartKeepsHolders() {
    MemoryNode again = restart();
    soon();

    again.link.connect(THIEVES);
    network.time.advanceMillis(5_000);
    assertThat(holder(again)).isEmpty();
    assertThat(refusedTo(again, H2)).containsExactly(IP);
    again.link.connect(OWNERS);
    network.time.advanceMillis(60_000);

    assertThat(holder(again)).contains(OWNER);
  }

  /** Who connects first after an upgrade may be the thief, too. */
  @Test
  void deactivationKeepsHolders() {
    first.link.connect(OWNERS);
    second.link.connect(OWNERS);
    soon();
    first.settings.withdraw();
    second.settings.withdraw();
    first.stop();
    second.stop();
    MemoryNode again = new MemoryNode(network, "n1").start();
    again.link.connect(THIEVES);
    soon();
    again.link.connect(OWNERS);
    network.time.advanceMillis(6_000);
    assertThat(holder(again)).contains(OWNER);
  }

  /** The owner's host never comes back, and no node has seen it since it started. */
  private MemoryNode restartWithoutTheOwner() {
    MemoryNode again = restart();
    again.link.connect(THIEVES);
    soon();
    assertThat(holder(again)).isEmpty();
    return again;
  }

  @Test
  void inventoryFreesAnAddressOfAHostThatNoNodeHasSeen() {
    MemoryNode again = restartWithoutTheOwner();
    network.setInventory(Inventory.of(Set.of(), Map.of(IP, THIEF), Map.of()));
    network.time.advanceMillis(6_000);
    assertThat(holder(again)).contains(THIEF);
    assertThat(refusedTo(again, H2)).isEmpty();
  }

  @Test
  void aHostThatNoNodeHasSeenIsRetiredAsLongAsItHoldsAddresses() throws Exception {
    MemoryNode again = restartWithoutTheOwner();
    again.controller().hostAdmin().retire(H1, "olga");
    network.time.advanceMillis(6_000);
    assertThat(holder(again)).contains(THIEF);
    assertThat(refusedTo(again, H2)).isEmpty();
    assertThat(
            catchThrowableOfType(
                SluiceException.class, () -> again.controller().hostAdmin().retire(H1, "olga")))
        .hasMessageContaining("no such host");
  }

  @Test
  void formerLeaderDecidesNothing() {
    first.link.connect(OWNERS);
    second.link.connect(OWNERS);
    soon();
    first.stop();
    soon();
    second.link.connect(THIEVES);
    soon();

    assertThat(holder(second)).contains(OWNER);
    assertThat(refusedTo(second, H2)).containsExactly(IP);
  }

  @Test
  void firstClaimOfANodeHoldsUntilStorageIsAvailable() {
    network.storage.setAvailable(false);
    first.link.connect(OWNERS);
    second.link.connect(THIEVES);
    first.link.connect(THIEVES);
    second.link.connect(OWNERS);
    soon();
    assertThat(holder(first)).contains(OWNER);

    network.storage.setAvailable(true);
    network.time.advanceMillis(11_000);

    assertThat(holder(first)).contains(OWNER);
    assertThat(holder(second)).contains(OWNER);
  }

  @Test
  void gatewayAddressHasNoHolder() {
    first.link.connect(THIEVES);
    soon();
    assertThat(holder(first)).contains(THIEF);

    network.setInventory(Inventory.of(Set.of(IP), Map.of(), Map.of()));
    soon();

    assertThat(holder(first)).isEmpty();
    assertThat(refusedTo(first, H2)).containsExactly(IP);
    assertThat(first.controller().doctor().examine())
        .anySatisfy(
            finding -> {
              assertThat(finding.about()).isEqualTo("endpoint h2/vm0");
              assertThat(finding.what()).contains("10.0.0.1", "to a gateway");
            });
  }

  @Test
  void inventoryTakesPrecedenceOverTheFirstClaim() {
    first.link.connect(THIEVES);
    soon();
    network.setInventory(Inventory.of(Set.of(), Map.of(IP, OWNER), Map.of()));
    soon();
    assertThat(holder(first)).isEmpty();

    first.link.connect(OWNERS);
    soon();
    assertThat(holder(first)).contains(OWNER);

    network.setInventory(
        Inventory.of(Set.of(), Map.of(), Map.of(IP, MacAddress.parse("02:00:00:00:01:02"))));
    soon();
    assertThat(holder(first)).contains(THIEF);
  }

  @Test
  void endpointCannotClaimAnAddressOfAnotherTenantsPrefix() throws Exception {
    first.link.connect(THIEVES);
    first
        .controller()
        .tenants()
        .put(
            Tenant.builder(TenantId.of("red"))
                .members(List.of(Member.ofPrefix(IpPrefix.parse("10.0.0.1/32"))))
                .build());
    first
        .controller()
        .tenants()
        .allowingRefusedAddresses()
        .put(
            Tenant.builder(TenantId.of("blue")).members(List.of(Member.ofEndpoint(THIEF))).build());
    soon();

    assertThat(holder(first)).isEmpty();
    assertThat(refusedTo(first, H2)).containsExactly(IP);
    first.link.connect(OWNERS);
    soon();
    assertThat(holder(first)).contains(OWNER);
  }

  @Test
  void learnedAddressConfersNoMembership() throws Exception {
    TenantId red = TenantId.of("red");
    first
        .controller()
        .tenants()
        .put(
            Tenant.builder(red)
                .members(List.of(Member.ofPrefix(IpPrefix.parse("10.0.0.0/24"))))
                .build());
    ReportedEndpoint learned =
        ReportedEndpoint.of(OWNER, MacAddress.parse("02:00:00:00:01:01"), Set.of(IP), Set.of(IP));
    first.link.connect(hello("h1", learned));
    soon();
    assertThat(tenant(first)).isEqualTo(TenantId.DEFAULT);
    assertThat(first.controller().doctor().examine())
        .anySatisfy(finding -> assertThat(finding.remedy()).contains("learnWithin"));

    first.set("learnedMembers", "accepted");
    soon();
    assertThat(tenant(first)).isEqualTo(red);
    first.set("learnedMembers", "refused");
    endpointsChanged(first, H1, ReportedEndpoint.of(OWNER, learned.mac(), Set.of(IP), Set.of()));
    soon();
    assertThat(tenant(first)).isEqualTo(red);
  }

  private static TenantId tenant(MemoryNode node) {
    return node.controller().endpoints().endpoint(IP).orElseThrow().tenant();
  }
}
