// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/**
 * The ticks of a law's own timer, made up for whenever the law is called. They are counted from the
 * first call on. A call that comes very late runs a single tick, and they are counted from there.
 */
final class TimerTicks {
  /** A second's worth at 250 us: a whole recovery. */
  private static final long MAX_CATCH_UP = 4000;

  private final long periodNanos;
  private boolean started;
  private long lastNanos;

  TimerTicks(long periodNanos) {
    this.periodNanos = periodNanos;
  }

  /** To be called first; then {@link #next} until it is false. */
  void catchUp(long nowNanos) {
    long late = nowNanos - lastNanos;
    if (!started || late < 0 || late > MAX_CATCH_UP * periodNanos) {
      started = true;
      lastNanos = nowNanos - periodNanos;
    }
  }

  /** Whether another tick is due: then it is at {@link #nanos}. */
  boolean next(long nowNanos) {
    if (lastNanos + periodNanos > nowNanos) {
      return false;
    }
    lastNanos += periodNanos;
    return true;
  }

  /** The time of the last tick, ns. */
  long nanos() {
    return lastNanos;
  }
}
