// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.run;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/**
 * How much the process holds: the heap in use after each collection. What a running simulation
 * holds cannot be distinguished from what its neighbours in the same process hold, so with several
 * jobs the figure counts them too: an upper bound.
 */
final class HeapWatch implements AutoCloseable {
  private static final double BYTES_PER_MEGABYTE = 1e6;

  private final List<AtomicLong> watches = new CopyOnWriteArrayList<>();
  private final NotificationListener listener = this::notified;
  private final Set<String> heapPools = new HashSet<>();

  HeapWatch() {
    ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getType() == MemoryType.HEAP)
        .forEach(pool -> heapPools.add(pool.getName()));
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      ((NotificationEmitter) collector).addNotificationListener(listener, null, null);
    }
  }

  /** Begins to watch for one run. */
  AtomicLong begin() {
    AtomicLong peakBytes = new AtomicLong();
    watches.add(peakBytes);
    return peakBytes;
  }

  /** Collects once, while the run still holds all it has, and returns the most that was held. */
  double end(AtomicLong peakBytes) {
    System.gc();
    long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    peakBytes.accumulateAndGet(used, Math::max);
    watches.remove(peakBytes);
    return peakBytes.get() / BYTES_PER_MEGABYTE;
  }

  private void notified(Notification notification, Object handback) {
    if (!notification
        .getType()
        .equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
      return;
    }
    Map<String, MemoryUsage> after =
        GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData())
            .getGcInfo()
            .getMemoryUsageAfterGc();
    long used = 0;
    for (Map.Entry<String, MemoryUsage> pool : after.entrySet()) {
      used += heapPools.contains(pool.getKey()) ? pool.getValue().getUsed() : 0;
    }
    for (AtomicLong watch : watches) {
      watch.accumulateAndGet(used, Math::max);
    }
  }

  @Override
  public void close() {
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      try {
        ((NotificationEmitter) collector).removeNotificationListener(listener);
      } catch (ListenerNotFoundException e) {
        throw new IllegalStateException("the heap's listener has gone", e);
      }
    }
  }
}
