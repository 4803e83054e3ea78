// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import com.google.auto.value.AutoValue;
import java.util.Map;
import java.util.Set;

/** What a tenant was promised, beside what it gets. */
@AutoValue
public abstract class TenantRates {

  /** Those of a tenant with which nothing is the matter. */
  public static TenantRates of(long promisedBitsPerSecond, long deliveredBitsPerSecond) {
    return of(promisedBitsPerSecond, deliveredBitsPerSecond, 0, Map.of(), Map.of());
  }

  public static TenantRates of(
      long promisedBitsPerSecond,
      long deliveredBitsPerSecond,
      long deliveredBytes,
      Map<EndpointId, Set<IpAddress>> refusedIps,
      Map<PortId, Double> floorScales) {
    return new AutoValue_TenantRates(
        promisedBitsPerSecond, deliveredBitsPerSecond, deliveredBytes, refusedIps, floorScales);
  }

  /**
   * What guarantees come to for the tenant, bit/s; 0 is none: its guarantee, or with {@code share =
   * endpoint} those of all its endpoints that are known. It is due so much as far as it sends it,
   * to destinations that may receive it.
   */
  public abstract long promisedBitsPerSecond();

  /**
   * What its endpoints get through, bit/s of whole frames, the mean of a second: the sum over the
   * pairs that they send, as receivers' hosts report it, else as the senders' do.
   */
  public abstract long deliveredBitsPerSecond();

  /** What they got through since the application's start. */
  public abstract long deliveredBytes();

  /** Addresses that its endpoints claim and do not get; only endpoints with any, by id. */
  public abstract Map<EndpointId, Set<IpAddress>> refusedIps();

  /** Where it does not have all of its guarantee, by port: what part of it; above 0, under 1. */
  public abstract Map<PortId, Double> floorScales();
}
