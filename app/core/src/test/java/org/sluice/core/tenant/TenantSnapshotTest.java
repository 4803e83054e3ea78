// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.endpointId;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.sluice.api.EndpointMetadata;
import org.sluice.api.IpAddress;
import org.sluice.api.IpPrefix;
import org.sluice.api.MacAddress;
import org.sluice.api.Member;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.ReportedEndpoint;

class TenantSnapshotTest {
  private static final String MAC = "02:00:00:00:01:01";
  private static final ReportedEndpoint ENDPOINT = endpoint("h1/vm0", MAC, "10.1.2.3", "10.9.0.1");

  private static Tenant tenant(String id, Member... members) throws SluiceException {
    return Tenant.builder(TenantId.of(id)).members(List.of(members)).build();
  }

  private static Member prefix(String text) {
    return Member.ofPrefix(IpPrefix.parse(text));
  }

  private static String owner(Tenant... tenants) {
    return TenantSnapshot.of(List.of(tenants)).membershipOf(ENDPOINT, false).tenant().id().name();
  }

  @Test
  void endpointWithoutMembershipBelongsToTheDefaultTenant() throws Exception {
    assertThat(owner()).isEqualTo("default");
    assertThat(owner(tenant("t1", prefix("10.2.0.0/16")))).isEqualTo("default");
  }

  @Test
  void theMostSpecificMembershipWins() throws Exception {
    Tenant wide = tenant("wide", prefix("10.0.0.0/8"));
    Tenant narrow = tenant("narrow", prefix("10.1.2.3/32"));
    Tenant byMac = tenant("mac", Member.ofMac(MacAddress.parse(MAC)));
    Tenant byInterface = tenant("interface", Member.ofEndpoint(endpointId("h1/vm0")));

    assertThat(owner(wide)).isEqualTo("wide");
    assertThat(owner(wide, narrow)).isEqualTo("narrow");
    assertThat(owner(wide, narrow, byMac)).isEqualTo("mac");
    assertThat(owner(wide, narrow, byMac, byInterface)).isEqualTo("interface");
  }

  private static Member by(String metadata) throws SluiceException {
    return Member.parseMetadata(metadata).orElseThrow();
  }

  private static ReportedEndpoint pod(String namespace, Map<String, String> labels) {
    return ENDPOINT.withMetadata(
        EndpointMetadata.builder()
            .namespace(Optional.of(namespace))
            .labels(labels)
            .network(Optional.of("blue"))
            .bridge(Optional.of("br1"))
            .vlan(Optional.of(100))
            .build());
  }

  private static String owner(ReportedEndpoint endpoint, Tenant... tenants) {
    return TenantSnapshot.of(List.of(tenants)).membershipOf(endpoint, false).tenant().id().name();
  }

  @Test
  void aNamespacesTenantHasItsPodsAndNoOthers() throws Exception {
    Tenant shop = tenant("shop", by("namespace:shop"));
    Tenant web = tenant("web", by("namespace:shop+label:app:web"));
    ReportedEndpoint db = pod("shop", Map.of("app", "db"));

    assertThat(owner(db, shop, web)).isEqualTo("shop");
    assertThat(owner(pod("bank", Map.of("app", "web")), shop, web)).isEqualTo("default");
    assertThat(owner(ENDPOINT, shop, web)).as("nothing is known of it").isEqualTo("default");
    assertThat(owner(pod("shop", Map.of("app", "web")), shop, web))
        .as("another label")
        .isEqualTo("web");
  }

  @Test
  void whatHostsKnowComesBehindTheMacAndBeforeAddresses() throws Exception {
    ReportedEndpoint web = pod("shop", Map.of("app", "web"));
    Tenant address = tenant("address", prefix("10.1.2.3/32"));
    Tenant bridge = tenant("bridge", by("bridge:br1"));
    Tenant vlan = tenant("vlan", by("vlan:100"));
    Tenant network = tenant("network", by("network:blue"));
    Tenant namespace = tenant("namespace", by("namespace:shop"));
    Tenant labels = tenant("labels", by("namespace:shop+label:app:web"));
    Tenant byMac = tenant("mac", Member.ofMac(MacAddress.parse(MAC)));

    assertThat(owner(web, address, bridge)).isEqualTo("bridge");
    assertThat(owner(web, address, bridge, vlan)).isEqualTo("vlan");
    assertThat(owner(web, bridge, vlan, network)).isEqualTo("network");
    assertThat(owner(web, network, namespace)).isEqualTo("namespace");
    assertThat(owner(web, network, namespace, labels)).isEqualTo("labels");
    assertThat(owner(web, labels, byMac)).isEqualTo("mac");
  }

  @Test
  void equallyManyLabelsGoToTheFirstTenantById() throws Exception {
    Tenant b = tenant("b", by("label:app:web"));
    Tenant a = tenant("a", by("label:tier:front"));

    assertThat(owner(pod("shop", Map.of("app", "web", "tier", "front")), b, a)).isEqualTo("a");
  }

  /** It would else use what is another tenant's. */
  @Test
  void whatHostsKnowNamesAnEndpoint() throws Exception {
    TenantSnapshot table =
        TenantSnapshot.of(
            List.of(tenant("shop", by("namespace:shop")), tenant("t1", prefix("10.1.0.0/16"))));

    assertThat(table.strangerAt(pod("shop", Map.of()), IpAddress.parse("10.1.2.3")))
        .contains(TenantId.of("t1"));
  }

