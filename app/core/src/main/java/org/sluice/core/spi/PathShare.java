// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

import com.google.auto.value.AutoValue;
import org.sluice.api.PortId;

/** An egress port and the part of a pair's traffic that leaves by it. */
@AutoValue
public abstract class PathShare {

  /**
   * A port's part.
   *
   * @param fraction above 0, at most 1
   */
  public static PathShare of(PortId egress, double fraction) {
    return new AutoValue_PathShare(egress, fraction);
  }

  public abstract PortId egress();

  /** Above 0, at most 1. */
  public abstract double fraction();
}
