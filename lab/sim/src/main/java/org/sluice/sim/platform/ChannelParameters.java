// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

/**
 * How messages travel between hosts and controller, in each direction.
 *
 * @param delayNanos at least 0
 * @param jitterNanos up to so much more, evenly spread, at least 0; no message overtakes another
 * @param loss part of the messages, repeated ones too, that are lost and sent again, [0, 1)
 */
public record ChannelParameters(long delayNanos, long jitterNanos, double loss) {
  /** Half a millisecond in each direction, without jitter or loss. */
  public static final ChannelParameters DEFAULTS = new ChannelParameters(500_000, 0, 0);

  public ChannelParameters {
    if (delayNanos < 0 || jitterNanos < 0) {
      throw new IllegalArgumentException(
          "delayNanos and jitterNanos must not be negative: " + delayNanos + ", " + jitterNanos);
    }
    if (!(loss >= 0 && loss < 1)) {
      throw new IllegalArgumentException("loss must lie in [0, 1), not be " + loss);
    }
  }
}
