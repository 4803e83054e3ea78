// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.sluice.api.deadline.Admission;

/**
 * Which deadlines can be met beside those that are promised: what this meets Sluice promises, and
 * nothing else. (SED, section 3.5, orders flows by earliest deadline first, as that makes the
 * fewest late; it admits all of them.)
 *
 * <p>All promised flows go as fluids, the earliest deadline first at every port, each from two
 * round trips and its slow start on. They are served one after the other, in the order of their
 * deadlines, each out of what those before it have left free over time ({@link ResidualCapacity}):
 * a flow takes nothing from those before it, so this is what would happen if all went at once. A
 * newcomer is promised its deadline if it is in time and makes none of them late. Not thread-safe.
 */
public final class SedAdmission {
  /** The part of the payload capacity that is promised. */
  public static final double USABLE = 0.95;

  /** Handshake and first data, round trips. */
  private static final int START_ROUND_TRIPS = 2;

  /**
   * So many flows are served in trials. Beyond, only what is left beside all others is promised and
   * offered: rather too late than too soon.
   */
  private static final long MOST_WORK = 50_000;

  private final Collection<ResidualCapacity> ports;
  private final long nowNanos;

  /** In the order of their deadlines, of equals the one that came first. */
  private final List<FlowDemand> promised = new ArrayList<>();

  /** How many were served so far, in all trials. */
  private long work;

  /** So many of them, from the first on, are taken out of what is free. */
  private int served;

  /**
   * A schedule of those that are promised already.
   *
   * @param ports all that occur on their paths and on those of newcomers
   * @param promised in the order of their deadlines
   */
  public SedAdmission(
      Collection<ResidualCapacity> ports, List<FlowDemand> promised, long nowNanos) {
    this.ports = ports;
    this.nowNanos = nowNanos;
    ports.forEach(ResidualCapacity::open);
    for (FlowDemand demand : promised) {
      insert(this.promised.size(), demand);
    }
    restart();
    serveUpTo(promised.size());
    for (FlowDemand demand : promised) {
      demand.protect(nowNanos);
    }
    work = 0;
  }

  // ---------------------------------------------------------------- what there is to promise

  /**
   * What of a port can be promised: a part of what it was seen to carry, which is no more one time
   * than the other, or of its capacity where it could, less the base windows of flows without a
   * deadline and what is reserved, bytes/s of payload.
   *
   * @param baseWindowsBytes all base windows together
   * @param reservedBytesPerSecond what is not promised although nothing uses it now
   * @param restYields whether all the rest may be: what is not under grant then yields
   */
  public static double promisableBytesPerSecond(
      SedPort port, double baseWindowsBytes, double reservedBytesPerSecond, boolean restYields) {
    double fullRoundTrip = port.roundTripNanos() + port.standingNanos();
    double base = baseWindowsBytes * 1e9 / fullRoundTrip;
    double usable = restYields ? port.capacityBytesPerSecond() : port.availableBytesPerSecond();
    double part = USABLE * port.carriedPart();
    return Math.max(0, part * usable - base - reservedBytesPerSecond);
  }

  /**
   * For how long a flow that starts now cannot yet use all that it is given: until the controller
   * has its report and its host its window, two round trips, and one for every time that its window
   * has to double, ns.
   *
   * @param bytes that it has to send
   * @param initialBytes its first window
   * @param latencyNanos of a report and a grant
   */
  public static long startNanos(
      SedPort[] path, double bytes, long initialBytes, long latencyNanos, double roundTripNanos) {
    double wanted = bytes;
    for (SedPort port : path) {
      wanted = Math.min(wanted, port.availableBytesPerSecond() * roundTripNanos / 1e9);
    }
    double initial = initialBytes;
    double doublings = Math.max(0, Math.ceil(Math.log(wanted / initial) / Math.log(2)));
    return latencyNanos + Math.round((START_ROUND_TRIPS + doublings) * roundTripNanos);
  }

  /**
   * Promises that cannot be kept: each is evaluated in the order of the deadlines, beside those
   * before it that can.
   *
   * @param ports all that occur on their paths; of these nothing is left as it was
   * @param promised in the order of their deadlines
   */
  public static List<FlowDemand> broken(
      Collection<ResidualCapacity> ports, List<FlowDemand> promised, long nowNanos) {
    ports.forEach(port -> port.clear(nowNanos));
    List<FlowDemand> found = new ArrayList<>();
    for (FlowDemand demand : promised) {
      demand.walk(nowNanos);
      if (demand.isInTime()) {
        demand.take();
      } else {
        found.add(demand);
      }
    }
    return found;
  }

  // ---------------------------------------------------------------- what can be promised

  /** A demand is no longer there. */
  public void remove(FlowDemand demand) {
    promised.remove(demand);
    for (ResidualCapacity port : demand.path) {
      port.takeBack(demand);
    }
    restart();
  }

  /** A demand is there, whoever is late with it. */
  public void add(FlowDemand demand) {
    int place = FlowDemand.placeOf(demand.deadlineNanos, promised);
    insert(place, demand);
    if (place < served) {
      restart();
    }
  }

  private void insert(int place, FlowDemand demand) {
    promised.add(place, demand);
    for (ResidualCapacity port : demand.path) {
      port.promise(demand);
    }
  }

