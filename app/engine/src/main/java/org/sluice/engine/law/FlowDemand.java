// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import java.util.Arrays;
import java.util.List;

/** A flow as {@link SedAdmission} sees it: what it has to send, from when on, and by when. */
public final class FlowDemand {
  /** A time that never comes, ns. */
  static final double NEVER = Double.POSITIVE_INFINITY;

  /** What the same walk may differ by, ns: a byte's time. */
  private static final double ARITHMETIC_NANOS = 100;

  final ResidualCapacity[] path;
  final double bytes;
  final long readyNanos;
  final long deadlineNanos;

  /**
   * A newcomer must not make it any later than this: its deadline, or when it is through without
   * the newcomer. The reference is late with a promise as soon as its connection begins a little
   * later than was thought, and keeps it all the same with what it holds back; so being late there
   * does not leave a promise unprotected.
   */
  private double latestNanos;

  double finishNanos;

  // Of the present walk: what it takes, and when.
  private double[] pieces = new double[12];
  private int taken;

  /**
   * A demand.
   *
   * @param bytes that have to arrive yet
   * @param readyNanos when it can use all that it is given
   */
  public FlowDemand(ResidualCapacity[] path, double bytes, long readyNanos, long deadlineNanos) {
    this.path = path;
    this.bytes = bytes;
    this.readyNanos = readyNanos;
    this.deadlineNanos = deadlineNanos;
    this.latestNanos = deadlineNanos;
  }

  FlowDemand due(long otherDeadlineNanos) {
    return new FlowDemand(path, bytes, readyNanos, otherDeadlineNanos);
  }

  /** Where in a list in the order of deadlines one belongs: behind those that are due no later. */
  static int placeOf(long deadlineNanos, List<FlowDemand> inOrder) {
    int low = 0;
    int high = inOrder.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (inOrder.get(middle).deadlineNanos <= deadlineNanos) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  boolean isInTime() {
    return finishNanos <= deadlineNanos;
  }

  /**
   * No newcomer is to make it later than it is now. What cannot be kept even by all of its path,
   * that which is never promised too, is not protected.
   */
  void protect(long nowNanos) {
    double rate = Double.MAX_VALUE;
    for (ResidualCapacity port : path) {
      rate = port.isWhole() ? Math.min(rate, port.bytesPerSecond()) : rate;
    }
    double least = nowNanos + SedAdmission.USABLE * bytes / rate * 1e9;
    double late = least > deadlineNanos ? NEVER : finishNanos + ARITHMETIC_NANOS;
    latestNanos = isInTime() ? deadlineNanos : late;
  }

  /** Whether it must be in time, and not only no later than it is anyway. */
  boolean mustBeInTime() {
    return latestNanos == deadlineNanos;
  }

  /** Whether a newcomer that was walked and taken before has made it later than it may. */
  boolean isDisturbed() {
    return finishNanos > latestNanos;
  }

  /** Finds out when it is through if it takes all that is free on its path. */
  void walk(double nowNanos) {
    taken = 0;
    finishNanos = bytes > 0 ? NEVER : nowNanos;
    double left = bytes;
    double doubtBytes = 0;
    double now = Math.max(nowNanos, readyNanos);
    for (ResidualCapacity port : path) {
      port.seek(now);
    }
    while (left > 0) {
      double free = Double.MAX_VALUE;
      double until = NEVER;
      for (ResidualCapacity port : path) {
        free = Math.min(free, port.here());
        until = Math.min(until, port.until());
      }
      if (free > 0) {
        double through = now + left / free * 1e9;
        left -= free * (Math.min(through, until) - now) / 1e9;
        doubtBytes += free * Math.ulp(through) / 1e9 + Math.ulp(bytes);
        if (through <= until || left <= doubtBytes) {
          finishNanos = Math.min(through, until);
          left = 0;
        }
        note(now, Math.min(through, until), free);
      }
      if (until == NEVER) {
        return;
      }
      now = until;
      for (ResidualCapacity port : path) {
        port.walk(now);
      }
    }
  }

  private void note(double from, double until, double free) {
    if (taken + 3 > pieces.length) {
      pieces = Arrays.copyOf(pieces, 2 * pieces.length);
    }
    pieces[taken++] = from;
    pieces[taken++] = until;
    pieces[taken++] = free;
  }

  /** Takes what the walk has found. */
  void take() {
    for (int i = 0; i < taken; i += 3) {
      for (ResidualCapacity port : path) {
        port.take(pieces[i], pieces[i + 1], pieces[i + 2]);
      }
    }
  }
}
