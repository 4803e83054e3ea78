// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowOutcome;

/** Registrations and connections, and which belongs to which. */
final class FlowTable {
  private final GifTable gif = new GifTable();
  private final Map<Long, GifRow> registered = new HashMap<>();
  private final Map<FlowKey, GifRow> connections = new HashMap<>();
  private final Map<FlowKey, GifRow> waiting = new HashMap<>();

  /** Those that wait with a port that stands for any, by their addresses. */
  private final Map<FlowKey, Set<GifRow>> patterns = new HashMap<>();

  private final FlowLog ended = new FlowLog();
  private final OverdueFlows overdue = new OverdueFlows(ended);

  GifTable gif() {
    return gif;
  }

  OverdueFlows overdue() {
    return overdue;
  }

  FlowLog ended() {
    return ended;
  }

  /** The registration of this id, or null. */
  GifRow registration(long id) {
    return registered.get(id);
  }

  /** The row of a connection, or null. */
  GifRow connection(FlowKey connection) {
    return connections.get(connection);
  }

  /** Whether this very flow is registered. */
  boolean isClaimed(FlowKey key) {
    GifRow sending = connections.get(key);
    return waiting.containsKey(key) || (sending != null && isRegistered(sending));
  }

  /** Whether a registration waits for a connection such as this. */
  boolean isAwaited(FlowKey connection) {
    return waiting.containsKey(connection)
        || patterns.getOrDefault(addresses(connection), Set.of()).stream()
            .anyMatch(row -> row.key.covers(connection));
  }

  /** Whether its registration still holds. */
  boolean isRegistered(GifRow row) {
    return registered.get(row.id) == row;
  }

  Collection<GifRow> registrations() {
    return registered.values();
  }

  Collection<GifRow> connections() {
    return connections.values();
  }

  /** Adds a registration that waits for its connection. */
  void addWaiting(GifRow row) {
    registered.put(row.id, row);
    waiting.put(row.key, row);
    row.await(true);
    if (!row.key.isExact()) {
      patterns.computeIfAbsent(addresses(row.key), k -> new HashSet<>()).add(row);
    }
    gif.add(row);
  }

  private static FlowKey addresses(FlowKey key) {
    return FlowKey.of(key.source(), FlowKey.ANY_PORT, key.destination(), FlowKey.ANY_PORT);
  }

  private void removeWaiting(GifRow row) {
    waiting.remove(row.key);
    row.await(false);
    if (!row.key.isExact()) {
      FlowKey ends = addresses(row.key);
      Set<GifRow> some = patterns.get(ends);
      some.remove(row);
      if (some.isEmpty()) {
        patterns.remove(ends);
      }
    }
  }

  /** Adds a connection that is not registered. */
  void addConnection(GifRow row) {
    connections.put(row.connection, row);
    gif.add(row);
    row.joinPorts();
  }

  /** A registration comes for a connection that sends already, known by another row until now. */
  void replace(GifRow sending, GifRow row) {
    gif.remove(sending);
    sending.leavePorts();
    registered.put(row.id, row);
    addConnection(row);
  }

  /**
   * The registration that a connection fulfils, which waits no longer: the exact one, else the most
   * urgent that covers it; null if there is none.
   */
  GifRow takeWaiting(FlowKey connection) {
    GifRow found = waiting.get(connection);
    if (found == null) {
      for (GifRow row : patterns.getOrDefault(addresses(connection), Set.of())) {
        if (row.key.covers(connection) && (found == null || row.comesBefore(found))) {
          found = row;
        }
      }
    }
    if (found != null) {
      removeWaiting(found);
      gif.remove(found);
    }
    return found;
  }

  /** Something of a registration changes that its place in the table depends on. */
  void change(GifRow row, Runnable change) {
    gif.remove(row);
    change.run();
    gif.add(row);
  }

  /** A flow takes another path from now on; one that is no longer known takes none. */
  void move(GifRow row, DeadlinePort[] path) {
    boolean sends = row.isSending() && connections.get(row.connection) == row;
    if (!sends) {
      boolean waits = waiting.get(row.key) == row;
      if (waits) {
        row.await(false);
      }
      row.path = path;
      if (waits) {
        row.await(true);
      }
      return;
    }
    double first = row.firstBytes;
    row.setFirst(0);
    row.leavePorts();
    row.path = path;
    row.joinPorts();
    row.setFirst(first);
  }

  /** A registration is forgotten without a trace, as if it had never been made. */
  void forget(GifRow row) {
    registered.remove(row.id);
    loseDeadline(row, false);
  }

  /** The row goes on without a deadline if its connection is there. */
  private void loseDeadline(GifRow row, boolean demoted) {
    gif.remove(row);
    if (!row.isSending()) {
      removeWaiting(row);
      return;
    }
    row.leavePorts();
    row.demoted = demoted;
    row.setDeadline(GifRow.NEVER);
    gif.add(row);
    row.joinPorts();
  }

  /** A registration ends; its connection, if any, goes on without a deadline. */
  void retire(GifRow row, FlowOutcome outcome, long nowNanos) {
    registered.remove(row.id);
    ended.add(FlowRecord.of(row), outcome, nowNanos);
    loseDeadline(row, outcome != FlowOutcome.REMOVED);
  }

  /** The deadline of one that sends has passed: it goes on without; its outcome follows later. */
  void expire(GifRow row, long nowNanos) {
    registered.remove(row.id);
    overdue.add(FlowRecord.of(row), row.connection, nowNanos);
    loseDeadline(row, true);
  }

  /** A connection ends, and with it the registration, if there is one. */
  void close(GifRow row, long nowNanos) {
    if (isRegistered(row)) {
      registered.remove(row.id);
      ended.add(FlowRecord.of(row), FlowOutcome.CLOSED_EARLY, nowNanos);
    }
    overdue.closed(row.connection, nowNanos);
    gif.remove(row);
    row.leavePorts();
    row.setFirst(0);
    connections.remove(row.connection);
  }
}
