// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.IpPrefix;
import org.sluice.api.MacAddress;
import org.sluice.api.MegabitRate;
import org.sluice.api.Member;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;

/** Options as they were typed, applied to a tenant; null is what was not given. */
final class TenantChange {
  static final String MEMBER = "--member";
  static final String ADD_MEMBER = "--add-member";
  static final String REMOVE_MEMBER = "--remove-member";
  private static final String NONE = "none";

  private final Tenant present;
  private final Tenant.Builder changed;
  private List<Member> added = List.of();
  private List<Member> removed = List.of();

  TenantChange(Tenant present) {
    this.present = present;
    this.changed = present.toBuilder();
  }

  TenantChange weight(String typed) throws SluiceException {
    if (typed != null) {
      changed.weight(number("--weight", typed).doubleValue());
    }
    return this;
  }

  TenantChange rates(String guarantee, String ceiling) throws SluiceException {
    if (guarantee != null) {
      changed.guaranteeBitsPerSecond(rate("--guarantee", guarantee));
    }
    if (ceiling != null) {
      changed.ceilingBitsPerSecond(rate("--ceiling", ceiling));
    }
    return this;
  }

  TenantChange receiveCeiling(String typed) throws SluiceException {
    if (typed != null) {
      changed.receiveCeilingBitsPerSecond(rate("--receive-ceiling", typed));
    }
    return this;
  }

  TenantChange ecn(String typed) throws SluiceException {
    if (typed != null) {
      if (!EcnCompleter.TREATMENTS.contains(typed)) {
        throw SluiceException.invalid(
            "--ecn",
            typed,
            "There is no such treatment of ECN",
            "Use " + String.join(" or ", EcnCompleter.TREATMENTS));
      }
      changed.preserveEcn(typed.equals(EcnCompleter.PRESERVE));
    }
    return this;
  }

  /** Replaces all members, "none" alone removes them; or adds some and removes some. */
  TenantChange members(List<String> all, List<String> added, List<String> removed)
      throws SluiceException {
    if (all != null && (added != null || removed != null)) {
      throw SluiceException.invalid(
          MEMBER,
          String.join(" ", all),
          "It replaces all members",
          "Use it alone, or " + ADD_MEMBER + " and " + REMOVE_MEMBER);
    }
    if (all != null) {
      changed.members(all.equals(List.of(NONE)) ? List.of() : members(MEMBER, all));
    }
    this.added = members(ADD_MEMBER, added);
    this.removed = members(REMOVE_MEMBER, removed);
    return this;
  }

  private static List<Member> members(String option, List<String> typed) throws SluiceException {
    List<Member> members = new ArrayList<>();
    for (String one : typed == null ? List.<String>of() : typed) {
      members.add(member(option, one));
    }
    return members;
  }

  Tenant result() throws SluiceException {
    Tenant replaced = changed.build();
    try {
      return replaced.withMembers(added, removed);
    } catch (SluiceException e) {
      throw SluiceException.invalid(
          REMOVE_MEMBER, e.value(), e.getMessage(), "Use a member as sluice-tenants lists it");
    }
  }

  /**
   * A member as it is typed: a prefix, an Ethernet address, a host and interface, or what hosts
   * know of interfaces; then perhaps {@code =WEIGHT}. An interface with that character in its name
   * needs the weight behind it.
   */
  static Member member(String option, String typed) throws SluiceException {
    int mark = typed.lastIndexOf(Member.WEIGHT_MARK);
    if (mark < 0) {
      return unweighted(option, typed, typed);
    }
    Member named = unweighted(option, typed.substring(0, mark), typed);
    try {
      return named.withWeight(new BigDecimal(typed.substring(mark + 1)).doubleValue());
    } catch (NumberFormatException e) {
      throw SluiceException.invalid(
          option, typed, "This is not a number", "Use a weight such as h1/vm0=2");
    } catch (SluiceException e) {
      throw SluiceException.invalid(option, typed, e.getMessage(), e.remedy());
    }
  }

  private static Member unweighted(String option, String typed, String whole)
      throws SluiceException {
    try {
      Optional<Member> byMetadata = Member.parseMetadata(typed);
      if (byMetadata.isPresent()) {
        return byMetadata.get();
      }
      if (isAddress(typed.split("/", 2)[0])) {
        return Member.ofPrefix(IpPrefix.parse(typed));
      }
      int slash = typed.indexOf('/');
      if (slash < 0) {
        return Member.ofMac(MacAddress.parse(typed));
      }
      HostId host = HostId.of(typed.substring(0, slash));
      return Member.ofEndpoint(EndpointId.of(host, typed.substring(slash + 1)));
    } catch (IllegalArgumentException e) {
      throw SluiceException.invalid(
          option,
          whole,
          e.getMessage(),
          "Use a prefix (10.1.0.0/16), an Ethernet address (02:00:00:00:01:01), a host and"
              + " interface (h1/vm0) or what hosts know of interfaces (namespace:shop+label:app:web;"
              + " domain:, network:, vlan:, bridge:), and a weight behind it if it has one"
              + " (h1/vm0=2)");
    } catch (SluiceException e) {
      throw SluiceException.invalid(option, whole, e.getMessage(), e.remedy());
    }
  }

  private static boolean isAddress(String text) {
    try {
      IpAddress.parse(text);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static long rate(String option, String typed) throws SluiceException {
    return MegabitRate.toBits(option, number(option, typed));
  }

  private static BigDecimal number(String option, String typed) throws SluiceException {
    try {
      return new BigDecimal(typed);
    } catch (NumberFormatException e) {
      throw SluiceException.invalid(
          option, typed, "This is not a number", "Use a number such as 2 or 12.5");
    }
  }
}
