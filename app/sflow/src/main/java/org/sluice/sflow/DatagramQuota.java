// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

/** Permits a rate of datagrams on average, and those of one second at once. */
final class DatagramQuota {
  private static final double NANOS_PER_SECOND = 1e9;

  private final double perNano;
  private final double depth;
  private double left;
  private long atNanos;

  DatagramQuota(int perSecond, long nowNanos) {
    perNano = perSecond / NANOS_PER_SECOND;
    depth = perSecond;
    left = depth;
    atNanos = nowNanos;
  }

  /** Whether one more is within it, which is then counted. */
  boolean permits(long nowNanos) {
    long elapsed = nowNanos - atNanos;
    if (elapsed > 0) {
      left = Math.min(depth, left + elapsed * perNano);
      atNanos = nowNanos;
    }
    if (left < 1) {
      return false;
    }
    left--;
    return true;
  }
}