  /**
   * Whether a flow can be promised its deadline beside what has been promised, and if not, by when
   * it could be through. One that can is promised from then on.
   */
  public Admission decide(FlowDemand wanted) {
    if (fitsIntoTheRest(wanted)) {
      return Admission.accepted();
    }
    long least = leastDeadline(wanted);
    boolean possible = least <= wanted.deadlineNanos;
    if (possible
        && work <= MOST_WORK
        && fits(FlowDemand.placeOf(wanted.deadlineNanos, promised), wanted)) {
      return Admission.accepted();
    }
    FlowDemand behind = wanted.due(Long.MAX_VALUE);
    serveUpTo(promised.size());
    behind.walk(nowNanos);
    if (behind.finishNanos == FlowDemand.NEVER) {
      return Admission.never();
    }
    long bound = (long) Math.ceil(behind.finishNanos);
    return Admission.cannotBeMet(Math.max(1, earliest(wanted, least, bound) - nowNanos));
  }

  /**
   * The earliest deadline that could be promised.
   *
   * @param least none before it can
   * @param bound what is left beside all that is promised would allow this one
   */
  private long earliest(FlowDemand wanted, long least, long bound) {
    if (work > MOST_WORK || least >= bound) {
      return bound;
    }
    int low = FlowDemand.placeOf(Math.max(least, wanted.deadlineNanos), promised);
    if (least > wanted.deadlineNanos && isInTimeAndDisturbsNone(low, wanted.due(least + 1))) {
      return least + 1;
    }
    // The further back it stands, the fewer it disturbs, and the later it is itself.
    int high = FlowDemand.placeOf(bound, promised);
    long found = bound;
    while (low < high && work <= MOST_WORK) {
      int middle = (low + high) >>> 1;
      FlowDemand trial = earliestAt(middle, wanted);
      if (trial != null) {
        found = Math.min(found, trial.deadlineNanos);
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return found;
  }

  private boolean isInTimeAndDisturbsNone(int place, FlowDemand trial) {
    serveUpTo(place);
    trial.walk(nowNanos);
    return trial.isInTime() && disturbsNone(place, trial);
  }

  /** No deadline before this can be promised, for a port alone forbids it. */
  private long leastDeadline(FlowDemand wanted) {
    double least = wanted.deadlineNanos;
    for (ResidualCapacity port : wanted.path) {
      least = Math.max(least, port.earliestNanos(wanted.bytes, least, nowNanos));
    }
    // Half a nanosecond is the arithmetic's.
    return (long) Math.ceil(Math.min(least - 0.5, Long.MAX_VALUE / 2.0));
  }

  /**
   * Whether it is in time with what all others leave. Then it can be promised without evaluating
   * them: what is done by a deadline is the same in whatever order it is done before.
   */
  private boolean fitsIntoTheRest(FlowDemand wanted) {
    serveUpTo(promised.size());
    wanted.walk(nowNanos);
    if (!wanted.isInTime()) {
      return false;
    }
    wanted.take();
    insert(FlowDemand.placeOf(wanted.deadlineNanos, promised), wanted);
    served = promised.size();
    return true;
  }

  /** The earliest deadline with which a flow could stand at a place; null if it cannot. */
  private FlowDemand earliestAt(int place, FlowDemand wanted) {
    FlowDemand trial = wanted.due(Long.MAX_VALUE);
    serveUpTo(place);
    trial.walk(nowNanos);
    if (trial.finishNanos == FlowDemand.NEVER) {
      return null;
    }
    long due = Math.max(wanted.deadlineNanos + 1, (long) Math.ceil(trial.finishNanos));
    if (place > 0) {
      due = Math.max(due, promised.get(place - 1).deadlineNanos);
    }
    boolean inPlace =
        place == promised.size() || trial.finishNanos < promised.get(place).deadlineNanos;
    FlowDemand found = wanted.due(due);
    return inPlace && disturbsNone(place, found) ? found : null;
  }

  /** Promises it if that is possible. */
  private boolean fits(int place, FlowDemand wanted) {
    serveUpTo(place);
    wanted.walk(nowNanos);
    if (!wanted.isInTime()) {
      return false;
    }
    if (!disturbsNone(place, wanted)) {
      return false;
    }
    boolean last = place == promised.size();
    insert(place, wanted);
    served = last ? place : promised.size();
    return true;
  }

  /** Whether all behind a place are in time when a flow stands there. */
  private boolean disturbsNone(int place, FlowDemand wanted) {
    if (place == promised.size()) {
      return true;
    }
    serveUpTo(place);
    serve(wanted);
    served = Integer.MAX_VALUE; // What is free now is the trial's.
    for (int i = place; i < promised.size(); i++) {
      FlowDemand behind = promised.get(i);
      serve(behind);
      if (behind.isDisturbed()) {
        return false;
      }
    }
    return true;
  }

  private void restart() {
    for (ResidualCapacity port : ports) {
      port.clear(nowNanos);
    }
    served = 0;
  }

  private void serveUpTo(int place) {
    if (served > place) {
      restart();
    }
    while (served < place) {
      serve(promised.get(served));
      served++;
    }
  }

  private void serve(FlowDemand demand) {
    work++;
    demand.walk(nowNanos);
    demand.take();
  }
}
