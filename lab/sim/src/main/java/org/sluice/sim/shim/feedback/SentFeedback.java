// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.feedback;

import org.sluice.sim.packet.Packet;

/** What a receiver's shim has sent to a sender's about their pair, and when more is due. */
public final class SentFeedback {
  private static final long NEVER = Long.MIN_VALUE / 2;

  /** Bytes that are worth a message, and how long fewer may wait, ns. */
  private static final long DUE_BYTES = 1500;

  private static final long DUE_NANOS = 20_000_000L;

  /** The least time between two shares that are relayed for a pair, ns. */
  private static final long RELAY_NANOS = 20_000_000L;

  private long packets;
  private long bytes;
  private long marks;
  private long sequence;
  private long sentNanos = NEVER;
  private long relayedNanos = NEVER;
  private long markedNanos = NEVER;

  /** Packets by the last turn in which they were let wait. */
  private long waited;

  /** Packets before first marks, which are none of theirs. */
  private long untold;

  /**
   * Whether counts are to be sent; what is not, waits. A mark is sent at once, and so is for some
   * turns a full packet's worth of bytes: the end of marks counts as well. What is less, as
   * acknowledgements are, can wait: else these messages would load the reverse path.
   *
   * @param receivedPackets since the beginning, and so are the others
   * @param endNanos for how long after a mark packets are sent at once
   */
  public boolean isDue(
      long receivedPackets, long receivedBytes, long receivedMarks, long nowNanos, long endNanos) {
    boolean ends = nowNanos - markedNanos < endNanos;
    boolean isDue =
        receivedMarks != marks
            || ends && receivedBytes - bytes >= DUE_BYTES
            || receivedPackets != packets && nowNanos - sentNanos >= DUE_NANOS;
    if (!isDue && !ends) {
      waited = receivedPackets;
    }
    return isDue;
  }

  /**
   * Writes what has arrived since the beginning: so a lost message loses nothing. First marks are
   * no part of packets that waited since turns before.
   *
   * @return whether anything was marked since the message before
   */
  public boolean write(
      Packet message, long receivedPackets, long receivedBytes, long receivedMarks, long nowNanos) {
    boolean isMarked = receivedMarks != marks;
    if (isMarked) {
      untold += Math.max(0, waited - packets);
      markedNanos = nowNanos;
    }
    message.sequence = ++sequence;
    message.feedbackPackets = receivedPackets - untold;
    message.feedbackMarks = receivedMarks;
    packets = receivedPackets;
    bytes = receivedBytes;
    marks = receivedMarks;
    sentNanos = nowNanos;
    return isMarked;
  }

  /** Whether a share may be relayed again. */
  public boolean mayRelay(long nowNanos) {
    return nowNanos - relayedNanos >= RELAY_NANOS;
  }

  /** Whether a share has ever been relayed. */
  public boolean hasRelayed() {
    return relayedNanos != NEVER;
  }

  /** A share has been relayed. */
  public void relayed(long nowNanos) {
    relayedNanos = nowNanos;
  }
}
