// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.why;

import com.google.auto.value.AutoValue;
import org.sluice.api.EndpointId;
import org.sluice.api.TenantId;

/** One who sends through a congested port now. */
@AutoValue
public abstract class PortUserStatus {

  public static PortUserStatus of(
      EndpointId endpoint, TenantId tenant, double tenantWeight, long deliveredBitsPerSecond) {
    return new AutoValue_PortUserStatus(endpoint, tenant, tenantWeight, deliveredBitsPerSecond);
  }

  public abstract EndpointId endpoint();

  public abstract TenantId tenant();

  public abstract double tenantWeight();

  /** What of it gets through the port, bit/s of whole frames. */
  public abstract long deliveredBitsPerSecond();
}
