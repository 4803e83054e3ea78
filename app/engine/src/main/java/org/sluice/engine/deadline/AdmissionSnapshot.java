// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.sluice.api.IpAddress;
import org.sluice.api.deadline.Admission;
import org.sluice.engine.law.DeadlineParameters;
import org.sluice.engine.law.FlowDemand;
import org.sluice.engine.law.ResidualCapacity;
import org.sluice.engine.law.SedAdmission;

/**
 * What is promised as of a time: the input of {@link SedAdmission}. Made by {@link
 * Deadlines#snapshot}; from then on it stands alone, so that another thread may use it. Not
 * thread-safe.
 */
public final class AdmissionSnapshot {
  private final DeadlineParameters parameters;
  private final long nowNanos;
  private final Map<DeadlinePort, ResidualCapacity> capacities = new IdentityHashMap<>();
  private final PromiseParts parts;

  /** By owner, what may be promised of ports to its flows together: as if it were a port, too. */
  private final Map<Object, Map<DeadlinePort, ResidualCapacity>> owned = new HashMap<>();

  private final List<FlowDemand> promised = new ArrayList<>();
  private final Map<Long, FlowDemand> byId = new HashMap<>();
  private SedAdmission admission;

  AdmissionSnapshot(
      DeadlineParameters parameters,
      DeadlinePorts ports,
      GifTable gif,
      List<GifRow> registering,
      PromiseParts parts,
      long nowNanos) {
    this.parameters = parameters;
    this.parts = parts;
    this.nowNanos = nowNanos;
    Map<DeadlinePort, Integer> counts = new IdentityHashMap<>();
    for (GifRow row : registering) {
      for (DeadlinePort port : row.path) {
        counts.merge(port, 1, Integer::sum);
      }
    }
    for (DeadlinePort port : ports.all()) {
      double promisable = port.promisableBytesPerSecond(counts.getOrDefault(port, 0));
      capacities.put(port, new ResidualCapacity(promisable));
    }
    for (int i = 0; i < gif.firstNotPromised(); i++) {
      GifRow row = gif.get(i);
      long left = row.remainingBytes();
      long ready = readyNanos(row, row.path, left, row.baseRoundTripNanos);
      FlowDemand demand =
          new FlowDemand(capacities(row.path, row.source()), left, ready, row.deadlineNanos);
      promised.add(demand);
      byId.put(row.id, demand);
    }
  }

  /** The time that it is of, ns. */
  public long nowNanos() {
    return nowNanos;
  }

  /** Something to decide about: a flow, and what of it is left. */
  public static final class Query {
    private final long id;
    private final ResidualCapacity[] path;
    private final long leftBytes;
    private final long readyNanos;

    /** When its connection begins if nothing else is known, ns; null if it has begun. */
    private final Long beginsNanos;

    private Query(
        long id, ResidualCapacity[] path, long leftBytes, long readyNanos, Long beginsNanos) {
      this.id = id;
      this.path = path;
      this.leftBytes = leftBytes;
      this.readyNanos = readyNanos;
      this.beginsNanos = beginsNanos;
    }

    /** The same about a connection that is not to begin before a time, ns. */
    public Query beginningAt(long nanos) {
      if (beginsNanos == null || nanos <= beginsNanos) {
        return this;
      }
      return new Query(id, path, leftBytes, readyNanos + nanos - beginsNanos, nanos);
    }
  }

  /**
   * About a flow that is not registered yet.
   *
   * @param sending its connection; null if there is none yet
   */
  Query question(
      IpAddress source, DeadlinePort[] path, long leftBytes, long roundTripNanos, GifRow sending) {
    return question(GifRow.UNREGISTERED, sending, source, path, leftBytes, roundTripNanos);
  }

  /** About a registration of another size or deadline than it has. */
  Query question(GifRow row, long sizeBytes) {
    long left = Math.max(0, sizeBytes - row.deliveredBytes);
    return question(row.id, row, row.source(), row.path, left, row.baseRoundTripNanos);
  }

