// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.agentlink.proto.ControllerMessage;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.WindowGrant;

/**
 * The messages about TCP flows that wait for one host: of windows only the newest of each flow,
 * answers in order. Bounded: the oldest is dropped first, and counted. Guarded by the {@link
 * Outbox}.
 */
final class FlowOutbox {
  static final int MAX_GRANTS = 65_536;
  static final int MAX_ANSWERS = 4096;

  /** A message stays well below what gRPC takes. */
  private static final int GRANTS_PER_MESSAGE = 8192;

  private final HostCounters counters;
  private final Map<FlowKey, TermedItem<WindowGrant>> grants = new LinkedHashMap<>();
  private final Deque<ControllerMessage.Builder> answers = new ArrayDeque<>();

  FlowOutbox(HostCounters counters) {
    this.counters = counters;
  }

  void grants(long term, List<WindowGrant> newest) {
    for (WindowGrant grant : newest) {
      TermedItem<WindowGrant> waiting = grants.remove(grant.flow());
      TermedItem<WindowGrant> coming = new TermedItem<>(term, grant);
      grants.put(grant.flow(), TermedItem.newer(waiting, coming, counters));
      if (grants.size() > MAX_GRANTS) {
        Iterator<FlowKey> oldest = grants.keySet().iterator();
        oldest.next();
        oldest.remove();
        counters.droppedItems.increment();
      }
    }
  }

  /** An answer to an application or to losses, or a resend. */
  void answer(ControllerMessage.Builder message) {
    if (answers.size() == MAX_ANSWERS) {
      answers.removeFirst();
      counters.droppedItems.increment();
    }
    answers.addLast(message);
  }

  /** The next message, or null. */
  ControllerMessage.Builder poll() {
    return grants.isEmpty() ? answers.pollFirst() : pollGrants();
  }

  /** A message has one term: all grants of the oldest one's are sent together. */
  private ControllerMessage.Builder pollGrants() {
    long term = grants.values().iterator().next().term;
    List<WindowGrant> sameTerm = new ArrayList<>();
    Iterator<TermedItem<WindowGrant>> all = grants.values().iterator();
    while (all.hasNext() && sameTerm.size() < GRANTS_PER_MESSAGE) {
      TermedItem<WindowGrant> grant = all.next();
      if (grant.term == term) {
        sameTerm.add(grant.item);
        all.remove();
      }
    }
    return FlowMessageEncoder.grants(term, sameTerm);
  }
}
