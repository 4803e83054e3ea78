// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import com.google.auto.value.AutoValue;

/** What an endpoint may send through a congested port now, as its host enforces it. */
@AutoValue
public abstract class PortLimit {

  public static PortLimit of(PortId port, long rateBitsPerSecond, double ceShare) {
    return new AutoValue_PortLimit(port, rateBitsPerSecond, ceShare);
  }

  public abstract PortId port();

  /** Bit/s. */
  public abstract long rateBitsPerSecond();

  /** F: of the packets that receivers reported last, the part that carried CE; 0 to 1. */
  public abstract double ceShare();
}