  private Query question(
      long id,
      GifRow row,
      IpAddress source,
      DeadlinePort[] path,
      long leftBytes,
      long roundTripNanos) {
    long left = Math.max(0, leftBytes);
    long ready = readyNanos(row, path, left, roundTripNanos);
    Long begins = isSending(row) ? null : Long.valueOf(beginsNanos(row));
    return new Query(id, capacities(path, source), left, ready, begins);
  }

  private static boolean isSending(GifRow row) {
    return row != null && row.isSending();
  }

  /** When one that has not begun does, ns: as was requested, or now. */
  private long beginsNanos(GifRow row) {
    return row == null ? nowNanos : Math.max(nowNanos, row.beginsNanos);
  }

  /**
   * From when on a flow can use all that it is given: one of which something has arrived, from now
   * on; one whose SYN was seen and nothing else, when its start is over.
   */
  private long readyNanos(GifRow row, DeadlinePort[] path, double left, double roundTripNanos) {
    boolean begun = isSending(row);
    if (begun && row.deliveredBytes > 0) {
      return nowNanos;
    }
    long start =
        SedAdmission.startNanos(
            path, left, parameters.firstWindowBytes(), parameters.latencyNanos(), roundTripNanos);
    if (!begun) {
      return beginsNanos(row) + start;
    }
    long synNanos = row.progressNanos - parameters.latencyNanos() / 2; // Its report took so long.
    return Math.max(nowNanos, synNanos + start);
  }

  /** What bounds a flow: ports, and its owner's parts of them. */
  private ResidualCapacity[] capacities(DeadlinePort[] path, IpAddress source) {
    List<ResidualCapacity> found = new ArrayList<>(2 * path.length);
    for (DeadlinePort port : path) {
      found.add(capacities.get(port));
    }
    Optional<?> owner = parts.ownerOf(source);
    if (owner.isPresent()) {
      for (DeadlinePort port : path) {
        double part = parts.part(owner.get(), port.id, port.carriedBytesPerSecond());
        double unused = parts.unusedBytes(owner.get(), nowNanos);
        if (part < 1) {
          found.add(
              owned
                  .computeIfAbsent(owner.get(), o -> new IdentityHashMap<>())
                  .computeIfAbsent(port, p -> capacities.get(p).part(part, unused)));
        }
      }
    }
    return found.toArray(new ResidualCapacity[0]);
  }

  private List<ResidualCapacity> all() {
    List<ResidualCapacity> all = new ArrayList<>(capacities.values());
    owned.values().forEach(ofOne -> all.addAll(ofOne.values()));
    return all;
  }

  /**
   * Promises that cannot be kept ({@link SedAdmission#broken}), by id. Called instead of {@link
   * #decide}, not besides.
   */
  public Set<Long> broken() {
    Map<FlowDemand, Long> ids = new IdentityHashMap<>();
    byId.forEach((id, demand) -> ids.put(demand, id));
    Set<Long> found = new TreeSet<>();
    SedAdmission.broken(all(), promised, nowNanos).forEach(demand -> found.add(ids.get(demand)));
    return found;
  }

  /**
   * Whether the deadline can be promised beside what has been; if so, it is from then on. One that
   * was promised before is no longer if it cannot be and this is forced, and stays else.
   */
  public Admission decide(Query question, long deadlineNanos, boolean force) {
    if (admission == null) {
      admission = new SedAdmission(all(), promised, nowNanos);
    }
    FlowDemand before = byId.get(question.id);
    if (before != null) {
      admission.remove(before);
    }
    FlowDemand wanted =
        new FlowDemand(question.path, question.leftBytes, question.readyNanos, deadlineNanos);
    Admission decision = admission.decide(wanted);
    if (question.id != GifRow.UNREGISTERED) {
      if (decision.isAccepted()) {
        byId.put(question.id, wanted);
      } else if (force) {
        byId.remove(question.id);
      } else if (before != null) {
        admission.add(before);
      }
    }
    return decision;
  }
}
