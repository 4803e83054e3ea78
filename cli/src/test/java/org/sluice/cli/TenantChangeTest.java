// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.api.Member;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;

class TenantChangeTest {
  private Tenant present;

  @BeforeEach
  void createTenant() throws SluiceException {
    present =
        Tenant.builder(TenantId.of("t1"))
            .weight(2)
            .guaranteeBitsPerSecond(1_000_000)
            .preserveEcn(true)
            .members(List.of(TenantChange.member("--member", "10.0.0.0/8")))
            .build();
  }

  @Test
  void keepsPropertiesThatAreNotGiven() throws Exception {
    assertThat(change(null, null, null, null, null)).isEqualTo(present);
  }

  @Test
  void changesGivenProperties() throws Exception {
    Tenant changed = change("3.5", "2", "40.5", "clear", List.of("h1/vm0", "fd00::/8"));
    assertThat(changed.weight()).isEqualTo(3.5);
    assertThat(changed.guaranteeBitsPerSecond()).isEqualTo(2_000_000);
    assertThat(changed.ceilingBitsPerSecond()).isEqualTo(40_500_000);
    assertThat(changed.preserveEcn()).isFalse();
    assertThat(changed.members())
        .containsExactly(
            TenantChange.member("--member", "h1/vm0"), TenantChange.member("--member", "fd00::/8"));
    assertThat(change(null, null, null, null, List.of("none")).members()).isEmpty();
  }

  @Test
  void membersAreAddedAndRemovedOneByOne() throws Exception {
    Tenant more =
        new TenantChange(present).members(null, List.of("h1/vm0", "10.0.0.0/8=2"), null).result();
    assertThat(more.members())
        .extracting(Member::toString)
        .containsExactly("h1/vm0", "10.0.0.0/8=2");
    Tenant fewer =
        new TenantChange(more).members(null, List.of("h2/vm0"), List.of("10.0.0.0/8")).result();
    assertThat(fewer.members()).extracting(Member::toString).containsExactly("h1/vm0", "h2/vm0");

    assertThat(
            refusal(
                () -> new TenantChange(present).members(null, null, List.of("h9/vm0")).result()))
        .isEqualTo(
            "--remove-member 'h9/vm0': Tenant t1 has no such member. Use a member as"
                + " sluice-tenants lists it.");
    assertThat(refusal(() -> new TenantChange(present).members(null, List.of("h9"), null)))
        .startsWith("--add-member 'h9': ");
    assertThat(
            refusal(
                () -> new TenantChange(present).members(List.of("none"), List.of("h1/vm0"), null)))
        .isEqualTo(
            "--member 'none': It replaces all members. Use it alone, or --add-member and"
                + " --remove-member.");
  }

  @Test
  void memberParsesItsOwnText() throws Exception {
    for (String typed :
        List.of(
            "10.0.0.0/8=2.5",
            "02:00:00:00:01:01=0.01",
            "h1/vm0=1000",
            "h1/a=2=1",
            "h1/vm0",
            "namespace:shop+label:app:web=2",
            "vlan:100+bridge:br0")) {
      assertThat(TenantChange.member("--member", typed)).hasToString(typed);
    }
    assertThat(TenantChange.member("--member", "h1/vm0=2.5").weight()).isEqualTo(2.5);
    assertThat(TenantChange.member("--member", "h1/vm0=1"))
        .isEqualTo(TenantChange.member("--member", "h1/vm0"));
  }

