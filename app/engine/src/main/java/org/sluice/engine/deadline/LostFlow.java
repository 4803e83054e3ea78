// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.ArrayList;
import java.util.List;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.Loss;
import org.sluice.engine.law.RsedLaw.Losses;

/** A flow that has lost packets at a port, and what was done about it; used again. */
final class LostFlow implements Losses {
  /** More at once is left to the timer of the sender: it would take a round trip for each. */
  private static final int MOST_LOSSES = 64;

  private static final long NEVER = Long.MIN_VALUE / 2;

  FlowKey flow;
  DeadlinePort port;

  /** Whether it was known to the table when it lost its first packet. */
  private boolean wasKnown;

  /** As the table has it now; null if it does not. */
  private GifRow row;

  private final List<LostPacket> packets = new ArrayList<>();
  private long latestLossNanos;
  private long actedNanos;
  private long deliveredBytes;
  private long deliveredNanos;
  private boolean isAnswered;

  /**
   * Begins.
   *
   * @param known the flow's row, or null
   */
  void begin(FlowKey lost, DeadlinePort at, GifRow known, long nowNanos) {
    flow = lost;
    port = at;
    wasKnown = known != null;
    row = known;
    packets.clear();
    actedNanos = NEVER;
    deliveredBytes = wasKnown ? known.deliveredBytes : 0;
    deliveredNanos = nowNanos;
    isAnswered = false;
  }

  @Override
  public boolean isEmpty() {
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

  /** Notes how much of the flow has arrived, as the table has it now; null if it does not. */
  void update(GifRow now, long nowNanos) {
    row = now;
    if (row != null && row.deliveredBytes > deliveredBytes) {
      deliveredBytes = row.deliveredBytes;
      deliveredNanos = nowNanos;
    }
  }

  @Override
  public boolean isConnectionOver() {
    return row == null && wasKnown;
  }

  @Override
  public boolean hasArrived() {
    return row != null && row.sizeBytes > 0 && row.remainingBytes() == 0;
  }

  /** Not the latest round trip: of a packet that was sent again it is as long as that took. */
  @Override
  public double roundTripNanos() {
    return port.queueNanos() + (row == null ? port.roundTripNanos() : row.baseRoundTripNanos);
  }

  @Override
  public boolean isQueueBelowThreshold() {
    return port.isBelowThreshold();
  }

  @Override
  public long inTransitBytes() {
    if (row == null) {
      return 0;
    }
    long most = row.widestWindowBytes();
    return row.sizeBytes > 0 ? Math.min(most, row.remainingBytes()) : most;
  }

  @Override
  public long stalledNanos(long nowNanos) {
    return nowNanos - Math.max(Math.max(deliveredNanos, actedNanos), latestLossNanos);
  }

  @Override
  public long waitedNanos(long nowNanos) {
    return nowNanos - Math.max(lowest().lostNanos, actedNanos);
  }

  @Override
  public long ageNanos(long nowNanos) {
    return nowNanos - latestLossNanos;
  }

  @Override
  public long sinceActedNanos(long nowNanos) {
    return nowNanos - actedNanos;
  }

  @Override
  public boolean isAnswered() {
    return isAnswered;
  }

  /** Its source gets acknowledgements: what is kept is only sent again if they do not help. */
  void answered(long nowNanos) {
    isAnswered = true;
    actedNanos = nowNanos;
    packets.removeIf(packet -> !packet.isKept());
  }

  void sentAgain(LostPacket packet, long nowNanos) {
    packet.isSentAgain = true;
    actedNanos = nowNanos;
  }

  @Override
  public boolean isAllSentAgain() {
    return lowest() == null;
  }

  /** The lowest packet of which no copy is in transit; null if there is none. */
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

  @Override
  public int spanBytes() {
    int from = lowest().sequence;
    int span = 0;
    for (int i = 0; i < packets.size(); i++) {
      span = Math.max(span, packets.get(i).end() - from);
    }
    return span;
  }

  @Override
  public boolean isAnyUnkept() {
    for (int i = 0; i < packets.size(); i++) {
      if (!packets.get(i).isKept()) {
        return true;
      }
    }
    return false;
  }
}
