// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.EndedFlows;
import org.sluice.api.link.LargeFlow;
import org.sluice.engine.collections.LongIntMap;
import org.sluice.engine.collections.Slots;
import org.sluice.sim.network.Shim;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.shim.host.Addresses;

/**
 * How much a host's flows have sent, and the level that their packets leave by, as the agent's shim
 * counts and decides it. A flow goes down at each threshold, never up, and begins anew after a
 * silence.
 */
final class SentFlows implements Shim {
  private static final int BITS = 16;
  private static final int LOW = (1 << BITS) - 1;

  private final LongSupplier clock;
  private final LevelParameters parameters;
  private final Priority priority;
  private long[] thresholdsBytes;
  private final LongIntMap rows = new LongIntMap();
  private final Slots slots = new Slots();
  private final List<Flow> flows = new ArrayList<>();
  private List<EndedFlows> ended = new ArrayList<>();

  /** What may leave by other levels than the last. */
  interface Priority {
    /** Takes a packet's bytes of it; false where there is too little. */
    boolean take(Packet packet, long nowNanos);
  }

  /**
   * What is to be reported.
   *
   * @param large flows that have sent since the last time, or ended
   * @param ended by size, all that ended
   */
  record Sizes(List<LargeFlow> large, List<EndedFlows> ended) {
    boolean isEmpty() {
      return large.isEmpty() && ended.isEmpty();
    }
  }

  private static final class Flow {
    final long key;
    long bytes;
    long seenNanos;
    int level;
    boolean hasEnded;

    /** It has passed all thresholds, and is reported by itself. */
    boolean isLarge;

    long reportedBytes;

    Flow(long key, long nowNanos) {
      this.key = key;
      this.seenNanos = nowNanos;
    }
  }

  /**
   * @param clock ns
   */
  SentFlows(LongSupplier clock, LevelParameters parameters, Priority priority) {
    this.clock = clock;
    this.parameters = parameters;
    this.priority = priority;
    setThresholds(List.of());
  }

  /**
   * Flows leave a level for the next at other sizes from now on.
   *
   * @param bytes where it is another number than is configured: at the configured ones
   */
  void setThresholds(List<Long> bytes) {
    List<Long> own = parameters.thresholdsBytes();
    thresholdsBytes =
        (bytes.size() == own.size() ? bytes : own).stream().mapToLong(each -> each).toArray();
  }

  /** In force. */
  long[] thresholdsBytes() {
    return thresholdsBytes.clone();
  }

  @Override
  public boolean outgoing(Packet packet) {
    long now = clock.getAsLong();
    Flow flow = flow(packet, now);
    flow.seenNanos = now;
    int last = thresholdsBytes.length;
    int passed = 0;
    while (passed < last && flow.bytes >= thresholdsBytes[passed]) {
      passed++;
    }
    flow.level = Math.max(flow.level, passed);
    if (flow.level < last && !priority.take(packet, now)) {
      flow.level = last;
    }
    packet.level = (byte) flow.level;
    flow.bytes += packet.ipBytes;
    flow.isLarge |= passed == last && !flow.hasEnded;
    if ((packet.flags & (Packet.FIN | Packet.RST)) != 0) {
      end(flow);
    }
    return true;
  }

  @Override
  public boolean incoming(Packet packet) {
    return true;
  }

  private Flow flow(Packet packet, long nowNanos) {
    long key = key(packet);
    int row = rows.get(key);
    Flow known = row == LongIntMap.ABSENT ? null : flows.get(row);
    if (known != null && !isSilent(known, nowNanos)) {
      return known;
    }
    if (known == null) {
      row = slots.take();
      rows.put(key, row);
    } else {
      end(known);
    }
    Flow begun = new Flow(key, nowNanos);
    if (row == flows.size()) {
      flows.add(begun);
    } else {
      flows.set(row, begun);
    }
    return begun;
  }

  /** By the numbers of its endpoints, below 2^16, and its ports. */
  private static long key(Packet packet) {
    long from = (long) packet.source << BITS | packet.sourcePort;
    return (from << BITS | packet.destination) << BITS | packet.destinationPort;
  }

  private boolean isSilent(Flow flow, long nowNanos) {
    return nowNanos - flow.seenNanos > parameters.idleNanos();
  }

  /** Large ones are counted with their last report. */
  private void end(Flow flow) {
    if (!flow.hasEnded && !flow.isLarge) {
      ended.add(EndedFlows.of(flow.bytes, 1));
    }
    flow.hasEnded = true;
  }

  /** What is new since the last time; to be called more often than flows fall silent. */
  Sizes take(Addresses addresses) {
    long now = clock.getAsLong();
    List<LargeFlow> large = new ArrayList<>();
    for (int row = 0; row < flows.size(); row++) {
      Flow flow = flows.get(row);
      if (flow == null) {
        continue;
      }
      boolean isOver = flow.hasEnded || isSilent(flow, now);
      if (flow.isLarge && (isOver || flow.bytes > flow.reportedBytes)) {
        flow.reportedBytes = flow.bytes;
        large.add(LargeFlow.of(name(flow.key, addresses), flow.bytes, isOver));
        if (isOver) {
          ended.add(EndedFlows.of(flow.bytes, 1));
          flow.isLarge = false;
          flow.hasEnded = true;
        }
      }
      if (flow.hasEnded && isSilent(flow, now)) {
        rows.remove(flow.key);
        flows.set(row, null);
        slots.giveBack(row);
      }
    }
    List<EndedFlows> sizes = ended;
    ended = new ArrayList<>();
    return new Sizes(large, sizes);
  }

  private static FlowKey name(long key, Addresses addresses) {
    return FlowKey.of(
        addresses.ip((int) (key >>> 3 * BITS)),
        (int) (key >>> 2 * BITS) & LOW,
        addresses.ip((int) (key >>> BITS) & LOW),
        (int) key & LOW);
  }
}