  @ParameterizedTest
  @CsvSource({
    "two, , , , , --weight 'two': This is not a number. Use a number such as 2 or 12.5.",
    "0, , , , , weight '0.0': A tenant's weight must lie within bounds. Use a number from 0.01 to"
        + " 1000.0.",
    ", 5M, , , , --guarantee '5M': This is not a number. Use a number such as 2 or 12.5.",
    ", -1, , , , --guarantee '-1': A rate must lie within bounds. Use Mbit/s from 0 (none) to"
        + " 1000000.",
    ", , 0.5, , , 'ceiling 0.5 Mbit/s: The ceiling lies under the guarantee. Use at least 1 Mbit/s"
        + " (1000000 bit/s), or 0 for no ceiling.'",
    ", , , mark, , --ecn 'mark': There is no such treatment of ECN. Use clear or preserve.",
    ", , , , 10.1.2.3/16, --member '10.1.2.3/16': '10.1.2.3/16' has bits set behind its length:"
        + " did you mean 10.1.0.0/16? Use a prefix (10.1.0.0/16)*",
    ", , , , 02:00, --member '02:00': '02:00' is not an Ethernet address*",
    ", , , , h1/vm0=, --member 'h1/vm0=': This is not a number. Use a weight such as h1/vm0=2.",
    ", , , , h1/vm0=0, --member 'h1/vm0=0': A member's weight must lie within bounds. Use a number"
        + " from 0.01 to 1000.0.",
    ", , , , h1=2, --member 'h1=2': 'h1' is not an Ethernet address*",
    ", , , , vlan:4095=2, --member 'vlan:4095=2': This is no VLAN. Use 1 to 4094.",
    ", , , , h1/, --member 'h1/': '' is not an interface name*",
  })
  void refusesInOneLine(
      String weight, String guarantee, String ceiling, String ecn, String member, String line) {
    List<String> members = member == null ? null : List.of(member);
    String refused = refusal(() -> change(weight, guarantee, ceiling, ecn, members));
    if (line.endsWith("*")) {
      assertThat(refused).startsWith(line.substring(0, line.length() - 1)).doesNotContain("\n");
    } else {
      assertThat(refused).isEqualTo(line);
    }
  }

  @Test
  void ratesAreShownInMegabits() {
    assertThat(
            refusal(
                () -> {
                  throw SluiceException.conflict(
                      "guaranteeBitsPerSecond", 46_500_000, "Too much", "Use less");
                }))
        .isEqualTo("guarantee 46.5 Mbit/s: Too much. Use less.");
  }

  @Test
  void acceptsReceiveCeilings() throws Exception {
    Tenant changed = new TenantChange(present).receiveCeiling("20.5").result();
    assertThat(changed.receiveCeilingBitsPerSecond()).isEqualTo(20_500_000);
    assertThat(new TenantChange(changed).receiveCeiling(null).result()).isEqualTo(changed);
    assertThat(refusal(() -> new TenantChange(present).receiveCeiling("much")))
        .isEqualTo(
            "--receive-ceiling 'much': This is not a number. Use a number such as 2 or 12.5.");
  }

  @Test
  void optionsMayFollowTheArgument() throws Exception {
    TrailingOptions options = trailing("-w", "2", "--member", "h1/vm0", "-m", "h2/vm0", "-j");
    assertThat(options.last("--weight", "1")).isEqualTo("2");
    assertThat(options.last("--ceiling", "7")).isEqualTo("7");
    assertThat(options.all("--member", null)).containsExactly("h1/vm0", "h2/vm0");
    assertThat(options.has("-j")).isTrue();
    assertThat(refusal(() -> trailing("--wait", "2")))
        .isEqualTo("option '--wait': There is no such option. --help lists the options there are.");
    assertThat(refusal(() -> trailing("-w")))
        .isEqualTo("--weight: This option needs a value. Give it, or leave the option out.");
  }

  private static TrailingOptions trailing(String... words) throws SluiceException {
    return new TrailingOptions(
        List.of(words), Map.of("-w", "--weight", "-m", "--member"), List.of("-j"));
  }

  @Test
  void refusesNumbersOutOfRange() {
    assertThat(refusal(() -> Arguments.number("--limit", "0", 1, 5)))
        .isEqualTo("--limit '0': This is out of range. Use a whole number from 1 to 5.");
    assertThat(refusal(() -> Arguments.number("--limit", "x", 1, 5)))
        .isEqualTo("--limit 'x': This is not a number. Use a whole number from 1 to 5.");
  }

  private Tenant change(
      String weight, String guarantee, String ceiling, String ecn, List<String> members)
      throws SluiceException {
    return new TenantChange(present)
        .weight(weight)
        .rates(guarantee, ceiling)
        .ecn(ecn)
        .members(members, null, null)
        .result();
  }

  private static String refusal(ThrowingCallable call) {
    return Refusals.line(catchThrowableOfType(SluiceException.class, call));
  }
}
