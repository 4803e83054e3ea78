// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

/**
 * A time without controller. It comes back with nothing but the policies.
 *
 * @param fromNanos at least 0
 * @param toNanos after that; {@link #FOR_EVER} for never
 */
public record Absence(long fromNanos, long toNanos) {
  public static final long FOR_EVER = Long.MAX_VALUE;

  public Absence {
    if (fromNanos < 0 || toNanos <= fromNanos) {
      throw new IllegalArgumentException(
          "an absence needs 0 <= fromNanos < toNanos, not " + fromNanos + ", " + toNanos);
    }
  }
}
