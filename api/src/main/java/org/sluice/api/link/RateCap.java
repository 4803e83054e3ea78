// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import org.sluice.api.PortId;

/** A background queue of a port sends no more for a while. */
@AutoValue
public abstract class RateCap {
  /** The longest that a cap is held without being renewed, ns. */
  public static final long MOST_HOLD_NANOS = 10_000_000_000L;

  /**
   * A cap.
   *
   * @param bitsPerSecond of whole frames; 0: it ends now
   * @param holdNanos from when the agent receives it, above 0, at most {@link #MOST_HOLD_NANOS}
   */
  public static RateCap of(PortId port, PortId downstream, long bitsPerSecond, long holdNanos) {
    return new AutoValue_RateCap(port, downstream, bitsPerSecond, holdNanos);
  }

  /** Whose background queue it is. */
  public abstract PortId port();

  public abstract PortId downstream();

  /** Bit/s of whole frames; 0: it ends now. */
  public abstract long bitsPerSecond();

  /** How long it holds from when the agent receives it, ns. */
  public abstract long holdNanos();
}
