// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import com.google.auto.value.AutoValue;

/** What a tenant was promised, beside what it gets. */
@AutoValue
public abstract class TenantRates {

  public static TenantRates of(long promisedBitsPerSecond, long deliveredBitsPerSecond) {
    return new AutoValue_TenantRates(promisedBitsPerSecond, deliveredBitsPerSecond);
  }

  /**
   * What guarantees come to for the tenant, bit/s; 0 is none: its guarantee, or with {@code share =
   * endpoint} those of all its endpoints that are known. It is due so much as far as it sends it,
   * to destinations that may receive it.
   */
  public abstract long promisedBitsPerSecond();

  /**
   * What its endpoints get through, bit/s of whole frames: the sum over the pairs that they send,
   * as receivers' hosts report it, else as the senders' do.
   */
  public abstract long deliveredBitsPerSecond();
}