  @Test
  void equallyLongPrefixesOfTwoAddressesGoToTheFirstTenantById() throws Exception {
    Tenant b = tenant("b", prefix("10.1.0.0/16"));
    Tenant a = tenant("a", prefix("10.9.0.0/16"));

    assertThat(owner(b, a)).isEqualTo("a");
  }

  /** The table of prefixes beside a search through all of them. */
  @Test
  void longestPrefixOfAnyAddressIsFoundWhateverTheOthers() throws Exception {
    Random random = new Random(38);
    for (int round = 0; round < 300; round++) {
      List<Tenant> tenants = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        tenants.add(tenant("t" + i, randomPrefix(random), randomPrefix(random)));
      }
      ReportedEndpoint endpoint =
          endpoint("h1/vm0", MAC, randomAddress(random), randomAddress(random));

      assertThat(TenantSnapshot.of(tenants).membershipOf(endpoint, false).tenant().id())
          .as("round " + round)
          .isEqualTo(ownerBySearch(tenants, endpoint));
    }
  }

  private static TenantId ownerBySearch(List<Tenant> tenants, ReportedEndpoint endpoint) {
    int longest = -1;
    TenantId owner = TenantId.DEFAULT;
    for (Tenant tenant : tenants) {
      for (Member member : tenant.members()) {
        IpPrefix prefix = member.ipPrefix().orElseThrow();
        if (prefix.length() > longest && endpoint.ips().stream().anyMatch(prefix::contains)) {
          longest = prefix.length();
          owner = tenant.id();
        }
      }
    }
    return owner;
  }

  private static Member randomPrefix(Random random) {
    String address = randomAddress(random);
    int length = random.nextInt(address.contains(":") ? 129 : 33);
    return Member.ofPrefix(IpPrefix.of(IpAddress.parse(address), length));
  }

  private static String randomAddress(Random random) {
    return random.nextBoolean()
        ? "10.1.0." + random.nextInt(8)
        : "fd00::" + Integer.toHexString(random.nextInt(8));
  }

  @Test
  void defaultTenantCanBeChangedButAlwaysExists() throws Exception {
    Tenant heavier = Tenant.builder(TenantId.DEFAULT).weight(3).build();
    TenantSnapshot table = TenantSnapshot.of(List.of()).with(heavier);

    assertThat(table.membershipOf(ENDPOINT, false).tenant().weight()).isEqualTo(3);
    TenantSnapshot without = table.without(TenantId.DEFAULT);
    assertThat(without.membershipOf(ENDPOINT, false).tenant().weight()).isEqualTo(1);
  }

  @Test
  void weightOfTheMostSpecificMemberApplies() throws Exception {
    Member wide = prefix("10.0.0.0/8").withWeight(2);
    Member narrow = prefix("10.1.0.0/16").withWeight(3);
    Member mac = Member.ofMac(MacAddress.parse(MAC)).withWeight(4);
    Member plain = Member.ofEndpoint(endpointId("h1/vm0"));

    assertThat(weight(tenant("t1"))).isEqualTo(1);
    assertThat(weight(tenant("t1", wide, narrow))).isEqualTo(3);
    assertThat(weight(tenant("t1", mac, wide))).isEqualTo(4);
    assertThat(weight(tenant("t1", mac, plain, wide))).isEqualTo(1);
  }

  private static double weight(Tenant tenant) {
    return TenantSnapshot.of(List.of(tenant)).membershipOf(ENDPOINT, false).weight();
  }

  @Test
  void aMemberWithAnotherWeightIsTheSameMember() throws Exception {
    Member heavy = prefix("10.1.0.0/16").withWeight(2);
    TenantSnapshot table = TenantSnapshot.of(List.of(tenant("t1", prefix("10.1.0.0/16"))));

    SluiceException refusal =
        catchThrowableOfType(SluiceException.class, () -> table.checkMembers(tenant("t2", heavy)));

    assertThat(refusal.kind()).isEqualTo(SluiceException.Kind.CONFLICT);
    table.checkMembers(tenant("t1", heavy));
  }

  @Test
  void theSameMemberOfTwoTenantsIsAConflict() throws Exception {
    TenantSnapshot table = TenantSnapshot.of(List.of(tenant("t1", prefix("10.1.0.0/16"))));
    Tenant second = tenant("t2", prefix("10.2.0.0/16"), prefix("10.1.0.0/16"));

    SluiceException refusal =
        catchThrowableOfType(SluiceException.class, () -> table.checkMembers(second));

    assertThat(refusal.kind()).isEqualTo(SluiceException.Kind.CONFLICT);
    assertThat(refusal.field()).contains("members[1]");
    assertThat(refusal.value()).isEqualTo("10.1.0.0/16");
    assertThat(refusal).hasMessageContaining("t1");
  }

  @Test
  void theSameMemberTwiceIsInvalid() throws Exception {
    Tenant twice = tenant("t1", prefix("10.1.0.0/16"), prefix("10.1.0.0/16"));

    SluiceException refusal =
        catchThrowableOfType(
            SluiceException.class, () -> TenantSnapshot.of(List.of()).checkMembers(twice));

    assertThat(refusal.kind()).isEqualTo(SluiceException.Kind.INVALID);
    assertThat(refusal.field()).contains("members[1]");
  }

  @Test
  void overlappingMembersAreAccepted() throws Exception {
    TenantSnapshot table = TenantSnapshot.of(List.of(tenant("t1", prefix("10.0.0.0/8"))));

    table.checkMembers(tenant("t2", prefix("10.1.0.0/16")));
    table.checkMembers(tenant("t1", prefix("10.0.0.0/8")));
  }
}
