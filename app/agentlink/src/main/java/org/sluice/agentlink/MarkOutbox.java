// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import com.google.protobuf.UnsafeByteOperations;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.agentlink.proto.ControllerMessage;
import org.sluice.agentlink.proto.ReturnedMarks;
import org.sluice.agentlink.proto.UndeliveredMarks;
import org.sluice.api.IpAddress;
import org.sluice.api.link.PairMarks;

/**
 * Marks that wait to go back to one host, and those that it reported for nobody: of each pair only
 * the newest totals. Bounded: the oldest is dropped first, and counted. Guarded by the {@link
 * Outbox}.
 */
final class MarkOutbox {
  /** As many as a host may have. */
  static final int MAX_PAIRS = HostLimits.PAIRS;

  /** A message stays well below what gRPC takes. */
  private static final int PAIRS_PER_MESSAGE = 4096;

  private final HostCounters counters;
  private final Map<List<IpAddress>, PairMarks> returned = new LinkedHashMap<>();
  private final Map<List<IpAddress>, PairMarks> undelivered = new LinkedHashMap<>();

  MarkOutbox(HostCounters counters) {
    this.counters = counters;
  }

  void returned(List<PairMarks> marks) {
    add(returned, marks);
  }

  void undelivered(List<PairMarks> marks) {
    add(undelivered, marks);
  }

  private void add(Map<List<IpAddress>, PairMarks> waiting, List<PairMarks> marks) {
    for (PairMarks one : marks) {
      List<IpAddress> pair = List.of(one.source(), one.destination());
      if (waiting.remove(pair) != null) {
        counters.supersededItems.increment();
      }
      waiting.put(pair, one);
      if (waiting.size() > MAX_PAIRS) {
        Iterator<List<IpAddress>> oldest = waiting.keySet().iterator();
        oldest.next();
        oldest.remove();
        counters.droppedItems.increment();
      }
    }
  }

  /** The next message, or null. */
  ControllerMessage.Builder poll() {
    if (!returned.isEmpty()) {
      return ControllerMessage.newBuilder()
          .setReturnedMarks(ReturnedMarks.newBuilder().addAllPairs(take(returned)));
    }
    if (!undelivered.isEmpty()) {
      return ControllerMessage.newBuilder()
          .setUndeliveredMarks(UndeliveredMarks.newBuilder().addAllPairs(take(undelivered)));
    }
    return null;
  }

  private static List<org.sluice.agentlink.proto.PairMarks> take(
      Map<List<IpAddress>, PairMarks> waiting) {
    List<org.sluice.agentlink.proto.PairMarks> taken = new ArrayList<>();
    Iterator<PairMarks> all = waiting.values().iterator();
    while (all.hasNext() && taken.size() < PAIRS_PER_MESSAGE) {
      taken.add(encode(all.next()));
      all.remove();
    }
    return taken;
  }

  private static org.sluice.agentlink.proto.PairMarks encode(PairMarks marks) {
    return org.sluice.agentlink.proto.PairMarks.newBuilder()
        .setSource(UnsafeByteOperations.unsafeWrap(marks.source().toBytes()))
        .setDestination(UnsafeByteOperations.unsafeWrap(marks.destination().toBytes()))
        .setInstance(marks.instance())
        .setSequence(marks.sequence())
        .setPackets(marks.packets())
        .setMarks(marks.marks())
        .setBytes(marks.bytes())
        .build();
  }
}
