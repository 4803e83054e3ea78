// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.engine.deadline.FlowLog;

/** Registrations that this node saw end: the latest, and how many of each kind. Thread-safe. */
final class FlowHistory {
  private final Map<Long, Ended> latest =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Ended> eldest) {
          return size() > FlowLog.CAPACITY;
        }
      };
  private final Map<TenantId, Map<FlowState, Long>> counts = new HashMap<>();
  private final Deque<Ended> unsettled = new ArrayDeque<>();

  private static final class Ended {
    final FlowStatus status;
    final long deadlineNanos;
    final long endNanos;

    Ended(FlowStatus status, long deadlineNanos, long endNanos) {
      this.status = status;
      this.deadlineNanos = deadlineNanos;
      this.endNanos = endNanos;
    }

    FlowStatus at(long nowNanos) {
      return status.toBuilder().dueInNanos(deadlineNanos - nowNanos).build();
    }
  }

  synchronized void add(FlowStatus status, long deadlineNanos, long endNanos) {
    Ended ended = new Ended(status, deadlineNanos, endNanos);
    latest.put(status.id(), ended);
    unsettled.addLast(ended);
    counts
        .computeIfAbsent(status.tenant(), t -> new EnumMap<>(FlowState.class))
        .merge(status.state(), 1L, Long::sum);
  }

  synchronized boolean contains(long id) {
    return latest.containsKey(id);
  }

  /** The engine's thread must not wait while they are put into words. */
  List<FlowStatus> flows(long nowNanos) {
    List<Ended> copy;
    synchronized (this) {
      copy = new ArrayList<>(latest.values());
    }
    return copy.stream().map(ended -> ended.at(nowNanos)).collect(Collectors.toList());
  }

  synchronized Optional<FlowStatus> flow(long id, long nowNanos) {
    return Optional.ofNullable(latest.get(id)).map(ended -> ended.at(nowNanos));
  }

  /** A copy that the caller may change. */
  synchronized Map<TenantId, Map<FlowState, Long>> counts() {
    Map<TenantId, Map<FlowState, Long>> copy = new HashMap<>();
    counts.forEach((tenant, states) -> copy.put(tenant, new EnumMap<>(states)));
    return copy;
  }

  /** Those that ended before a time and were not taken from here yet. */
  synchronized List<Long> takeEndedBefore(long nanos) {
    List<Long> ids = new ArrayList<>();
    while (!unsettled.isEmpty() && unsettled.getFirst().endNanos - nanos < 0) {
      ids.add(unsettled.removeFirst().status.id());
    }
    return ids;
  }
}
