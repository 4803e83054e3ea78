// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What of a port's promisable rate is still free over the time to come, as steps: of one schedule,
 * and of one thread.
 */
public final class ResidualCapacity {
  /** Below is the arithmetic's, bytes/s. */
  private static final double NOTHING = 1e-3;

  /** For so long an owner may have it all, ns: short deadlines go to whoever comes first. */
  private static final double SOON_NANOS = 10e9;

  /** What is left of that for one who used none of it, ns: more than nothing, as a step. */
  private static final double LEAST_SOON_NANOS = 1e3;

  private final double bytesPerSecond;

  /** For how long there is so much, and how much there is after that. */
  private final double soonNanos;

  private final double laterBytesPerSecond;
  private double[] from = new double[8];
  private double[] rate = new double[8];
  private int steps;

  /** The step that a walk through time has come to. */
  private int at;

  /** Those that are promised something here, by deadline. */
  private final List<FlowDemand> promised = new ArrayList<>();

  public ResidualCapacity(double bytesPerSecond) {
    this(bytesPerSecond, Double.POSITIVE_INFINITY, bytesPerSecond);
  }

  private ResidualCapacity(double bytesPerSecond, double soonNanos, double laterBytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
    this.soonNanos = soonNanos;
    this.laterBytesPerSecond = laterBytesPerSecond;
  }

  /**
   * What of this may be promised to one owner: a part of it in the long run, and all of the next
   * ten seconds, so that short deadlines do not depend on how many owners there are.
   *
   * @param unusedBytes what it was promised lately and did not send: so much less is soon
   */
  public ResidualCapacity part(double part, double unusedBytes) {
    double soonNanos = Math.max(LEAST_SOON_NANOS, SOON_NANOS - unusedBytes * 1e9 / bytesPerSecond);
    return new ResidualCapacity(bytesPerSecond, soonNanos, part * bytesPerSecond);
  }

  /** Whether it is a port's own, and not an owner's part. */
  boolean isWhole() {
    return soonNanos == Double.POSITIVE_INFINITY;
  }

  /** How much there is in so long, bytes. */
  private double bytesIn(double nanos) {
    double soon = Math.min(nanos, soonNanos);
    return (soon * bytesPerSecond + (nanos - soon) * laterBytesPerSecond) / 1e9;
  }

  /** How long it takes until there was so much, ns. */
  private double nanosFor(double bytes) {
    double soon = bytes * 1e9 / bytesPerSecond;
    return soon <= soonNanos
        ? soon
        : soonNanos + (bytes - bytesIn(soonNanos)) * 1e9 / laterBytesPerSecond;
  }

  /** All that there is to promise, bytes/s. */
  double bytesPerSecond() {
    return bytesPerSecond;
  }

  // ---------------------------------------------------------------- what is promised

  /** Nothing is promised yet. */
  void open() {
    promised.clear();
  }

  void promise(FlowDemand demand) {
    promised.add(FlowDemand.placeOf(demand.deadlineNanos, promised), demand);
  }

  void takeBack(FlowDemand demand) {
    promised.remove(demand);
  }

  /**
   * The earliest deadline, not before a given one, that this port alone would allow: what is due by
   * any time has to fit before it. Other ports may allow only a later one, but none an earlier one.
   */
  double earliestNanos(double bytes, double notBeforeNanos, double nowNanos) {
    double sum = 0;
    double earliest = notBeforeNanos;
    // Those that would be late with it have to go before it.
    for (FlowDemand each : promised) {
      sum += each.bytes;
      double room = bytesIn(each.deadlineNanos - nowNanos);
      if (each.deadlineNanos > earliest && each.mustBeInTime() && sum + bytes > room + 1) {
        earliest = Math.max(earliest, each.deadlineNanos);
      }
    }
    sum = bytes;
    for (FlowDemand each : promised) {
      double through = nowNanos + nanosFor(sum);
      if (each.deadlineNanos > Math.max(earliest, through)) {
        break;
      }
      sum += each.bytes;
    }
    return Math.max(earliest, nowNanos + nanosFor(sum));
  }

  // ---------------------------------------------------------------- what is free

  /** All of it is free from a time on, ns. */
  void clear(double nowNanos) {
    steps = isWhole() ? 1 : 2;
    from[0] = nowNanos;
    rate[0] = bytesPerSecond;
    from[1] = nowNanos + soonNanos;
    rate[1] = laterBytesPerSecond;
  }

  /** Begins a walk at a time, ns. */
  void seek(double nanos) {
    int low = 0;
    int high = steps - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (from[middle] <= nanos) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    at = low;
  }

  /** What is free where the walk has come to, bytes/s. */
  double here() {
    return rate[at];
  }

  /** Until when that is so, ns. */
  double until() {
    return at + 1 < steps ? from[at + 1] : Double.POSITIVE_INFINITY;
  }

  /** Walks on to a time that is not beyond {@link #until}. */
  void walk(double nanos) {
    if (until() <= nanos) {
      at++;
    }
  }

  /** Takes a rate out of the time between. */
  void take(double fromNanos, double untilNanos, double bytesPerSecond) {
    int first = split(fromNanos);
    int last = split(untilNanos);
    for (int i = first; i < last; i++) {
      rate[i] = rate[i] - bytesPerSecond < NOTHING ? 0 : rate[i] - bytesPerSecond;
    }
    merge(Math.max(1, first), Math.min(steps - 1, last));
  }

  /** The step that begins at a time, made if there is none. */
  private int split(double nanos) {
    if (nanos == Double.POSITIVE_INFINITY) {
      return steps;
    }
    seek(nanos);
    if (from[at] == nanos || nanos < from[0]) {
      return at;
    }
    if (steps == from.length) {
      from = Arrays.copyOf(from, 2 * steps);
      rate = Arrays.copyOf(rate, 2 * steps);
    }
    System.arraycopy(from, at + 1, from, at + 2, steps - at - 1);
    System.arraycopy(rate, at + 1, rate, at + 2, steps - at - 1);
    from[at + 1] = nanos;
    rate[at + 1] = rate[at];
    steps++;
    return at + 1;
  }

  /** Makes one of neighbours that are equal, from the step before the first to the last. */
  private void merge(int first, int last) {
    int kept = first - 1;
    for (int i = first; i <= last; i++) {
      if (rate[i] != rate[kept]) {
        kept++;
        from[kept] = from[i];
        rate[kept] = rate[i];
      }
    }
    int removed = last - kept;
    if (removed > 0) {
      System.arraycopy(from, last + 1, from, kept + 1, steps - last - 1);
      System.arraycopy(rate, last + 1, rate, kept + 1, steps - last - 1);
      steps -= removed;
    }
  }
}
