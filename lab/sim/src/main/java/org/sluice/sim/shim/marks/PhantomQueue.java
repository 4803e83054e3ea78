// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.marks;

/**
 * The phantom queue of a receive ceiling, as the agent's {@code phantom.h} has it: a backlog that
 * drains at a little less than the ceiling, and marks what finds more than K in it. Nothing waits.
 */
public final class PhantomQueue {
  /** Of the ceiling, as the controller's law has it. */
  private static final double DRAINED_PART = 0.98;

  private static final int PACKET_BYTES = 1514;
  private static final double THRESHOLD_SECONDS = 0.002;
  private static final int LEAST_THRESHOLD_PACKETS = 4;
  private static final int GREATEST_THRESHOLD_PACKETS = 20;

  private final double bytesPerNano;
  private final double thresholdBytes;
  private double backlogBytes;
  private long atNanos;
  private long arrivedPackets;
  private long arrivedBytes;
  private long overThresholdPackets;

  /**
   * An empty one.
   *
   * @param ceilingBitsPerSecond above 0
   */
  public PhantomQueue(long ceilingBitsPerSecond) {
    double drained = DRAINED_PART * ceilingBitsPerSecond;
    bytesPerNano = drained / 8e9;
    long served = (long) (drained * THRESHOLD_SECONDS / 12_000);
    thresholdBytes =
        PACKET_BYTES
            * (double)
                Math.min(Math.max(served, LEAST_THRESHOLD_PACKETS), GREATEST_THRESHOLD_PACKETS);
  }

  /** Adds a packet; whether it found more than the threshold before it. */
  public boolean add(int bytes, long nowNanos) {
    backlogBytes = Math.max(0, backlogBytes - (nowNanos - atNanos) * bytesPerNano);
    atNanos = nowNanos;
    arrivedPackets++;
    arrivedBytes += bytes;
    boolean over = backlogBytes > thresholdBytes;
    if (over) {
      overThresholdPackets++;
      double cap = thresholdBytes + Math.max(thresholdBytes, 2.0 * bytes);
      backlogBytes = Math.max(backlogBytes, Math.min(cap, backlogBytes + bytes));
    } else {
      backlogBytes += bytes;
    }
    return over;
  }

  public long arrivedPackets() {
    return arrivedPackets;
  }

  public long arrivedBytes() {
    return arrivedBytes;
  }

  public long overThresholdPackets() {
    return overThresholdPackets;
  }
}
