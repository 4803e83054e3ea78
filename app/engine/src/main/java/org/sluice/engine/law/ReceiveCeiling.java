// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/**
 * A receive ceiling as a port: its phantom queue, at the receiver's host, is drained at a little
 * less than the ceiling, so that marks begin before it is reached. That is what there is to share.
 */
public final class ReceiveCeiling {
  /** What a phantom queue is drained at, in percent of the ceiling. */
  private static final int DRAINED_PERCENT = 98;

  private ReceiveCeiling() {}

  /**
   * What a ceiling's phantom queue is drained at, bit/s.
   *
   * @param ceilingBitsPerSecond above 0
   */
  public static long drainedBitsPerSecond(long ceilingBitsPerSecond) {
    return Math.max(1, ceilingBitsPerSecond / 100 * DRAINED_PERCENT);
  }
}
