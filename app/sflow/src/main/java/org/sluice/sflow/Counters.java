// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts on the collector's thread, for others to read. */
final class Counters {
  final LongAdder datagrams = new LongAdder();
  final LongAdder foreign = new LongAdder();
  final LongAdder overQuota = new LongAdder();
  final LongAdder duplicates = new LongAdder();
  final LongAdder lostDatagrams = new LongAdder();
  final LongAdder restarts = new LongAdder();
  final LongAdder flowSamples = new LongAdder();
  final LongAdder elsewhereCounted = new LongAdder();
  final LongAdder afterEnd = new LongAdder();
  final LongAdder lostSamples = new LongAdder();
  final LongAdder droppedByAgents = new LongAdder();
  final LongAdder interfaceCounters = new LongAdder();
  final LongAdder skippedSamples = new LongAdder();
  final LongAdder flows = new LongAdder();
  final LongAdder evictedFlows = new LongAdder();
  final LongAdder movedFlows = new LongAdder();
  final LongAdder listenerFailures = new LongAdder();
  private final EnumMap<DatagramFault, LongAdder> malformed = new EnumMap<>(DatagramFault.class);
  private final EnumMap<UnusableSample, LongAdder> unusable = new EnumMap<>(UnusableSample.class);

  Counters() {
    for (DatagramFault each : DatagramFault.values()) {
      malformed.put(each, new LongAdder());
    }
    for (UnusableSample each : UnusableSample.values()) {
      unusable.put(each, new LongAdder());
    }
  }

  void malformed(DatagramFault why) {
    malformed.get(why).increment();
  }

  void unusable(UnusableSample why) {
    unusable.get(why).increment();
  }

  /** All of them but what the socket knows. */
  SflowCounts.Builder read() {
    return SflowCounts.builder()
        .datagrams(datagrams.sum())
        .foreign(foreign.sum())
        .overQuota(overQuota.sum())
        .malformed(read(malformed, DatagramFault.class))
        .duplicates(duplicates.sum())
        .lostDatagrams(lostDatagrams.sum())
        .restarts(restarts.sum())
        .flowSamples(flowSamples.sum())
        .unusable(read(unusable, UnusableSample.class))
        .elsewhereCounted(elsewhereCounted.sum())
        .afterEnd(afterEnd.sum())
        .lostSamples(lostSamples.sum())
        .droppedByAgents(droppedByAgents.sum())
        .interfaceCounters(interfaceCounters.sum())
        .skippedSamples(skippedSamples.sum())
        .flows(flows.sum())
        .evictedFlows(evictedFlows.sum())
        .movedFlows(movedFlows.sum())
        .listenerFailures(listenerFailures.sum());
  }

  private static <E extends Enum<E>> Map<E, Long> read(Map<E, LongAdder> counts, Class<E> type) {
    EnumMap<E, Long> values = new EnumMap<>(type);
    counts.forEach((reason, count) -> values.put(reason, count.sum()));
    return values;
  }
}
