// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.TenantId;

/**
 * An endpoint's QoS profile: whose it is, its weight, what it is guaranteed and limited to, and
 * which addresses it may not use; as its host must enforce it.
 */
@AutoValue
public abstract class EndpointProfile {

  /** One without a receive ceiling. */
  public static EndpointProfile of(
      EndpointId endpoint,
      TenantId tenant,
      double weight,
      long guaranteeBitsPerSecond,
      long ceilingBitsPerSecond,
      boolean preserveEcn) {
    return of(
        endpoint, tenant, weight, guaranteeBitsPerSecond, ceilingBitsPerSecond, 0, preserveEcn);
  }

  public static EndpointProfile of(
      EndpointId endpoint,
      TenantId tenant,
      double weight,
      long guaranteeBitsPerSecond,
      long ceilingBitsPerSecond,
      long receiveCeilingBitsPerSecond,
      boolean preserveEcn) {
    return new AutoValue_EndpointProfile(
        endpoint,
        tenant,
        weight,
        guaranteeBitsPerSecond,
        ceilingBitsPerSecond,
        receiveCeilingBitsPerSecond,
        preserveEcn,
        Set.of());
  }

  /** The same with addresses that the endpoint must not use. */
  public EndpointProfile withRefusedIps(Set<IpAddress> ips) {
    return new AutoValue_EndpointProfile(
        endpoint(),
        tenant(),
        weight(),
        guaranteeBitsPerSecond(),
        ceilingBitsPerSecond(),
        receiveCeilingBitsPerSecond(),
        preserveEcn(),
        Set.copyOf(ips));
  }

  /**
   * The same with another ceiling.
   *
   * @param bitsPerSecond 0 is the NIC's capacity
   */
  public EndpointProfile withCeiling(long bitsPerSecond) {
    return of(
            endpoint(),
            tenant(),
            weight(),
            guaranteeBitsPerSecond(),
            bitsPerSecond,
            receiveCeilingBitsPerSecond(),
            preserveEcn())
        .withRefusedIps(refusedIps());
  }

  public abstract EndpointId endpoint();

  public abstract TenantId tenant();

  public abstract double weight();

  /** Bit/s; 0 is none. */
  public abstract long guaranteeBitsPerSecond();

  /** Bit/s; 0 is the NIC's capacity. */
  public abstract long ceilingBitsPerSecond();

  /** What the network shall bring it at most, bit/s; 0 is no limit. */
  public abstract long receiveCeilingBitsPerSecond();

  public abstract boolean preserveEcn();

  /** Addresses that its host says it has, and that it must not use. */
  public abstract Set<IpAddress> refusedIps();
}
