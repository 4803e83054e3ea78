// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.policy;

import com.google.auto.value.AutoValue;

/** Bounds on what links carry and lose. */
@AutoValue
public abstract class Limits {
  /** The value of a bound that is not set. */
  public static final double NO_LIMIT = Double.POSITIVE_INFINITY;

  /** Nothing is bounded. */
  public static final Limits NONE = of(NO_LIMIT, NO_LIMIT);

  /**
   * Bounds.
   *
   * @param utilisation of the fullest link, a fraction; or {@link #NO_LIMIT}
   * @param dropRate dropped packets over all that came to the links, together, a fraction; or
   *     {@link #NO_LIMIT}
   */
  public static Limits of(double utilisation, double dropRate) {
    return new AutoValue_Limits(utilisation, dropRate);
  }

  /** Of the fullest link over a cycle, a fraction of its capacity; or {@link #NO_LIMIT}. */
  public abstract double utilisation();

  /** Packets dropped over all that came to the links, a fraction; or {@link #NO_LIMIT}. */
  public abstract double dropRate();
}
