// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import java.net.InetAddress;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.sluice.api.IpAddress;

/** Counts on the collector's thread, for others to read. */
final class Counters {
  final LongAdder datagrams = new LongAdder();
  private final LongAdder foreign = new LongAdder();
  private final LongAdder overQuota = new LongAdder();
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
  private volatile InetAddress lastForeign;
  private volatile IpAddress lastOverQuota;
  private volatile IpAddress lastMalformed;
  private final Map<DatagramFault, LongAdder> malformed = adders(DatagramFault.class);
  private final Map<DatagramFault, LongAdder> malformedSamples = adders(DatagramFault.class);
  private final Map<UnusableSample, LongAdder> unusable = adders(UnusableSample.class);

  private static <E extends Enum<E>> Map<E, LongAdder> adders(Class<E> type) {
    EnumMap<E, LongAdder> adders = new EnumMap<>(type);
    for (E each : type.getEnumConstants()) {
      adders.put(each, new LongAdder());
    }
    return adders;
  }

  void foreign(InetAddress sender) {
    foreign.increment();
    lastForeign = sender;
  }

  void overQuota(IpAddress agent) {
    overQuota.increment();
    lastOverQuota = agent;
  }

  void malformed(DatagramFault why, IpAddress agent) {
    malformed.get(why).increment();
    lastMalformed = agent;
  }

  void malformedSample(DatagramFault why, IpAddress agent) {
    malformedSamples.get(why).increment();
    lastMalformed = agent;
  }

  void unusable(UnusableSample why) {
    unusable.get(why).increment();
  }

  /** All of them but what the socket knows. */
  SflowCounts.Builder read() {
    return SflowCounts.builder()
        .datagrams(datagrams.sum())
        .foreign(foreign.sum())
        .lastForeign(Optional.ofNullable(lastForeign).map(Addresses::ip))
        .overQuota(overQuota.sum())
        .lastOverQuota(Optional.ofNullable(lastOverQuota))
        .malformed(read(malformed, DatagramFault.class))
        .malformedSamples(read(malformedSamples, DatagramFault.class))
        .lastMalformed(Optional.ofNullable(lastMalformed))
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
