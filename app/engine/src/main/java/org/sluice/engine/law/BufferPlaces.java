// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/**
 * What a port's buffer has places for (ours; SED assumes that what sums to T_win fits). Windows,
 * and what lowered ones may have let go, hold no more than that beside what no window counts.
 */
final class BufferPlaces {
  /**
   * Of a buffer so much is for what no window counts: handshakes, probes of closed windows, ends of
   * connections, and segments that are not full.
   */
  private static final double UNCOUNTED_PART = 1 / 3.0;

  private double bufferBytes = Double.MAX_VALUE;
  private double beginningsBytes;
  private double leastBytes;

  // Of the present round of allocation.
  private double leftBytes;

  /** Sets the buffer, bytes of payload, above 0; {@link Double#MAX_VALUE} if it is not known. */
  void setBuffer(double bytes) {
    bufferBytes = bytes;
  }

  /**
   * Connections are about to begin together: where the buffer is known it keeps places for their
   * handshakes, of which a lost one costs a second.
   *
   * @param bytes of these places, as many as there are connections
   * @param least what is for windows all the same, bytes
   * @return whether it keeps more or fewer than before
   */
  boolean keepForBeginnings(double bytes, double least) {
    boolean changed = bytes != beginningsBytes;
    if (changed) {
      beginningsBytes = bytes;
      leastBytes = least;
    }
    return changed;
  }

  /** What is for windows, bytes. */
  double bytes() {
    if (bufferBytes == Double.MAX_VALUE) {
      return bufferBytes;
    }
    double uncounted = Math.max(UNCOUNTED_PART * bufferBytes, beginningsBytes);
    return Math.max(Math.min(bufferBytes, leastBytes), bufferBytes - uncounted);
  }

  /** How long a full buffer takes to drain, ns; 0 if it is not known. */
  double nanos(double bytesPerSecond) {
    return bufferBytes < Double.MAX_VALUE ? bufferBytes * 1e9 / bytesPerSecond : 0;
  }

  /** A round of allocation begins: all places are free, and what the path holds. */
  void open(double pathBytes) {
    leftBytes = bytes() + pathBytes;
  }

  /** So much may be in transit of a flow, bytes. */
  void take(double bytes) {
    leftBytes -= bytes;
  }

  /** What nothing that may be in transit takes, bytes; may be below 0. */
  double leftBytes() {
    return leftBytes;
  }
}
