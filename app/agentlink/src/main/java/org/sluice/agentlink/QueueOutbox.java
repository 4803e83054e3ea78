// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.agentlink.proto.ControllerMessage;
import org.sluice.api.PortId;
import org.sluice.api.link.BackgroundQueues;
import org.sluice.api.link.RateCap;

/**
 * The messages about queues that wait for one port agent: of each port's queues, and of each cap,
 * only the newest. Bounded: the oldest is dropped first, and counted. Guarded by the {@link
 * Outbox}.
 */
final class QueueOutbox {
  static final int MAX_PORTS = 1024;
  static final int MAX_CAPS = 65_536;

  /** What an agent takes at once. */
  static final int CAPS_PER_MESSAGE = 64;

  private final HostCounters counters;
  private final Map<PortId, TermedItem<BackgroundQueues>> queues = new LinkedHashMap<>();
  private final Map<List<PortId>, TermedItem<RateCap>> caps = new LinkedHashMap<>();

  QueueOutbox(HostCounters counters) {
    this.counters = counters;
  }

  void queues(long term, BackgroundQueues newest) {
    add(queues, newest.port(), new TermedItem<>(term, newest), MAX_PORTS);
  }

  void caps(long term, List<RateCap> newest) {
    for (RateCap cap : newest) {
      List<PortId> queue = List.of(cap.port(), cap.downstream());
      add(caps, queue, new TermedItem<>(term, cap), MAX_CAPS);
    }
  }

  private <K, T> void add(Map<K, TermedItem<T>> waiting, K key, TermedItem<T> coming, int most) {
    waiting.put(key, TermedItem.newer(waiting.remove(key), coming, counters));
    if (waiting.size() > most) {
      Iterator<K> oldest = waiting.keySet().iterator();
      oldest.next();
      oldest.remove();
      counters.droppedItems.increment();
    }
  }

  /** The next message, queues before the caps on them; null when nothing waits. */
  ControllerMessage.Builder poll() {
    Iterator<TermedItem<BackgroundQueues>> all = queues.values().iterator();
    if (all.hasNext()) {
      TermedItem<BackgroundQueues> oldest = all.next();
      all.remove();
      return QueueMessageEncoder.backgroundQueues(oldest.term, oldest.item);
    }
    return caps.isEmpty() ? null : pollCaps();
  }

  /** A message has one term: all caps of the oldest one's are sent together. */
  private ControllerMessage.Builder pollCaps() {
    long term = caps.values().iterator().next().term;
    List<RateCap> sameTerm = new ArrayList<>();
    Iterator<TermedItem<RateCap>> all = caps.values().iterator();
    while (all.hasNext() && sameTerm.size() < CAPS_PER_MESSAGE) {
      TermedItem<RateCap> cap = all.next();
      if (cap.term == term) {
        sameTerm.add(cap.item);
        all.remove();
      }
    }
    return QueueMessageEncoder.rateCaps(term, sameTerm);
  }
}
