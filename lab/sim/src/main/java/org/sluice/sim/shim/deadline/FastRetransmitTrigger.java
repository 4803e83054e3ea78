// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.deadline;

import org.sluice.sim.packet.Packet;

/**
 * RSED's duplicate acknowledgements, which make a sender retransmit before its timer expires: when
 * they are due, and what they carry. They are due once all below the hole is acknowledged: a
 * duplicate names the first byte that is missing, and before that another would be taken for it.
 */
final class FastRetransmitTrigger {
  /** As many duplicates as RFC 5681 requests. */
  static final int DUPLICATES = 3;

  private static final long NONE = -1;

  private boolean sack;
  private long sentTo;
  private long holeLeft = NONE;
  private long holeRight;

  /** Whether both ends take selective acknowledgements, as in the SYN-ACK. */
  void negotiated(boolean selective) {
    sack = selective;
  }

  /** The machine has sent all below this. */
  void sent(long sequence) {
    sentTo = Math.max(sentTo, sequence);
  }

  /**
   * Something is lost.
   *
   * @param sequence of the first lost byte, 32 bits of it
   * @param bytes to the end of the last lost packet
   * @param acknowledged all below it has arrived
   */
  void lost(long sequence, int bytes, long acknowledged) {
    long left = acknowledged + ((int) sequence - (int) acknowledged);
    if (left >= acknowledged) { // Else it has been repaired.
      holeLeft = left;
      holeRight = left + bytes;
    }
  }

  /**
   * Whether duplicates are due now; true once for each loss. With selective acknowledgements each
   * of the three has to report another segment beyond the hole.
   */
  boolean takeDue(long acknowledged, int segmentBytes) {
    if (holeLeft == NONE || acknowledged < holeLeft) {
      return false;
    }
    boolean open = acknowledged == holeLeft;
    holeLeft = NONE;
    long beyond = sentTo - holeRight;
    return open && beyond >= (sack ? (long) DUPLICATES * segmentBytes : 1);
  }

  /** Writes what the n-th duplicate, from 1, carries beyond the acknowledgement. */
  void write(Packet duplicate, int number, int segmentBytes) {
    if (sack) {
      duplicate.sackBlocks = 1;
      duplicate.sackLeft[0] = holeRight;
      duplicate.sackRight[0] = holeRight + (long) number * segmentBytes;
    }
  }
}
