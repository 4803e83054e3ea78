// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import com.google.auto.value.AutoValue;
import java.util.ArrayList;
import java.util.List;

/**
 * An owner of endpoints, and what it is due. Weight, guarantee and ceiling are the tenant's as a
 * whole with {@code share = tenant}, the default: its endpoints divide them, by {@link
 * Member#weight}. With {@code share = endpoint} each endpoint has all three by itself.
 */
@AutoValue
public abstract class Tenant {
  /** Smallest weight that a tenant may have. */
  public static final double MIN_WEIGHT = 0.01;

  /** Greatest weight that a tenant may have. */
  public static final double MAX_WEIGHT = 1000;

  /** Greatest rate that can be requested: 1 Tbit/s. */
  public static final long MAX_RATE_BITS_PER_SECOND = 1_000_000_000_000L;

  public abstract TenantId id();

  /**
   * Share of a congested port in proportion to others'; {@value #MIN_WEIGHT} to {@value
   * #MAX_WEIGHT}.
   */
  public abstract double weight();

  /**
   * Minimum rate of the tenant, of all its endpoints together, bit/s; 0 is none. In the hose model:
   * at every place where it has endpoints it may send and receive so much. With {@code share =
   * endpoint}, of each endpoint.
   */
  public abstract long guaranteeBitsPerSecond();

  /**
   * Maximum rate of the tenant, of what all its endpoints send together, bit/s; 0 is none. With
   * {@code share = endpoint}, of each endpoint.
   */
  public abstract long ceilingBitsPerSecond();

  /**
   * What the network shall bring each of the tenant's endpoints at most, bit/s; 0 is none. Sources
   * slow down to it, and share it as they share a congested port.
   */
  public abstract long receiveCeilingBitsPerSecond();

  /** Whether CE reaches the tenant's VMs instead of being cleared at the shim. */
  public abstract boolean preserveEcn();

  public abstract List<Member> members();

  public static Builder builder(TenantId id) {
    return new AutoValue_Tenant.Builder()
        .id(id)
        .weight(1)
        .guaranteeBitsPerSecond(0)
        .ceilingBitsPerSecond(0)
        .receiveCeilingBitsPerSecond(0)
        .preserveEcn(false)
        .members(List.of());
  }

  public abstract Builder toBuilder();

  /**
   * The same with other members: one that is added replaces one that names the same endpoints.
   *
   * @throws SluiceException of kind INVALID on {@code removeMembers[i]} if it has none such, or as
   *     from {@link Builder#build}
   */
  public final Tenant withMembers(List<Member> added, List<Member> removed) throws SluiceException {
    List<Member> members = new ArrayList<>(members());
    for (int i = 0; i < removed.size(); i++) {
      if (!members.removeIf(removed.get(i)::namesSameAs)) {
        throw SluiceException.invalid(
            "removeMembers[" + i + "]",
            removed.get(i),
            "Tenant " + id() + " has no such member",
            "Remove one of its members, which reading the tenant lists");
      }
    }
    for (Member member : added) {
      members.removeIf(member::namesSameAs);
      members.add(member);
    }
    return toBuilder().members(members).build();
  }

  /** Builds a tenant. */
  @AutoValue.Builder
  public abstract static class Builder {
    abstract Builder id(TenantId id);

    public abstract Builder weight(double weight);

    public abstract Builder guaranteeBitsPerSecond(long rate);

    public abstract Builder ceilingBitsPerSecond(long rate);

    public abstract Builder receiveCeilingBitsPerSecond(long rate);

    public abstract Builder preserveEcn(boolean preserve);

    public abstract Builder members(List<Member> members);

    abstract List<Member> members();

    abstract Tenant autoBuild();

    /**
     * The tenant, checked.
     *
     * @throws SluiceException of kind INVALID naming the first field that is out of range
     */
    public Tenant build() throws SluiceException {
      Tenant tenant = members(List.copyOf(members())).autoBuild();
      if (!(tenant.weight() >= MIN_WEIGHT && tenant.weight() <= MAX_WEIGHT)) {
        throw SluiceException.invalid(
            "weight",
            tenant.weight(),
            "A tenant's weight must lie within bounds",
            "Use a number from " + MIN_WEIGHT + " to " + MAX_WEIGHT);
      }
      checkRate("guaranteeBitsPerSecond", tenant.guaranteeBitsPerSecond());
      checkRate("ceilingBitsPerSecond", tenant.ceilingBitsPerSecond());
      checkRate("receiveCeilingBitsPerSecond", tenant.receiveCeilingBitsPerSecond());
      if (tenant.ceilingBitsPerSecond() > 0
          && tenant.ceilingBitsPerSecond() < tenant.guaranteeBitsPerSecond()) {
        throw SluiceException.invalid(
            "ceilingBitsPerSecond",
            tenant.ceilingBitsPerSecond(),
            "The ceiling lies under the guarantee",
            "Use at least "
                + MegabitRate.inBoth(tenant.guaranteeBitsPerSecond())
                + ", or 0 for no ceiling");
      }
      return tenant;
    }

    private static void checkRate(String field, long rate) throws SluiceException {
      if (rate < 0 || rate > MAX_RATE_BITS_PER_SECOND) {
        throw SluiceException.invalid(
            field,
            rate,
            "A rate must lie within bounds",
            "Use 0 (none) to " + MegabitRate.inBoth(MAX_RATE_BITS_PER_SECOND));
      }
    }
  }
}
