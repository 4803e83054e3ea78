// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

/**
 * One direction of a link.
 *
 * @param rateBitsPerSecond above 0
 * @param delayNanos from the last bit out to the last bit in, at least 0
 * @param overheadBytes what the link adds to each packet's IP bytes, at least 0
 * @param jitterNanos up to so much longer a packet may take, each drawn anew and evenly, but none
 *     overtakes another; at least 0. Without any, flows that run at the link's rate keep their
 *     phase for ever, and a full queue refuses always the same one (Floyd and Jacobson, "On Traffic
 *     Phase Effects in Packet-Switched Gateways", 1992)
 */
public record LinkParameters(
    long rateBitsPerSecond, long delayNanos, int overheadBytes, long jitterNanos) {
  /** A link without jitter. */
  public LinkParameters(long rateBitsPerSecond, long delayNanos, int overheadBytes) {
    this(rateBitsPerSecond, delayNanos, overheadBytes, 0);
  }

  public LinkParameters {
    if (rateBitsPerSecond <= 0) {
      throw new IllegalArgumentException(
          "rateBitsPerSecond must be above 0, not " + rateBitsPerSecond);
    }
    if (delayNanos < 0) {
      throw new IllegalArgumentException("delayNanos must not be negative: " + delayNanos);
    }
    if (jitterNanos < 0) {
      throw new IllegalArgumentException("jitterNanos must not be negative: " + jitterNanos);
    }
    if (overheadBytes < 0) {
      throw new IllegalArgumentException("overheadBytes must not be negative: " + overheadBytes);
    }
  }
}
