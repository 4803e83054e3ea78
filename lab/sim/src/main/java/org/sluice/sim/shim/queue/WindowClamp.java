// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.queue;

import java.util.Arrays;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.Protocol;

/**
 * Keeps TCP from overflowing its own class: the receive window in the acknowledgements that come in
 * for an endpoint is lowered to what its class carries in a round trip and 5 ms more, divided by
 * the bulk flows in the class, but not under two segments. The class's queue holds 10 ms, so a flow
 * within the window loses nothing there. Only classes below the ceiling are clamped.
 */
public final class WindowClamp {
  private static final long STANDING_NANOS = 5_000_000L;
  private static final long RECOUNT_NANOS = 10_000_000L;

  /** A clamp that moves with every limit would make each acknowledgement a window update. */
  private static final long STEADY = 8;

  private static final long NONE = Long.MAX_VALUE;

  private final int segmentBytes;
  private final long roundTripNanos;
  private final long[] clamps = new long[ClassQueue.SLOTS];
  private long recountAt;

  /**
   * @param segmentBytes what a full packet carries
   * @param roundTripNanos at most so long is a round trip without queues
   */
  public WindowClamp(int segmentBytes, long roundTripNanos) {
    this.segmentBytes = segmentBytes;
    this.roundTripNanos = roundTripNanos;
    Arrays.fill(clamps, NONE);
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
      clamps[slot] = NONE;
      return;
    }
    double bytes =
        limitBitsPerSecond / 8e9 * (roundTripNanos + STANDING_NANOS) / Math.max(1, bulkFlows);
    long segments = Math.max(2, (long) Math.ceil(bytes / segmentBytes));
    long clamp = segments * segmentBytes;
    if (clamps[slot] == NONE || Math.abs(clamp - clamps[slot]) * STEADY > clamps[slot]) {
      clamps[slot] = clamp;
    }
  }

  /** Lowers the window of a packet that comes in for what a slot sends. */
  public void apply(Packet packet, int slot) {
    if (packet.protocol == Protocol.TCP
        && (packet.flags & Packet.ACK) != 0
        && packet.windowBytes > clamps[slot]) {
      packet.windowBytes = clamps[slot];
    }
  }
}
