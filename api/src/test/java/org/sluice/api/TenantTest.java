// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TenantTest {
  private static final TenantId T1 = TenantId.of("t1");
  private static final EndpointId VM = EndpointId.of(HostId.of("h1"), "vm0");
  private static final MacAddress MAC = MacAddress.parse("02:00:00:00:01:01");
  private static final Set<IpAddress> IPS = Set.of(IpAddress.parse("10.0.0.1"));

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, 0.009, 1000.1, Double.NaN, Double.POSITIVE_INFINITY})
  void refusesAWeightOutOfBounds(double weight) {
    SluiceException refusal =
        catchThrowableOfType(
            SluiceException.class, () -> Tenant.builder(T1).weight(weight).build());
    assertThat(refusal.kind()).isEqualTo(SluiceException.Kind.INVALID);
    assertThat(refusal.field()).contains("weight");
    assertThat(refusal.remedy()).contains("0.01").contains("1000");
  }

  @Test
  void refusesACeilingUnderTheGuarantee() {
    SluiceException refusal =
        catchThrowableOfType(
            SluiceException.class,
            () ->
                Tenant.builder(T1)
                    .guaranteeBitsPerSecond(10_000_000)
                    .ceilingBitsPerSecond(9_000_000)
                    .build());
    assertThat(refusal.field()).contains("ceilingBitsPerSecond");
    assertThat(refusal.value()).isEqualTo("9000000");
  }

  @Test
  void refusesANegativeRate() {
    SluiceException refusal =
        catchThrowableOfType(
            SluiceException.class, () -> Tenant.builder(T1).guaranteeBitsPerSecond(-1).build());
    assertThat(refusal.field()).contains("guaranteeBitsPerSecond");
  }

  @Test
  void copiesItsMembers() throws SluiceException {
    List<Member> members = new ArrayList<>(List.of(Member.ofMac(MAC)));
    Tenant tenant = Tenant.builder(T1).members(members).build();
    members.clear();
    assertThat(tenant.members()).containsExactly(Member.ofMac(MAC));
  }

  @Test
  void ranksMembershipsBySpecificity() {
    Member byInterface = Member.ofEndpoint(VM);
    Member byMac = Member.ofMac(MAC);
    Member byAddress = Member.ofPrefix(IpPrefix.parse("10.0.0.1/32"));
    Member byRange = Member.ofPrefix(IpPrefix.parse("10.0.0.0/8"));
    for (Member member : List.of(byInterface, byMac, byAddress, byRange)) {
      assertThat(member.covers(VM, MAC, IPS, EndpointMetadata.NONE)).isTrue();
    }
    assertThat(byInterface.specificity()).isGreaterThan(byMac.specificity());
    assertThat(byMac.specificity()).isGreaterThan(byAddress.specificity());
    assertThat(byAddress.specificity()).isGreaterThan(byRange.specificity());
    assertThat(
            Member.ofPrefix(IpPrefix.parse("10.0.1.0/24"))
                .covers(VM, MAC, IPS, EndpointMetadata.NONE))
        .isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-t",
        "a b",
        "t/1",
        "a.very.long.name.a.very.long.name.a.very.long.name.a.very.long.one"
      })
  void rejectsInvalidIds(String name) {
    assertThat(catchThrowableOfType(IllegalArgumentException.class, () -> TenantId.of(name)))
        .hasMessageContaining("expected");
  }

  @Test
  void portsAndMacAddressesParseTheirOwnText() {
    PortId port = PortId.parse("of:0000000000000001/5");
    assertThat(port.number()).isEqualTo(5);
    assertThat(PortId.parse(port.toString())).isEqualTo(port);
    PortId receiver = PortId.parse("host:h1/vm1");
    assertThat(receiver).isEqualTo(PortId.ofReceiver(HostId.of("h1"), "vm1"));
    assertThat(receiver).hasToString("host:h1/vm1").isNotEqualTo(PortId.parse("host:h1/vm2"));
    assertThat(receiver.isReceiver()).isTrue();
    assertThat(port.isReceiver()).isFalse();
    assertThat(MacAddress.parse(MAC.toString())).isEqualTo(MAC);
    assertThat(MacAddress.of(MAC.toBytes())).isEqualTo(MAC);
    for (String wrong :
        List.of(
            "of:1",
            "of:1/-2",
            "of:1/4294967296",
            "/3",
            "of:1/x",
            "host:h1",
            "host:/vm1",
            "host:h1/")) {
      assertThat(catchThrowableOfType(IllegalArgumentException.class, () -> PortId.parse(wrong)))
          .as(wrong)
          .isNotNull();
    }
  }
}
