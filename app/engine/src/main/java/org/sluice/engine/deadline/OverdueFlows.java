// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowOutcome;

/**
 * Registrations whose deadlines have passed while they sent, until it is known whether they were
 * met: reports of the last bytes may still be in transit then. A flow is met when all of it is
 * reported to have arrived in time, and missed when anything is reported to have arrived later,
 * when its connection ends, and when no report has come for a while.
 */
final class OverdueFlows {
  /** Beyond their latency, reports of a busy machine may be so late, ns: 0.6 s were seen. */
  static final long REPORT_WAIT_NANOS = 1_000_000_000;

  private final FlowLog ended;

  /** The one that has waited longest first. */
  private final Map<Long, Overdue> byId = new LinkedHashMap<>();

  /** A connection may be registered again while it waits for what became of the first time. */
  private final Map<FlowKey, List<Overdue>> byConnection = new HashMap<>();

  private static final class Overdue {
    final FlowRecord flow;
    final FlowKey connection;
    final long sinceNanos;

    Overdue(FlowRecord flow, FlowKey connection, long sinceNanos) {
      this.flow = flow;
      this.connection = connection;
      this.sinceNanos = sinceNanos;
    }
  }

  OverdueFlows(FlowLog ended) {
    this.ended = ended;
  }

  void add(FlowRecord flow, FlowKey connection, long nowNanos) {
    Overdue overdue = new Overdue(flow, connection, nowNanos);
    byId.put(flow.id(), overdue);
    byConnection.computeIfAbsent(connection, c -> new ArrayList<>(1)).add(overdue);
  }

  /** As it was when its deadline had passed. */
  Optional<FlowRecord> flow(long id) {
    return Optional.ofNullable(byId.get(id)).map(overdue -> overdue.flow);
  }

  /** A connection was reported on. */
  void check(GifRow row, long nowNanos) {
    for (Overdue overdue : of(row.connection)) {
      if (row.arrivedNanos > overdue.flow.deadlineNanos()) {
        end(overdue, overdue.flow, FlowOutcome.MISSED, nowNanos);
      } else if (row.deliveredBytes >= overdue.flow.sizeBytes()) {
        end(overdue, overdue.flow.through(), FlowOutcome.MET, nowNanos);
      }
    }
  }

  /** A connection has ended, or is not reported on any longer. */
  void closed(FlowKey connection, long nowNanos) {
    for (Overdue overdue : of(connection)) {
      end(overdue, overdue.flow, FlowOutcome.MISSED, nowNanos);
    }
  }

  /** What was not reported for so long has not arrived in time. */
  void giveUp(long latencyNanos, long nowNanos) {
    while (!byId.isEmpty()) {
      Overdue oldest = byId.values().iterator().next();
      if (nowNanos - oldest.sinceNanos < latencyNanos + REPORT_WAIT_NANOS) {
        return;
      }
      end(oldest, oldest.flow, FlowOutcome.MISSED, nowNanos);
    }
  }

  /** One is taken back; whether there was one. */
  boolean remove(long id, long nowNanos) {
    Overdue overdue = byId.get(id);
    if (overdue != null) {
      end(overdue, overdue.flow, FlowOutcome.REMOVED, nowNanos);
    }
    return overdue != null;
  }

  /** All are forgotten, without a trace. */
  void clear() {
    byId.clear();
    byConnection.clear();
  }

  private List<Overdue> of(FlowKey connection) {
    return List.copyOf(byConnection.getOrDefault(connection, List.of()));
  }

  private void end(Overdue overdue, FlowRecord flow, FlowOutcome outcome, long nowNanos) {
    byId.remove(flow.id());
    List<Overdue> some = byConnection.get(overdue.connection);
    some.remove(overdue);
    if (some.isEmpty()) {
      byConnection.remove(overdue.connection);
    }
    ended.add(flow, outcome, nowNanos);
  }
}
