// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

/**
 * One direction of a link.
 *
 * @param rateBitsPerSecond above 0
 * @param delayNanos from the last bit out to the last bit in, at least 0
 * @param overheadBytes what the link adds to each packet's IP bytes, at least 0
 */
public record LinkParameters(long rateBitsPerSecond, long delayNanos, int overheadBytes) {
  public LinkParameters {
    if (rateBitsPerSecond <= 0) {
      throw new IllegalArgumentException(
          "rateBitsPerSecond must be above 0, not " + rateBitsPerSecond);
    }
    if (delayNanos < 0) {
      throw new IllegalArgumentException("delayNanos must not be negative: " + delayNanos);
    }
    if (overheadBytes < 0) {
      throw new IllegalArgumentException("overheadBytes must not be negative: " + overheadBytes);
    }
  }
}
