// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.sluice.api.deadline.Admission;

/**
 * What is promised as of a time, and what could be besides. Made by {@link Deadlines#outlook}; from
 * then on it stands alone, so that another thread may ask it. Not thread-safe.
 */
public final class Outlook {
  /** Handshake and first data, round trips. */
  private static final int START_ROUND_TRIPS = 2;

  private final DeadlineParameters parameters;
  private final long nowNanos;
  private final Map<DeadlinePort, FreeRate> free = new IdentityHashMap<>();
  private final List<Demand> promised = new ArrayList<>();
  private final Map<Long, Demand> byId = new HashMap<>();
  private FluidSchedule schedule;

  Outlook(DeadlineParameters parameters, DeadlinePorts ports, GifTable gif, long nowNanos) {
    this.parameters = parameters;
    this.nowNanos = nowNanos;
    for (DeadlinePort port : ports.all()) {
      free.put(port, new FreeRate(port.promisableBytesPerSecond()));
    }
    for (int i = 0; i < gif.firstNotPromised(); i++) {
      GifRow row = gif.get(i);
      long left = row.remainingBytes();
      long ready = readyNanos(row, row.path, left, row.baseRoundTripNanos);
      Demand demand = new Demand(free(row.path), left, ready, row.deadlineNanos);
      promised.add(demand);
      byId.put(row.id, demand);
    }
  }

  /** The time that it is of, ns. */
  public long nowNanos() {
    return nowNanos;
  }

  /** Something to ask about: a flow, and what of it is left. */
  public static final class Question {
    private final long id;
    private final FreeRate[] path;
    private final long leftBytes;
    private final long readyNanos;

    private Question(long id, FreeRate[] path, long leftBytes, long readyNanos) {
      this.id = id;
      this.path = path;
      this.leftBytes = leftBytes;
      this.readyNanos = readyNanos;
    }
  }

  /**
   * About a flow that is not registered yet.
   *
   * @param sending its connection; null if there is none yet
   */
  Question question(DeadlinePort[] path, long leftBytes, long roundTripNanos, GifRow sending) {
    return question(GifRow.UNREGISTERED, sending, path, leftBytes, roundTripNanos);
  }

  /** About a registration of another size or deadline than it has. */
  Question question(GifRow row, long sizeBytes) {
    long left = Math.max(0, sizeBytes - row.deliveredBytes);
    return question(row.id, row, row.path, left, row.baseRoundTripNanos);
  }

  /**
   * Promises that cannot be kept, by id: each is looked at in the order of the deadlines, beside
   * those before it that can. Asked instead of {@link #ask}, not besides.
   */
  public Set<Long> broken() {
    Map<Demand, Long> ids = new IdentityHashMap<>();
    byId.forEach((id, demand) -> ids.put(demand, id));
    free.values().forEach(port -> port.clear(nowNanos));
    Set<Long> found = new TreeSet<>();
    for (Demand demand : promised) {
      demand.walk(nowNanos);
      if (demand.isInTime()) {
        demand.take();
      } else {
        found.add(ids.get(demand));
      }
    }
    return found;
  }

  private Question question(
      long id, GifRow row, DeadlinePort[] path, long leftBytes, long roundTripNanos) {
    long left = Math.max(0, leftBytes);
    return new Question(id, free(path), left, readyNanos(row, path, left, roundTripNanos));
  }

  /**
   * From when on a flow can use all that it is given: one that has brought something, from now on;
   * one whose SYN was seen and nothing else, when its start is over.
   */
  private long readyNanos(GifRow row, DeadlinePort[] path, double left, double roundTripNanos) {
    boolean begun = row != null && row.isSending();
    if (begun && row.deliveredBytes > 0) {
      return nowNanos;
    }
    long start = startNanos(path, left, roundTripNanos);
    if (!begun) {
      return nowNanos + start;
    }
    long synNanos = row.progressNanos - parameters.latencyNanos() / 2; // News of it took so long.
    return Math.max(nowNanos, synNanos + start);
  }

  private FreeRate[] free(DeadlinePort[] path) {
    FreeRate[] found = new FreeRate[path.length];
    for (int i = 0; i < path.length; i++) {
      found[i] = free.get(path[i]);
    }
    return found;
  }

  /**
   * When a flow that starts now can use all that it is given: when the controller has heard of it
   * and its host of its window, two round trips, and one for every time that its window has to
   * double, ns.
   */
  private long startNanos(DeadlinePort[] path, double bytes, double roundTripNanos) {
    double wanted = bytes;
    for (DeadlinePort port : path) {
      wanted = Math.min(wanted, port.availableBytesPerSecond() * roundTripNanos / 1e9);
    }
    double initial = parameters.firstWindowBytes();
    double doublings = Math.max(0, Math.ceil(Math.log(wanted / initial) / Math.log(2)));
    return parameters.latencyNanos() + Math.round((START_ROUND_TRIPS + doublings) * roundTripNanos);
  }

  /**
   * Whether the deadline can be promised beside what has been; if so, it is from then on. One that
   * was promised before is no longer if it cannot be and this is forced, and stays else.
   */
  public Admission ask(Question question, long deadlineNanos, boolean force) {
    if (schedule == null) {
      schedule = new FluidSchedule(free.values(), promised, nowNanos);
    }
    Demand before = byId.get(question.id);
    if (before != null) {
      schedule.remove(before);
    }
    Demand wanted =
        new Demand(question.path, question.leftBytes, question.readyNanos, deadlineNanos);
    Admission admission = schedule.ask(wanted);
    if (question.id != GifRow.UNREGISTERED) {
      if (admission.isAccepted()) {
        byId.put(question.id, wanted);
      } else if (force) {
        byId.remove(question.id);
      } else if (before != null) {
        schedule.add(before);
      }
    }
    return admission;
  }
}
