// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

/**
 * A time in which there is no controller, or none can be reached.
 *
 * @param fromNanos at least 0
 * @param toNanos after that; {@link #FOR_EVER} for never
 */
public record Outage(long fromNanos, long toNanos) {
  public static final long FOR_EVER = Long.MAX_VALUE;

  public Outage {
    if (fromNanos < 0 || toNanos <= fromNanos) {
      throw new IllegalArgumentException(
          "an outage needs 0 <= fromNanos < toNanos, not " + fromNanos + ", " + toNanos);
    }
  }

  boolean covers(long nanos) {
    return nanos >= fromNanos && nanos < toNanos;
  }
}
