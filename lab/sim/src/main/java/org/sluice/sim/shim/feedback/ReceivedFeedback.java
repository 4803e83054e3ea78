// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.feedback;

import org.sluice.sim.packet.Packet;

/** What a receiver's shim has reported to this one about their pair. */
public final class ReceivedFeedback {
  /** Of the last message; 0: there was none yet. */
  private long sequence;

  private long packets;
  private long marks;

  // What the last message added to the one before:
  private long newPackets;
  private long newMarks;

  /**
   * Takes a message.
   *
   * @return false if it adds nothing: a later one has overtaken it, or it is the first, which is
   *     only a base for the next
   */
  public boolean take(Packet message) {
    if (message.sequence <= sequence) {
      return false;
    }
    boolean isFirst = sequence == 0;
    newPackets = message.feedbackPackets - packets;
    newMarks = message.feedbackMarks - marks;
    sequence = message.sequence;
    packets = message.feedbackPackets;
    marks = message.feedbackMarks;
    return !isFirst;
  }

  public long newPackets() {
    return newPackets;
  }

  public long newMarks() {
    return newMarks;
  }
}
