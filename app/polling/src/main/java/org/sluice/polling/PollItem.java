// SPDX-License-Identifier: Apache-2.0
package org.sluice.polling;

import java.util.concurrent.TimeUnit;

/** A port or meter of the plan: how often it is read, and when next. */
final class PollItem {
  /** How often something is read where it matters: the controller's own period. */
  static final long HOT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** How often something is read that carries traffic and shows nothing. */
  static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** How often a port is read that carries nothing. */
  static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final PollRequest request;
  private final int weight;
  private long periodNanos = QUIET_NANOS;
  private long dueNanos;
  private boolean watched;
  private long watchedUntilNanos;

  /**
   * Something to read, at once.
   *
   * @param weight how many times more urgent than others it is when it is equally late
   */
  PollItem(PollRequest request, int weight, long nowNanos) {
    this.request = request;
    this.weight = weight;
    this.dueNanos = nowNanos;
  }

  PollRequest request() {
    return request;
  }

  long dueNanos() {
    return dueNanos;
  }

  long periodNanos() {
    return periodNanos;
  }

  boolean isDue(long nowNanos) {
    return nowNanos - dueNanos >= 0;
  }

  /** Whether it is read more often than a quiet one, and paid from the budget for that. */
  boolean isHot() {
    return periodNanos < QUIET_NANOS;
  }

  /** Its lateness in its own periods: those that were due the longest go first. */
  double urgency(long nowNanos) {
    return (double) (nowNanos - dueNanos) / periodNanos * weight;
  }

  /** It is being read: the next time keeps to the beat, and nothing missed is made up for. */
  void requested(long nowNanos) {
    dueNanos += periodNanos;
    if (nowNanos - dueNanos >= 0) {
      dueNanos = nowNanos + periodNanos;
    }
  }

  /** Reads it at the shortest period from now on. */
  void heat(long nowNanos) {
    setPeriod(HOT_NANOS, nowNanos);
  }

  /** Doubles the period, up to the given one; a longer one is shortened to it. */
  void cool(long atMostNanos, long nowNanos) {
    setPeriod(Math.min(2 * periodNanos, atMostNanos), nowNanos);
  }

  /** Keeps it hot until then, whatever it shows. */
  void watch(long untilNanos, long nowNanos) {
    watched = true;
    watchedUntilNanos = untilNanos;
    heat(nowNanos);
  }

  boolean isWatched(long nowNanos) {
    watched = watched && watchedUntilNanos - nowNanos > 0;
    return watched;
  }

  private void setPeriod(long nanos, long nowNanos) {
    if (nanos < periodNanos && dueNanos - (nowNanos + nanos) > 0) {
      dueNanos = nowNanos + nanos;
    } else if (nanos > periodNanos) {
      dueNanos += nanos - periodNanos;
    }
    periodNanos = nanos;
  }
}
