// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import org.sluice.api.PortId;

/** What an endpoint sends through one congested port, as its host's shim counted it. */
@AutoValue
public abstract class GroupSample {

  public static GroupSample of(
      PortId port, long rateBitsPerSecond, double ceShare, long sentBytes) {
    return new AutoValue_GroupSample(port, rateBitsPerSecond, ceShare, sentBytes);
  }

  public abstract PortId port();

  /** The limit now in force there, bit/s. */
  public abstract long rateBitsPerSecond();

  /** F of the last interval with packets, 0 to 1. */
  public abstract double ceShare();

  /** What left the shim, an increment. */
  public abstract long sentBytes();
}
