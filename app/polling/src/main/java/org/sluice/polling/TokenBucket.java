// SPDX-License-Identifier: Apache-2.0
package org.sluice.polling;

/**
 * Holds an average rate: what is taken may exceed it by the depth, or by one taking that is greater
 * than that. Time is an argument, in nanoseconds from any origin.
 */
final class TokenBucket {
  private static final double NANOS_PER_SECOND = 1e9;

  private final double bitsPerNano;
  private final double depthBits;
  private double bits;
  private long atNanos;
  private boolean started;

  /**
   * A full bucket.
   *
   * @param bitsPerSecond what flows in
   * @param depthBits what it holds at most; for more than that a full bucket goes into debt
   */
  TokenBucket(long bitsPerSecond, long depthBits) {
    this.bitsPerNano = bitsPerSecond / NANOS_PER_SECOND;
    this.depthBits = depthBits;
    this.bits = depthBits;
  }

  boolean holds(long wantedBits, long nowNanos) {
    fill(nowNanos);
    return bits >= needed(wantedBits);
  }

  /** Takes bits out, below zero if need be. */
  void take(long takenBits) {
    bits -= takenBits;
  }

  /** When it will hold that much, if nobody takes from it until then. */
  long readyNanos(long wantedBits, long nowNanos) {
    fill(nowNanos);
    double missing = needed(wantedBits) - bits;
    return missing <= 0 ? nowNanos : nowNanos + (long) Math.ceil(missing / bitsPerNano);
  }

  private double needed(long wantedBits) {
    return Math.min(wantedBits, depthBits);
  }

  private void fill(long nowNanos) {
    if (!started) {
      started = true;
      atNanos = nowNanos;
    }
    long elapsed = nowNanos - atNanos;
    if (elapsed > 0) {
      atNanos = nowNanos;
      bits = Math.min(depthBits, bits + elapsed * bitsPerNano);
    }
  }
}
