// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.history;

import com.google.auto.value.AutoValue;
import java.util.Map;
import org.sluice.api.PortId;
import org.sluice.api.TenantId;

/** What was at a congested port. */
@AutoValue
public abstract class PortMoment {

  public static PortMoment of(
      PortId port,
      long capacityBitsPerSecond,
      long loadBitsPerSecond,
      Map<TenantId, Long> deliveredBitsPerSecond,
      Map<TenantId, Long> dueByWeightBitsPerSecond) {
    return new AutoValue_PortMoment(
        port,
        capacityBitsPerSecond,
        loadBitsPerSecond,
        Map.copyOf(deliveredBitsPerSecond),
        Map.copyOf(dueByWeightBitsPerSecond));
  }

  public abstract PortId port();

  public abstract long capacityBitsPerSecond();

  public abstract long loadBitsPerSecond();

  /** What tenants' endpoints that are limited there got, bit/s. */
  public abstract Map<TenantId, Long> deliveredBitsPerSecond();

  /** What the weights of these tenants came to there, bit/s; without those that are not known. */
  public abstract Map<TenantId, Long> dueByWeightBitsPerSecond();
}
