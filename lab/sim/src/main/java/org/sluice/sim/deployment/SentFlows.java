// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import java.util.ArrayList;
import java.util.List;
import org.sluice.engine.collections.LongIntMap;
import org.sluice.engine.collections.Slots;
import org.sluice.sim.network.PortObserver;
import org.sluice.sim.packet.Packet;

/**
 * A host's agent as far as Micro-flow is concerned: counts what each flow sends by the NIC, and
 * says which flows are large, and which of these have ended.
 */
final class SentFlows implements PortObserver {
  private static final int BITS = 16;

  private final long thresholdBytes;
  private final long idleNanos;
  private long[] levelsBytes;
  private final LongIntMap rows = new LongIntMap();
  private final Slots slots = new Slots();
  private final List<Counted> counted = new ArrayList<>();
  private List<Report> ended = new ArrayList<>();

  /**
   * What is reported of a flow.
   *
   * @param bytes IP bytes so far
   * @param flowHash by which switches choose among equal ports
   */
  record Report(
      int source, int sourcePort, int destination, int destinationPort, int flowHash, long bytes) {}

  private static final class Counted {
    boolean isUsed;
    long key;
    int source;
    int sourcePort;
    int destination;
    int destinationPort;
    int flowHash;
    long bytes;
    boolean hasPayload;
    long seenNanos;
    boolean isFresh;

    Report report() {
      return new Report(source, sourcePort, destination, destinationPort, flowHash, bytes);
    }
  }

  /**
   * @param thresholdBytes flows that have sent more are large
   * @param levelsBytes by level: a flow that has sent more is beyond it
   */
  SentFlows(long thresholdBytes, long idleNanos, long[] levelsBytes) {
    this.thresholdBytes = thresholdBytes;
    this.idleNanos = idleNanos;
    this.levelsBytes = levelsBytes;
  }

  /** Flows change their level at other sizes from now on. */
  void setLevels(long[] valuesBytes) {
    levelsBytes = valuesBytes;
  }

  /** The level of a packet that is about to be sent, by what its flow has sent. */
  int level(Packet packet) {
    int row = rows.get(key(packet));
    long bytes = row == LongIntMap.ABSENT ? 0 : counted.get(row).bytes;
    int level = 0;
    while (level < levelsBytes.length && bytes > levelsBytes[level]) {
      level++;
    }
    return level;
  }

  /** A packet's flow. */
  static long key(Packet packet) {
    return key(packet.source, packet.sourcePort, packet.destination, packet.destinationPort);
  }

  /** A flow by the numbers of its endpoints, below 2^16, and its ports. */
  static long key(int source, int sourcePort, int destination, int destinationPort) {
    long from = (long) source << BITS | sourcePort;
    return (from << BITS | destination) << BITS | destinationPort;
  }

  @Override
  public void departed(Packet packet, long nowNanos) {
    long key = key(packet);
    int row = rows.get(key);
    Counted flow = row == LongIntMap.ABSENT ? begin(key, packet) : counted.get(row);
    flow.bytes += packet.ipBytes;
    flow.hasPayload |= packet.payloadBytes > 0;
    flow.flowHash = packet.flowHash;
    flow.seenNanos = nowNanos;
    flow.isFresh = true;
    if ((packet.flags & Packet.FIN) != 0) {
      end(flow);
    }
  }

  private Counted begin(long key, Packet packet) {
    int row = slots.take();
    if (row == counted.size()) {
      counted.add(new Counted());
    }
    rows.put(key, row);
    Counted flow = counted.get(row);
    flow.isUsed = true;
    flow.key = key;
    flow.source = packet.source;
    flow.sourcePort = packet.sourcePort;
    flow.destination = packet.destination;
    flow.destinationPort = packet.destinationPort;
    flow.bytes = 0;
    flow.hasPayload = false;
    return flow;
  }

  private void end(Counted flow) {
    // Sizes of acknowledgements alone show nothing of transfers.
    if (flow.bytes > thresholdBytes || flow.hasPayload) {
      ended.add(flow.report());
    }
    slots.giveBack(rows.get(flow.key));
    rows.remove(flow.key);
    flow.isUsed = false;
  }

  /** Large flows that have sent since the last call; forgets those that have been idle. */
  List<Report> large(long nowNanos) {
    List<Report> reports = new ArrayList<>();
    for (Counted flow : counted) {
      if (flow.isUsed && flow.isFresh && flow.bytes > thresholdBytes) {
        reports.add(flow.report());
      } else if (flow.isUsed && nowNanos - flow.seenNanos >= idleNanos) {
        end(flow);
      }
      flow.isFresh = false;
    }
    return reports;
  }

  /** Flows that have ended since the last call. */
  List<Report> ended() {
    List<Report> reports = ended;
    ended = new ArrayList<>();
    return reports;
  }
}
