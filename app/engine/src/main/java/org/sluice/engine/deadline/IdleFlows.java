// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

/**
 * Finds connections without a deadline that send nothing although they may. Ours: with base windows
 * for some dozens of connections that applications keep open there would be nothing to divide, nor
 * to promise. They are idle until something of them arrives.
 */
final class IdleFlows {
  /** More than a receiver holds acknowledgements back (Linux: 40 ms), ns. */
  static final long IDLE_NANOS = 100_000_000;

  private IdleFlows() {}

  /** Evaluates one without a deadline; what is found counts from the next round on. */
  static void check(GifRow row, long nowNanos) {
    if (row.publishedBytes == 0) {
      row.shutNanos = nowNanos;
    } else if (!row.idle && nowNanos - Math.max(row.progressNanos, row.shutNanos) >= IDLE_NANOS) {
      row.setIdle(true);
    }
  }

  /** Leaves one that is idle a base window: enough for the first bytes to be noticed. */
  static void narrow(GifRow row, long baseBytes, long nowNanos) {
    row.setWindow(Math.min(row.windowBytes(), baseBytes), nowNanos);
  }
}
