// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.queue;

import java.util.Arrays;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.Protocol;

/**
 * Keeps TCP from overflowing its own class: the receive window in the acknowledgements that come in
 * for an endpoint is lowered to what its class carries in the pair's round trip without queues and
 * 5 ms more, divided by the bulk flows in the class, but not under two segments. The class's queue
 * holds 10 ms, so a flow within the window loses nothing there. Only classes below the ceiling are
 * clamped.
 */
public final class WindowClamp {
  private static final long STANDING_NANOS = 5_000_000L;
  private static final long RECOUNT_NANOS = 10_000_000L;

  /** A clamp that moves with every limit would make each acknowledgement a window update. */
  private static final long STEADY = 8;

  private static final double NONE = 0;

  /** Beyond it windows are left alone: TCP does well with a queue of 10 ms on a path that long. */
  private static final long LONGEST_ROUND_TRIP_NANOS = 20_000_000L;

  private final int segmentBytes;

  /** What a flow may send, bytes/ns, by slot. */
  private final double[] rates = new double[ClassQueue.SLOTS];

  private long recountAt;

  /**
   * @param segmentBytes what a full packet carries
   */
  public WindowClamp(int segmentBytes) {
    this.segmentBytes = segmentBytes;
    Arrays.fill(rates, NONE);
  }

  /** Follows the number of bulk flows; cheap if called often. */
  public void turn(SparseFlows flows, long nowNanos) {
    if (nowNanos >= recountAt) {
      recountAt = nowNanos + RECOUNT_NANOS;
      flows.countBulk(nowNanos);
    }
  }

  /** Follows the limit of a slot, which shares it among its bulk flows. */
  public void setLimit(int slot, long limitBitsPerSecond, boolean isLimited, int bulkFlows) {
    if (!isLimited) {
      rates[slot] = NONE;
      return;
    }
    double rate = limitBitsPerSecond / 8e9 / Math.max(1, bulkFlows);
    if (rates[slot] == NONE || Math.abs(rate - rates[slot]) * STEADY > rates[slot]) {
      rates[slot] = rate;
    }
  }

  /**
   * Lowers the window of a packet that comes in for what a slot sends.
   *
   * @param roundTripNanos the pair's, without queues; 0: not known
   */
  public void apply(Packet packet, int slot, long roundTripNanos) {
    if (packet.protocol != Protocol.TCP
        || (packet.flags & Packet.ACK) == 0
        || rates[slot] == NONE
        || roundTripNanos == 0
        || roundTripNanos > LONGEST_ROUND_TRIP_NANOS) {
      return;
    }
    double bytes = rates[slot] * (roundTripNanos + STANDING_NANOS);
    long segments = Math.max(2, (long) Math.ceil(bytes / segmentBytes));
    packet.windowBytes = Math.min(packet.windowBytes, segments * segmentBytes);
  }
}
