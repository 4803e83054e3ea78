// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.history;

import com.google.auto.value.AutoValue;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.sluice.api.TenantId;

/** What tenants got at a moment, and what was at ports that were congested. */
@AutoValue
public abstract class RateMoment {

  public static RateMoment of(
      Instant time, Map<TenantId, Long> deliveredBitsPerSecond, List<PortMoment> ports) {
    return new AutoValue_RateMoment(time, Map.copyOf(deliveredBitsPerSecond), List.copyOf(ports));
  }

  public abstract Instant time();

  /** Of all that their endpoints sent, bit/s; without tenants that sent nothing. */
  public abstract Map<TenantId, Long> deliveredBitsPerSecond();

  /** The congested ports with the greatest loads, the greatest first. */
  public abstract List<PortMoment> ports();
}
