// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import org.sluice.api.EndpointId;
import org.sluice.api.TenantId;

/** What an endpoint is due, as its host must enforce it. */
@AutoValue
public abstract class EndpointPolicy {

  public static EndpointPolicy of(
      EndpointId endpoint,
      TenantId tenant,
      double weight,
      long guaranteeBitsPerSecond,
      long ceilingBitsPerSecond,
      boolean preserveEcn) {
    return new AutoValue_EndpointPolicy(
        endpoint, tenant, weight, guaranteeBitsPerSecond, ceilingBitsPerSecond, preserveEcn);
  }

  public abstract EndpointId endpoint();

  public abstract TenantId tenant();

  public abstract double weight();

  /** Bit/s; 0 is none. */
  public abstract long guaranteeBitsPerSecond();

  /** Bit/s; 0 is the NIC's capacity. */
  public abstract long ceilingBitsPerSecond();

  public abstract boolean preserveEcn();
}
