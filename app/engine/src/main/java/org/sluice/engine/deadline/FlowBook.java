// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.HashMap;
import java.util.Map;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowOutcome;

/** Registrations and connections, and which belongs to which. */
final class FlowBook {
  private final GifTable gif = new GifTable();
  private final Map<Long, GifRow> registered = new HashMap<>();
  private final Map<FlowKey, GifRow> connections = new HashMap<>();
  private final Map<FlowKey, GifRow> waiting = new HashMap<>();
  private final FlowLog ended = new FlowLog();

  GifTable gif() {
    return gif;
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

  /** Whether somebody has registered this very flow. */
  boolean isClaimed(FlowKey key) {
    GifRow sending = connections.get(key);
    return waiting.containsKey(key) || (sending != null && registered.containsKey(sending.id));
  }

  /** Adds a registration that waits for its connection. */
  void addWaiting(GifRow row) {
    registered.put(row.id, row);
    waiting.put(row.key, row);
    gif.add(row);
  }

  /** Adds a connection that nobody has registered. */
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
      for (GifRow row : waiting.values()) {
        if (row.key.covers(connection) && (found == null || row.comesBefore(found))) {
          found = row;
        }
      }
    }
    if (found != null) {
      waiting.remove(found.key);
      gif.remove(found);
    }
    return found;
  }

  /** A registration ends; its connection, if any, goes on without a deadline. */
  void retire(GifRow row, FlowOutcome outcome, long nowNanos) {
    registered.remove(row.id);
    ended.add(row, outcome, nowNanos);
    gif.remove(row);
    if (!row.isSending()) {
      waiting.remove(row.key);
      return;
    }
    row.leavePorts();
    row.demoted = outcome != FlowOutcome.REMOVED;
    row.deadlineNanos = GifRow.NEVER;
    gif.add(row);
    row.joinPorts();
  }

  /** A connection ends, and with it the registration, if there is one. */
  void close(GifRow row, long nowNanos) {
    if (registered.remove(row.id) != null) {
      ended.add(row, FlowOutcome.CLOSED_EARLY, nowNanos);
    }
    gif.remove(row);
    row.leavePorts();
    connections.remove(row.connection);
  }
}
