// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.TenantId;

/** What an endpoint is due, as its host must enforce it. */
@AutoValue
public abstract class EndpointPolicy {

  /** One without a receive ceiling. */
  public static EndpointPolicy of(
      EndpointId endpoint,
      TenantId tenant,
      double weight,
      long guaranteeBitsPerSecond,
      long ceilingBitsPerSecond,
      boolean preserveEcn) {
    return of(
        endpoint, tenant, weight, guaranteeBitsPerSecond, ceilingBitsPerSecond, 0, preserveEcn);
  }

  public static EndpointPolicy of(
      EndpointId endpoint,
      TenantId tenant,
      double weight,
      long guaranteeBitsPerSecond,
      long ceilingBitsPerSecond,
      long receiveCeilingBitsPerSecond,
      boolean preserveEcn) {
    return new AutoValue_EndpointPolicy(
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
  public EndpointPolicy withRefusedIps(Set<IpAddress> ips) {
    return new AutoValue_EndpointPolicy(
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
  public EndpointPolicy withCeiling(long bitsPerSecond) {
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
