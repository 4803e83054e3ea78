// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.ArrayList;
import java.util.List;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.Loss;

/** A flow that has lost packets at a port, and what was done about it; used again. */
final class LostFlow {
  /** More at once is left to the timer of the sender: it would take a round trip for each. */
  private static final int MOST_LOSSES = 64;

  private static final long NEVER = Long.MIN_VALUE / 2;

  FlowKey flow;
  DeadlinePort port;

  /** Whether it was known to the table when it lost its first packet. */
  boolean isKnown;

  private final List<LostPacket> packets = new ArrayList<>();
  private long latestLossNanos;
  private long actedNanos;
  private long deliveredBytes;
  private long deliveredNanos;
  private boolean isAnswered;

  /**
   * Begins.
   *
   * @param row of the flow, or null
   */
  void begin(FlowKey lost, DeadlinePort at, GifRow row, long nowNanos) {
    flow = lost;
    port = at;
    isKnown = row != null;
    packets.clear();
    actedNanos = NEVER;
    deliveredBytes = isKnown ? row.deliveredBytes : 0;
    deliveredNanos = nowNanos;
    isAnswered = false;
  }

  boolean isEmpty() {
    return packets.isEmpty();
  }

  /** A packet is lost, for the first time or once more: then the latest copy is enough. */
  void add(Loss loss, long nowNanos) {
    latestLossNanos = nowNanos;
    packets.removeIf(packet -> packet.sequence == (int) loss.sequence());
    if (packets.size() < MOST_LOSSES) {
      packets.add(new LostPacket(loss, nowNanos));
    }
  }

  /** All below a sequence has arrived. */
  void acknowledged(int sequence) {
    packets.removeIf(packet -> packet.endsBy(sequence));
  }

  /** Notes how much of the flow has arrived. */
  void delivered(long bytes, long nowNanos) {
    if (bytes > deliveredBytes) {
      deliveredBytes = bytes;
      deliveredNanos = nowNanos;
    }
  }

  /** Since when nothing has arrived, or nothing was done, ns. */
  long stalledNanos(long nowNanos) {
    return nowNanos - Math.max(Math.max(deliveredNanos, actedNanos), latestLossNanos);
  }

  /** For how long a packet has been missing while nothing was done for its flow, ns. */
  long waitedNanos(LostPacket packet, long nowNanos) {
    return nowNanos - Math.max(packet.lostNanos, actedNanos);
  }

  long ageNanos(long nowNanos) {
    return nowNanos - latestLossNanos;
  }

  long sinceActedNanos(long nowNanos) {
    return nowNanos - actedNanos;
  }

  boolean isAnswered() {
    return isAnswered;
  }

  /** The source has been told: what is kept is only sent again if that does not help. */
  void answered(long nowNanos) {
    isAnswered = true;
    actedNanos = nowNanos;
    packets.removeIf(packet -> !packet.isKept());
  }

  void sentAgain(LostPacket packet, long nowNanos) {
    packet.isSentAgain = true;
    actedNanos = nowNanos;
  }

  /** The lowest packet of which no copy is on its way; null if there is none. */
  LostPacket lowest() {
    LostPacket lowest = null;
    for (int i = 0; i < packets.size(); i++) {
      LostPacket packet = packets.get(i);
      if (!packet.isSentAgain && (lowest == null || packet.isBelow(lowest))) {
        lowest = packet;
      }
    }
    return lowest;
  }

  /**
   * From the beginning of a packet to the end of the highest lost one, bytes: above that nothing is
   * known to be lost.
   */
  int spanBytes(LostPacket from) {
    int span = 0;
    for (int i = 0; i < packets.size(); i++) {
      span = Math.max(span, packets.get(i).end() - from.sequence);
    }
    return span;
  }

  /** Whether there is a packet of which no copy is kept. */
  boolean isAnyUnkept() {
    for (int i = 0; i < packets.size(); i++) {
      if (!packets.get(i).isKept()) {
        return true;
      }
    }
    return false;
  }
}
