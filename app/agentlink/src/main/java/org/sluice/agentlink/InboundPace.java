// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

/**
 * How fast a session's messages are taken in: by their bytes, after a burst of a second's (a leaky
 * bucket by its theoretical arrival time, ITU-T I.371). Not thread-safe.
 */
final class InboundPace {
  /** While its host is quarantined each message counts as so many bytes at least. */
  static final int QUARANTINED_BYTES = 1 << 18;

  private static final long BURST_NANOS = 1_000_000_000L;
  private static final double NANOS_PER_BYTE = 1e9 / HostLimits.BYTES_PER_SECOND;

  private long dueNanos;

  InboundPace(long nowNanos) {
    dueNanos = nowNanos;
  }

  /** Takes note of a message. */
  void took(int bytes, long nowNanos) {
    dueNanos = Math.max(dueNanos, nowNanos) + (long) (bytes * NANOS_PER_BYTE);
  }

  /** For how long no more is to be taken in, ns; 0: go on. */
  long pauseNanos(long nowNanos) {
    return Math.max(0, dueNanos - nowNanos - BURST_NANOS);
  }
}
