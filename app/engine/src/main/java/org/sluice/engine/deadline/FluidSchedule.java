// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.ArrayList;
import java.util.List;
import org.sluice.api.deadline.Admission;

/**
 * What could be met: all flows as fluids, the earliest deadline first at every port, at 0.95 of the
 * payload capacity less the base windows of flows without a deadline, each flow from two round
 * trips and its slow start on. What this meets Sluice promises, and nothing else.
 */
final class FluidSchedule {
  /** The part of the payload capacity that is promised. */
  static final double USABLE = 0.95;

  /** Handshake and first data, round trips. */
  private static final int START_ROUND_TRIPS = 2;

  /** How exact the earliest deadline is told, ns. */
  private static final long RESOLUTION_NANOS = 100_000L;

  /** A time that never comes, ns. */
  private static final double NEVER = Double.POSITIVE_INFINITY;

  private final int initialWindowBytes;
  private final long latencyNanos;

  FluidSchedule(DeadlineParameters parameters) {
    initialWindowBytes = parameters.initialSegments() * parameters.segmentBytes();
    latencyNanos = parameters.latencyNanos();
  }

  /** A flow as far as the schedule is concerned. */
  static final class Demand {
    final DeadlinePort[] path;
    final double bytes;
    final long readyNanos;
    final long deadlineNanos;
    final boolean promised;
    // Those that are late without the newcomer are none of its business.
    private boolean mustBeInTime;
    private double leftBytes;
    private double rate;
    double finishNanos;

    /**
     * A demand.
     *
     * @param bytes that have to arrive yet
     * @param readyNanos when it can use all that it is given
     * @param promised whether others must not make it late
     */
    Demand(
        DeadlinePort[] path, double bytes, long readyNanos, long deadlineNanos, boolean promised) {
      this.path = path;
      this.bytes = bytes;
      this.readyNanos = readyNanos;
      this.deadlineNanos = deadlineNanos;
      this.promised = promised;
      this.mustBeInTime = promised;
    }

    boolean isInTime() {
      return finishNanos <= deadlineNanos;
    }

    private Demand due(long otherDeadlineNanos) {
      return new Demand(path, bytes, readyNanos, otherDeadlineNanos, true);
    }
  }

  /**
   * When a flow that starts now can use all that it is given: when the controller has heard of it
   * and its host of its window, two round trips, and one for every time that its window has to
   * double, ns.
   */
  long startNanos(DeadlinePort[] path, double bytes, double roundTripNanos) {
    double wanted = bytes;
    for (DeadlinePort port : path) {
      wanted = Math.min(wanted, port.availableBytesPerSecond() * roundTripNanos / 1e9);
    }
    double doublings = Math.max(0, Math.ceil(Math.log(wanted / initialWindowBytes) / Math.log(2)));
    return latencyNanos + Math.round((START_ROUND_TRIPS + doublings) * roundTripNanos);
  }

  /**
   * Whether a flow can be promised its deadline beside what has been promised, and if not, by when
   * it could be through.
   *
   * @param others in the order of their priority
   */
  Admission ask(List<Demand> others, Demand wanted, long nowNanos) {
    run(others, nowNanos);
    for (Demand other : others) {
      other.mustBeInTime = other.promised && other.isInTime();
    }
    if (isMetBeside(others, wanted, wanted.deadlineNanos, nowNanos)) {
      return Admission.accepted();
    }
    // Behind everybody else it disturbs nobody: what it needs then is an upper bound.
    Demand last = wanted.due(Long.MAX_VALUE);
    run(inserted(others, last), nowNanos);
    if (last.finishNanos == NEVER) {
      return Admission.never();
    }
    long high = (long) Math.ceil(last.finishNanos);
    long low = Math.max(nowNanos, Math.min(wanted.deadlineNanos, high));
    while (high - low > RESOLUTION_NANOS) {
      long middle = low + (high - low) / 2;
      if (isMetBeside(others, wanted, middle, nowNanos)) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return Admission.cannotBeMet(high - nowNanos);
  }

  private static boolean isMetBeside(
      List<Demand> others, Demand wanted, long deadlineNanos, long nowNanos) {
    Demand trial = wanted.due(deadlineNanos);
    List<Demand> all = inserted(others, trial);
    run(all, nowNanos);
    for (Demand demand : all) {
      if (demand.mustBeInTime && !demand.isInTime()) {
        return false;
      }
    }
    return true;
  }

  /** Behind those that are due no later, and behind nobody that is not promised. */
  private static List<Demand> inserted(List<Demand> others, Demand added) {
    List<Demand> all = new ArrayList<>(others.size() + 1);
    boolean isIn = false;
    for (Demand other : others) {
      if (!isIn && (!other.promised || other.deadlineNanos > added.deadlineNanos)) {
        all.add(added);
        isIn = true;
      }
      all.add(other);
    }
    if (!isIn) {
      all.add(added);
    }
    return all;
  }

  /**
   * Lets the demands finish.
   *
   * @param demands in the order of their priority; their finishNanos are set
   */
  static void run(List<Demand> demands, long nowNanos) {
    for (Demand demand : demands) {
      demand.leftBytes = demand.bytes;
      demand.finishNanos = demand.bytes > 0 ? NEVER : nowNanos;
    }
    double now = nowNanos;
    while (now < NEVER) {
      now = step(demands, now);
    }
  }

  /** Goes on to the next time at which a flow is ready or through; {@link #NEVER} if none is. */
  private static double step(List<Demand> demands, double now) {
    for (Demand demand : demands) {
      for (DeadlinePort port : demand.path) {
        port.openResidual(USABLE);
      }
    }
    double next = NEVER;
    for (Demand demand : demands) {
      demand.rate = 0;
      if (demand.leftBytes <= 0) {
        continue;
      }
      if (demand.readyNanos > now) {
        next = Math.min(next, demand.readyNanos);
        continue;
      }
      double rate = Double.MAX_VALUE;
      for (DeadlinePort port : demand.path) {
        rate = Math.min(rate, port.residual());
      }
      demand.rate = Math.max(0, rate);
      for (DeadlinePort port : demand.path) {
        port.takeResidual(demand.rate);
      }
      if (demand.rate > 0) {
        next = Math.min(next, now + demand.leftBytes / demand.rate * 1e9);
      }
    }
    if (next < NEVER) {
      for (Demand demand : demands) {
        if (demand.rate > 0) {
          advance(demand, now, next);
        }
      }
    }
    return next;
  }

  private static void advance(Demand demand, double now, double next) {
    demand.leftBytes -= demand.rate * (next - now) / 1e9;
    // Less than a byte is the arithmetic's.
    if (demand.leftBytes < 1) {
      demand.leftBytes = 0;
      demand.finishNanos = next;
    }
  }
}
