// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.meter;

import java.util.Map;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.onosproject.net.meter.MeterTableKey;
import org.onosproject.store.service.AtomicCounterMap;

/**
 * Hands out meter numbers per table: a number given back first, else the next of a counter that
 * outlives a restart. Numbers given back are forgotten at a restart, as in the stock store.
 */
final class MeterIds {

  private final AtomicCounterMap<MeterTableKey> counters;
  private final Map<MeterTableKey, NavigableSet<Long>> returned = new ConcurrentHashMap<>();

  MeterIds(AtomicCounterMap<MeterTableKey> counters) {
    this.counters = counters;
  }

  /** Returns a number in [{@code first}, {@code last}], or -1 when none is left. */
  long take(MeterTableKey table, long first, long last) {
    Long reused = returnedTo(table).pollFirst();
    if (reused != null) {
      return reused;
    }
    long next = counters.getAndIncrement(table);
    while (next < first) {
      next = counters.getAndIncrement(table);
    }
    return next <= last ? next : -1;
  }

  void giveBack(MeterTableKey table, long number) {
    if (number < counters.get(table)) {
      returnedTo(table).add(number);
    }
  }

  private NavigableSet<Long> returnedTo(MeterTableKey table) {
    return returned.computeIfAbsent(table, key -> new ConcurrentSkipListSet<>());
  }
}
