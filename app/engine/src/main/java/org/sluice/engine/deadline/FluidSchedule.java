// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.sluice.api.deadline.Admission;

/**
 * What could be met: all promised flows as fluids, the earliest deadline first at every port, each
 * from two round trips and its slow start on. What this meets Sluice promises, and nothing else.
 *
 * <p>Flows are served one after the other, in the order of their deadlines, each out of what those
 * before it have left free over time: a flow takes nothing from those before it, so this is what
 * would happen if all went at once. Not thread-safe.
 */
final class FluidSchedule {
  /**
   * So many flows are served in trials. Beyond, only what is left beside all others is promised and
   * told: rather too late than too soon.
   */
  private static final long MOST_WORK = 50_000;

  private final Collection<FreeRate> ports;
  private final long nowNanos;

  /** In the order of their deadlines, of equals the one that came first. */
  private final List<Demand> promised = new ArrayList<>();

  /** How many were served so far, in all trials. */
  private long work;

  /** So many of them, from the first on, are taken out of what is free. */
  private int served;

  /**
   * A schedule of those that are promised already.
   *
   * @param ports all that occur on their ways and on those of newcomers
   * @param promised in the order of their deadlines
   */
  FluidSchedule(Collection<FreeRate> ports, List<Demand> promised, long nowNanos) {
    this.ports = ports;
    this.nowNanos = nowNanos;
    ports.forEach(FreeRate::open);
    for (Demand demand : promised) {
      insert(this.promised.size(), demand);
    }
    restart();
    serveUpTo(promised.size());
    for (Demand demand : promised) {
      demand.protect(nowNanos);
    }
    work = 0;
  }

  /** A demand is no longer there. */
  void remove(Demand demand) {
    promised.remove(demand);
    for (FreeRate port : demand.path) {
      port.takeBack(demand);
    }
    restart();
  }

  /** A demand is there, whoever is late with it. */
  void add(Demand demand) {
    int place = Demand.placeOf(demand.deadlineNanos, promised);
    insert(place, demand);
    if (place < served) {
      restart();
    }
  }

  private void insert(int place, Demand demand) {
    promised.add(place, demand);
    for (FreeRate port : demand.path) {
      port.promise(demand);
    }
  }

  /**
   * Whether a flow can be promised its deadline beside what has been promised, and if not, by when
   * it could be through. One that can is promised from then on.
   */
  Admission ask(Demand wanted) {
    if (fitsIntoTheRest(wanted)) {
      return Admission.accepted();
    }
    long least = leastDeadline(wanted);
    boolean possible = least <= wanted.deadlineNanos;
    if (possible
        && work <= MOST_WORK
        && fits(Demand.placeOf(wanted.deadlineNanos, promised), wanted)) {
      return Admission.accepted();
    }
    Demand behind = wanted.due(Long.MAX_VALUE);
    serveUpTo(promised.size());
    behind.walk(nowNanos);
    if (behind.finishNanos == Demand.NEVER) {
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
  private long earliest(Demand wanted, long least, long bound) {
    if (work > MOST_WORK || least >= bound) {
      return bound;
    }
    int low = Demand.placeOf(Math.max(least, wanted.deadlineNanos), promised);
    if (least > wanted.deadlineNanos && disturbsNobodyInTime(low, wanted.due(least + 1))) {
      return least + 1;
    }
    // The further back it stands, the fewer it disturbs, and the later it is itself.
    int high = Demand.placeOf(bound, promised);
    long found = bound;
    while (low < high && work <= MOST_WORK) {
      int middle = (low + high) >>> 1;
      Demand trial = earliestAt(middle, wanted);
      if (trial != null) {
        found = Math.min(found, trial.deadlineNanos);
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return found;
  }

  private boolean disturbsNobodyInTime(int place, Demand trial) {
    serveUpTo(place);
    trial.walk(nowNanos);
    return trial.isInTime() && disturbsNobody(place, trial);
  }

  /** No deadline before this can be promised, for a port alone forbids it. */
  private long leastDeadline(Demand wanted) {
    double least = wanted.deadlineNanos;
    for (FreeRate port : wanted.path) {
      least = Math.max(least, port.earliestNanos(wanted.bytes, least, nowNanos));
    }
    // Half a nanosecond is the arithmetic's.
    return (long) Math.ceil(Math.min(least - 0.5, Long.MAX_VALUE / 2.0));
  }

  /**
   * Whether it is in time with what all others leave. Then it can be promised without a look at
   * them: what is done by a deadline is the same in whatever order it is done before.
   */
  private boolean fitsIntoTheRest(Demand wanted) {
    serveUpTo(promised.size());
    wanted.walk(nowNanos);
    if (!wanted.isInTime()) {
      return false;
    }
    wanted.take();
    insert(Demand.placeOf(wanted.deadlineNanos, promised), wanted);
    served = promised.size();
    return true;
  }

  /** The earliest deadline with which a flow could stand at a place; null if it cannot. */
  private Demand earliestAt(int place, Demand wanted) {
    Demand trial = wanted.due(Long.MAX_VALUE);
    serveUpTo(place);
    trial.walk(nowNanos);
    if (trial.finishNanos == Demand.NEVER) {
      return null;
    }
    long due = Math.max(wanted.deadlineNanos + 1, (long) Math.ceil(trial.finishNanos));
    if (place > 0) {
      due = Math.max(due, promised.get(place - 1).deadlineNanos);
    }
    boolean inPlace =
        place == promised.size() || trial.finishNanos < promised.get(place).deadlineNanos;
    Demand found = wanted.due(due);
    return inPlace && disturbsNobody(place, found) ? found : null;
  }

  /** Promises it if that is possible. */
  private boolean fits(int place, Demand wanted) {
    serveUpTo(place);
    wanted.walk(nowNanos);
    if (!wanted.isInTime()) {
      return false;
    }
    if (!disturbsNobody(place, wanted)) {
      return false;
    }
    boolean last = place == promised.size();
    insert(place, wanted);
    served = last ? place : promised.size();
    return true;
  }

  /** Whether all behind a place are in time when somebody stands there. */
  private boolean disturbsNobody(int place, Demand wanted) {
    if (place == promised.size()) {
      return true;
    }
    serveUpTo(place);
    serve(wanted);
    served = Integer.MAX_VALUE; // What is free now is the trial's.
    for (int i = place; i < promised.size(); i++) {
      Demand behind = promised.get(i);
      serve(behind);
      if (behind.isDisturbed()) {
        return false;
      }
    }
    return true;
  }

  private void restart() {
    for (FreeRate port : ports) {
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

  private void serve(Demand demand) {
    work++;
    demand.walk(nowNanos);
    demand.take();
  }
}
