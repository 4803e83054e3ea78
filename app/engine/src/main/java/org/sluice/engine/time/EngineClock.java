// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.time;

/**
 * Engine time: follows the caller's clock, but never steps back and never leaps. After a pause or a
 * clock step the tables are as old as before, and nothing times out for lack of reports.
 */
public final class EngineClock {
  /** A longer time between ticks counts as a pause, ns. */
  static final long LONGEST_STEP_NANOS = 250_000_000L;

  private boolean started;
  private long lastNanos;
  private long now;

  /**
   * Advances to a tick.
   *
   * @return whether the caller's clock was credible
   */
  public boolean advance(long nowNanos, long controlPeriodNanos) {
    long step = started ? nowNanos - lastNanos : controlPeriodNanos;
    started = true;
    lastNanos = nowNanos;
    boolean credible = step >= 0 && step <= Math.max(LONGEST_STEP_NANOS, 4 * controlPeriodNanos);
    now += credible ? step : controlPeriodNanos;
    return credible;
  }

  /** Engine time at the last tick, ns from 0. */
  public long now() {
    return now;
  }

  /** How long before the last tick the caller's clock showed this, ns; below 0 if after it. */
  public long age(long nanos) {
    return started ? lastNanos - nanos : 0;
  }
}
