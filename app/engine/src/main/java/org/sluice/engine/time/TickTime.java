// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.time;

/**
 * When a tick is, and what its length makes of sums that fade over {@link SmoothedRate}'s window.
 */
public final class TickTime {
  /** What should be reported all the time is stale after this (or two T_i), ns. */
  public static final long STALE_NANOS = 500_000_000L;

  /** Engine time, ns. */
  public long now;

  /** The time that samples since the last tick have: that of the tick before them, ns. */
  public long sampledAt;

  /** Since the last tick, ns. */
  public long stepNanos;

  /** What a sum that fades keeps of its past. */
  public double left;

  /** What a sum that fades is the sum over, s. */
  public double seconds;

  public void set(long nowNanos, long sinceLastNanos) {
    now = nowNanos;
    stepNanos = sinceLastNanos;
    sampledAt = nowNanos - sinceLastNanos;
    left = SmoothedRate.remaining(sinceLastNanos);
    seconds = sinceLastNanos / 1e9 / (1 - left);
  }

  /** Whether something that should be reported all the time has been of late. */
  public boolean isFresh(long at) {
    return isWithin(at, STALE_NANOS);
  }

  /** Whether something was reported within so long; never shorter than two ticks. */
  public boolean isWithin(long at, long nanos) {
    return sampledAt - at < Math.max(nanos, 2 * stepNanos);
  }

  /** Whether so long has passed since a moment; never shorter than two ticks. */
  public boolean hasPassed(long since, long nanos) {
    return now - since >= Math.max(nanos, 2 * stepNanos);
  }
}
