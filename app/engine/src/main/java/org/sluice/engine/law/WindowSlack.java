// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/**
 * What a port's total window has beyond K + C RTT_base (ours; SED has nothing like it). The least
 * round trip has nothing of what busy hosts and switches add to the others, and where they add more
 * than K/C, windows that sum to T_win leave the port idle. So while much passes a port and its
 * queue is short, the sum grows, and comes down when the queue exceeds K: with a queue that stands
 * where it should, as on wires that delay nothing, this is 0.
 */
final class WindowSlack {
  /** It grows by K in so long beside an empty queue, ns. */
  private static final double GROWTH_NANOS = 40e6;

  /** It comes down so much faster. */
  private static final double RETREAT = 2;

  /** At most so many K: a port's buffer has to hold it should the delays vanish. */
  private static final double MOST_THRESHOLDS = 2;

  /** Below this part of the capacity the queue is short because there is little to send. */
  private static final double BUSY_PART = 0.3;

  /** What passes is evaluated over so long, ns. */
  private static final long SPAN_NANOS = 20_000_000;

  private double mostBytes = Double.MAX_VALUE;
  private double bytes;
  private boolean busy;
  private long updatedNanos = Long.MIN_VALUE;
  private long measuredNanos = Long.MIN_VALUE;
  private double deliveredBytes;

  /** Sets what a queue has space for beyond K, bytes. */
  void setMost(double value) {
    mostBytes = Math.max(0, value);
    bytes = Math.min(bytes, mostBytes);
  }

  /** Bytes, at least 0. */
  double bytes() {
    return bytes;
  }

  /**
   * The queue was seen.
   *
   * @param delivered bytes that have passed the port since the beginning
   */
  void update(
      long backlogBytes,
      long thresholdBytes,
      double delivered,
      double capacityBytesPerSecond,
      long nowNanos) {
    measure(delivered, capacityBytesPerSecond, nowNanos);
    double nanos =
        updatedNanos == Long.MIN_VALUE ? 0 : Math.min(SPAN_NANOS, nowNanos - updatedNanos);
    updatedNanos = nowNanos;
    double step = thresholdBytes * nanos / GROWTH_NANOS;
    if (backlogBytes >= thresholdBytes) {
      bytes -= RETREAT * step + (backlogBytes - thresholdBytes);
    } else if (busy && backlogBytes < thresholdBytes / 2.0) {
      bytes += step * (1 - 2.0 * backlogBytes / thresholdBytes);
    }
    double most = Math.min(MOST_THRESHOLDS * thresholdBytes, mostBytes);
    bytes = Math.max(0, Math.min(most, bytes));
  }

  private void measure(double delivered, double capacityBytesPerSecond, long nowNanos) {
    if (measuredNanos == Long.MIN_VALUE) {
      measuredNanos = nowNanos;
      deliveredBytes = delivered;
    } else if (nowNanos - measuredNanos >= SPAN_NANOS) {
      double rate = (delivered - deliveredBytes) * 1e9 / (nowNanos - measuredNanos);
      busy = rate >= BUSY_PART * capacityBytesPerSecond;
      measuredNanos = nowNanos;
      deliveredBytes = delivered;
    }
  }
}
