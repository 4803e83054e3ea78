// SPDX-License-Identifier: Apache-2.0
package org.sluice.polling;

import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The counters of one port or meter as they were last read, and what was added since. Time is the
 * switch's own: the duration that stands beside the counters. Where that makes no sense, or the
 * counters began anew, the reading is taken as a new beginning and nothing is reported.
 */
final class Counters {
  /** How long since the thing exists, if the switch does not say; OpenFlow 1.3.5, section 7.3.5. */
  static final long UNKNOWN_SECONDS = 0xffffffffL;

  /** A counter that the switch does not have; OpenFlow 1.3.5, section 7.3.5.6. */
  private static final long UNSUPPORTED = -1;

  /** More than any port of today carries: 400 Gbit/s, and some bytes at once. */
  private static final double MAX_BYTES_PER_NANO = 50;

  private static final long MAX_BURST = 1 << 20;

  /** By how much the switch's clock and ours may disagree about one interval. */
  private static final long CLOCK_SLACK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long LOW_32_BITS = 0xffffffffL;

  /** What was added, and in how much time. */
  static final class Added {
    private final long[] counts;
    private final long intervalNanos;

    private Added(long[] counts, long intervalNanos) {
      this.counts = counts;
      this.intervalNanos = intervalNanos;
    }

    /** By the position of the counter. */
    long count(int index) {
      return counts[index];
    }

    long intervalNanos() {
      return intervalNanos;
    }
  }

  private long[] counts;
  private long aliveNanos;
  private long localNanos;

  /**
   * Takes a reading.
   *
   * @param nowCounts the counters, always the same ones in the same order
   * @param aliveSeconds the duration beside the counters, whole seconds, or {@link
   *     #UNKNOWN_SECONDS}: then the local clock stands in
   * @param aliveExtraNanos the rest of that duration
   * @param nowLocalNanos the local clock
   * @return what was added since the last reading; empty if there was none, if it makes no sense
   *     beside this one, or if the switch's clock has not moved: then this reading is forgotten
   */
  Optional<Added> read(
      long[] nowCounts, long aliveSeconds, long aliveExtraNanos, long nowLocalNanos) {
    long nowAliveNanos =
        aliveSeconds == UNKNOWN_SECONDS
            ? nowLocalNanos
            : TimeUnit.SECONDS.toNanos(aliveSeconds) + aliveExtraNanos;
    long[] now = nowCounts.clone();
    for (int i = 0; i < now.length; i++) {
      now[i] = now[i] == UNSUPPORTED ? 0 : now[i];
    }
    if (counts == null) {
      begin(now, nowAliveNanos, nowLocalNanos);
      return Optional.empty();
    }
    long interval = nowAliveNanos - aliveNanos;
    if (interval == 0 && !fell(now)) {
      return Optional.empty();
    }
    boolean clockJumped =
        Math.abs(interval - (nowLocalNanos - localNanos)) > CLOCK_SLACK_NANOS || interval <= 0;
    long[] added = clockJumped || beganAnew(now) ? null : difference(now, interval);
    begin(now, nowAliveNanos, nowLocalNanos);
    return added == null ? Optional.empty() : Optional.of(new Added(added, interval));
  }

  private void begin(long[] now, long nowAliveNanos, long nowLocalNanos) {
    counts = now;
    aliveNanos = nowAliveNanos;
    localNanos = nowLocalNanos;
  }

  private boolean fell(long[] now) {
    for (int i = 0; i < now.length; i++) {
      if (Long.compareUnsigned(now[i], counts[i]) < 0) {
        return true;
      }
    }
    return false;
  }

  /** All counters fell that could: one that wraps does not take the others along. */
  private boolean beganAnew(long[] now) {
    return fell(now) && Arrays.stream(counts).filter(c -> c != 0).count() > 1 && allFell(now);
  }

  private boolean allFell(long[] now) {
    for (int i = 0; i < now.length; i++) {
      if (counts[i] != 0 && Long.compareUnsigned(now[i], counts[i]) >= 0) {
        return false;
      }
    }
    return true;
  }

  /** Null if a counter would have run faster than can be. */
  private long[] difference(long[] now, long intervalNanos) {
    double most = MAX_BURST + intervalNanos * MAX_BYTES_PER_NANO;
    long[] added = new long[now.length];
    for (int i = 0; i < now.length; i++) {
      added[i] = now[i] - counts[i];
      boolean fell = Long.compareUnsigned(now[i], counts[i]) < 0;
      if (fell && Long.compareUnsigned(counts[i], LOW_32_BITS) <= 0) {
        added[i] &= LOW_32_BITS; // Wrapped at 32 bits; at 64 the difference is right as it is.
      }
      if (added[i] < 0 || added[i] > most) {
        return null;
      }
    }
    return added;
  }
}
