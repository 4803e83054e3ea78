// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Who sends when, of groups that begin, end, and take turns of sending and silence. */
final class Senders {
  private Senders() {}

  /** How long each set of groups sends in a window, ns; none of them for a window in silence. */
  static Map<Set<TrafficGroup>, Long> lasting(Collection<TrafficGroup> groups, Window window) {
    TreeSet<Long> changes = new TreeSet<>();
    for (TrafficGroup group : groups) {
      changes.add(group.startNanos());
      changes.add(group.stopNanos());
      if (group.turns() != null) {
        addTurns(changes, group, Math.min(group.stopNanos(), window.toNanos()));
      }
    }
    changes.add(window.fromNanos());
    changes.add(window.toNanos());
    Map<Set<TrafficGroup>, Long> lasting = new LinkedHashMap<>();
    long from = window.fromNanos();
    for (long to : changes.subSet(from, false, window.toNanos(), true)) {
      Set<TrafficGroup> sending = new LinkedHashSet<>();
      for (TrafficGroup group : groups) {
        if (group.sendsAt(from)) {
          sending.add(group);
        }
      }
      lasting.merge(sending, to - from, Long::sum);
      from = to;
    }
    return lasting;
  }

  private static void addTurns(Set<Long> changes, TrafficGroup group, long toNanos) {
    TrafficGroup.Turns turns = group.turns();
    for (long on = group.startNanos(); on < toNanos; on += turns.periodNanos()) {
      changes.add(on);
      changes.add(on + turns.onNanos());
    }
  }
}
