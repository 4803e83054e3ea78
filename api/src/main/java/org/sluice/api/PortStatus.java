// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import com.google.auto.value.AutoValue;
import java.util.List;
import java.util.Optional;

/** What Sluice knows of a switch port, and what it has decided about it. */
@AutoValue
public abstract class PortStatus {

  /** Where the capacity comes from. */
  public enum CapacitySource {
    /** An operator said so. */
    CONFIGURED,
    /** The switch said so; virtual ports exaggerate. */
    SWITCH
  }

  /** Who counts a port's marks. In the order of their precedence. */
  public enum MarkSource {
    /** The port's own agent, which keeps its queue. */
    PORTS("the port's agent"),
    /** The hosts whose endpoints are reached through it. */
    HOSTS("the receivers' hosts"),
    /** The mark meter of the switch that it leads to. */
    METERS("the switch that it leads to");

    private final String counter;

    MarkSource(String counter) {
      this.counter = counter;
    }

    /** Who counts, in words. */
    public String counter() {
      return counter;
    }
  }

  public static Builder builder(PortId id) {
    return new AutoValue_PortStatus.Builder()
        .id(id)
        .congested(false)
        .estimated(false)
        .ceShare(0)
        .loadBitsPerSecond(0)
        .carriedBytes(0)
        .unitShareBitsPerSecond(0)
        .activeEndpoints(0)
        .activeWeight(0)
        .floorScale(1)
        .scaledTenants(List.of());
  }

  public abstract PortId id();

  /** What its controller calls it, {@code leaf1:eth3}; empty where it does not. */
  public abstract Optional<String> name();

  /** As operators read it: by its name, if it has one, and its id. */
  public final String label() {
    return PortId.label(id(), name());
  }

  public abstract long capacityBitsPerSecond();

  public abstract CapacitySource capacitySource();

  /** Whose count of its marks is in force; empty while nobody has counted. */
  public abstract Optional<MarkSource> marksFrom();

  /** Whether it is under control now. */
  public abstract boolean congested();

  /** Whether marks were attributed to it over an estimated path. */
  public abstract boolean estimated();

  /** Marked packets over packets of the last control period, 0 to 1. */
  public abstract double ceShare();

  /** What endpoints were seen to get through it, bit/s: the mean of a second. */
  public abstract long loadBitsPerSecond();

  /** What endpoints were seen to get through it since the application's start. */
  public abstract long carriedBytes();

  /** What weight 1 may send through it, bit/s; 0 while it is not congested. */
  public abstract long unitShareBitsPerSecond();

  public abstract int activeEndpoints();

  /**
   * By what the law divides it, while it is congested: the weights of active tenants, or of
   * endpoints where these share by themselves; 0 otherwise.
   */
  public abstract double activeWeight();

  /**
   * What part of their guarantees and promised deadlines those who are active there have; under 1
   * where these come to more than the port has.
   */
  public abstract double floorScale();

  /** Whose guarantees and promised deadlines are scaled down there, by id; empty: nobody's. */
  public abstract List<TenantId> scaledTenants();

  public abstract Builder toBuilder();

  /** Builds a status. */
  @AutoValue.Builder
  public abstract static class Builder {
    abstract Builder id(PortId id);

    public abstract Builder name(Optional<String> name);

    public abstract Builder capacityBitsPerSecond(long rate);

    public abstract Builder capacitySource(CapacitySource source);

    public abstract Builder marksFrom(MarkSource source);

    public abstract Builder congested(boolean congested);

    public abstract Builder estimated(boolean estimated);

    public abstract Builder ceShare(double share);

    public abstract Builder loadBitsPerSecond(long rate);

    public abstract Builder carriedBytes(long bytes);

    public abstract Builder unitShareBitsPerSecond(long rate);

    public abstract Builder activeEndpoints(int count);

    public abstract Builder activeWeight(double weight);

    public abstract Builder floorScale(double scale);

    public abstract Builder scaledTenants(List<TenantId> tenants);

    public abstract PortStatus build();
  }
}
