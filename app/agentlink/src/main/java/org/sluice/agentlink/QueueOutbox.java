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
import org.sluice.api.link.PortThresholds;
import org.sluice.api.link.RateCap;

/**
 * The messages about queues that wait for one port agent: of each port's queues and thresholds, and
 * of each cap, only the newest. Bounded: the oldest is dropped first, and counted. Guarded by the
 * {@link Outbox}.
 */
final class QueueOutbox {
  static final int MAX_PORTS = 1024;
  static final int MAX_CAPS = 65_536;

  /** What an agent takes at once. */
  static final int CAPS_PER_MESSAGE = 64;

  private final HostCounters counters;
  private final Map<PortId, TermedItem<BackgroundQueues>> queues = new LinkedHashMap<>();
  private final Map<List<PortId>, TermedItem<RateCap>> caps = new LinkedHashMap<>();
  private final Map<PortId, TermedItem<PortThresholds>> thresholds = new LinkedHashMap<>();

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

  void thresholds(long term, List<PortThresholds> newest) {
    for (PortThresholds port : newest) {
      add(thresholds, port.port(), new TermedItem<>(term, port), MAX_PORTS);
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

  /** The next message, queues before the caps on them, then thresholds; null when nothing waits. */
  ControllerMessage.Builder poll() {
    Iterator<TermedItem<BackgroundQueues>> all = queues.values().iterator();
    if (all.hasNext()) {
      TermedItem<BackgroundQueues> oldest = all.next();
      all.remove();
      return QueueMessageEncoder.backgroundQueues(oldest.term, oldest.item);
    }
    if (!caps.isEmpty()) {
      long term = oldestTerm(caps);
      return QueueMessageEncoder.rateCaps(term, pollOf(caps, term, CAPS_PER_MESSAGE));
    }
    if (!thresholds.isEmpty()) {
      long term = oldestTerm(thresholds);
      return QueueMessageEncoder.thresholds(term, pollOf(thresholds, term, MAX_PORTS));
    }
    return null;
  }

  private static <T> long oldestTerm(Map<?, TermedItem<T>> waiting) {
    return waiting.values().iterator().next().term;
  }

  /** A message has one term: all items of the oldest one's are sent together. */
  private static <T> List<T> pollOf(Map<?, TermedItem<T>> waiting, long term, int most) {
    List<T> sameTerm = new ArrayList<>();
    Iterator<TermedItem<T>> all = waiting.values().iterator();
    while (all.hasNext() && sameTerm.size() < most) {
      TermedItem<T> item = all.next();
      if (item.term == term) {
        sameTerm.add(item.item);
        all.remove();
      }
    }
    return sameTerm;
  }
}
