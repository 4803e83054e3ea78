// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.micro;

/**
 * How much waits at a port whose queue nobody reports: what hosts say they have sent through it
 * less what the port's counter says has left. Of that what belongs to short flows, if these go
 * first: what came of them less what the port can carry.
 *
 * <p>Both sides are known up to different times, at most a report and a reading old, and hosts
 * report of packets that are lost before the port. So it is right but for {@link #errorPackets},
 * and drifts; a port that has not carried all that it can for a while had no queue at some time of
 * it, and the drift goes. What hosts without an agent send is not known: then it is too small,
 * never below 0. Not thread-safe.
 */
public final class QueueEstimate {
  /** A counter's interval may be off by a fifth: whether a port is busy is judged over some. */
  private static final long BUSY_WINDOW_NANOS = 20_000_000L;

  /** A port is busy that carries so much of its capacity. */
  private static final double BUSY = 0.95;

  /** No more waits than what the port carries in so long, ns: what was lost meanwhile is none. */
  private static final double MOST_WAIT_NANOS = 100e6;

  private static final double BITS_PER_BYTE_NANOS = 8e9;

  private final double bytesPerNano;
  private final int packetBytes;

  /** What has left may not have been reported as sent yet. */
  private final double leastBytes;

  private double arrivedBytes;
  private double backgroundBytes;
  private double backlogBytes;
  private double microBytes;

  /** Background flows were reported before the pairs that carry them; at most 0. */
  private double microOwedBytes;

  private double microSentBytes;
  private double windowBytes;
  private long windowNanos;
  private double windowLeastBytes = Double.MAX_VALUE;

  /**
   * An empty queue.
   *
   * @param capacityBitsPerSecond of the port, above 0
   * @param packetBytes of whole frames, above 0
   * @param reportNanos how often hosts report
   */
  public QueueEstimate(long capacityBitsPerSecond, int packetBytes, long reportNanos) {
    this.bytesPerNano = capacityBitsPerSecond / BITS_PER_BYTE_NANOS;
    this.packetBytes = packetBytes;
    this.leastBytes = -bytesPerNano * reportNanos;
  }

  /**
   * How far the estimate may be off, packets: what comes while a report is on its way, at twice
   * what the port carries, and what leaves between two readings. Should more come it is off by
   * more.
   *
   * @param reportNanos how often hosts report
   * @param readingNanos how often the port's counter is read
   */
  public static long errorPackets(
      long capacityBitsPerSecond, int packetBytes, long reportNanos, long readingNanos) {
    double bytes = capacityBitsPerSecond / BITS_PER_BYTE_NANOS * (2 * reportNanos + readingNanos);
    return (long) Math.ceil(bytes / packetBytes);
  }

  /** A host has sent through the port, bytes of whole frames. */
  public void arrived(double bytes) {
    arrivedBytes += bytes;
  }

  /** So much of it was background flows'. */
  public void arrivedOfBackground(double bytes) {
    backgroundBytes += bytes;
  }

  /**
   * The port's counter has been read: what has come until now is compared with it.
   *
   * @param bytes of whole frames that have left since the last reading
   * @param intervalNanos since then, above 0
   */
  public void departed(long bytes, long intervalNanos) {
    double most = bytesPerNano * MOST_WAIT_NANOS;
    backlogBytes = clamp(backlogBytes + arrivedBytes - bytes, leastBytes, most);
    windowBytes += bytes;
    windowNanos += intervalNanos;
    windowLeastBytes = Math.min(windowLeastBytes, backlogBytes);
    if (windowNanos >= BUSY_WINDOW_NANOS) {
      if (windowBytes < BUSY * bytesPerNano * windowNanos) {
        backlogBytes -= Math.max(0, windowLeastBytes); // At some time there was nothing.
      }
      windowBytes = 0;
      windowNanos = 0;
      windowLeastBytes = Double.MAX_VALUE;
    }
    double came = arrivedBytes - backgroundBytes + microOwedBytes;
    microOwedBytes = Math.min(0, came);
    double waiting = microBytes + Math.max(0, came);
    microBytes = clamp(waiting - bytesPerNano * intervalNanos, 0, Math.max(0, backlogBytes));
    microSentBytes += waiting - microBytes;
    arrivedBytes = 0;
    backgroundBytes = 0;
  }

  private static double clamp(double value, double least, double most) {
    return Math.max(least, Math.min(most, value));
  }

  /** Of all flows. */
  public int packets() {
    return (int) Math.round(Math.max(0, backlogBytes) / packetBytes);
  }

  /** Of those that are no background flows, where these go first. */
  public int microPackets() {
    return (int) Math.round(microBytes / packetBytes);
  }

  /** All that has left of these, bytes of whole frames. */
  public long microSentBytes() {
    return (long) microSentBytes;
  }
}
