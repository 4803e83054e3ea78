// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.endpointId;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
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
