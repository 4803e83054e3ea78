// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/**
 * The receiver of HyGenICC (Abdelmoniem, Bensaou and Abu, Algorithm 2) for one pair of virtual
 * machines: marks of what arrives wait until packets that go back carry them in their reserved bit,
 * one each, or until a message of its own takes all of them.
 */
public final class HyGenIccReceiver {
  /** The message has 2 bytes for them. */
  private static final long MAX_MARKS = 65_535;

  private long marks;
  private long messageNanos;

  /** Packet_Arrival, with CE. */
  public void mark() {
    marks++;
  }

  /** Packet_Departure: whether what goes back carries a mark. */
  public boolean reflect() {
    if (marks == 0) {
      return false;
    }
    marks--;
    return true;
  }

  /** Whether marks wait. */
  public boolean hasMarks() {
    return marks > 0;
  }

  /**
   * The text's scan of the flow table; the print acts only when packets arrive.
   *
   * @param timeoutNanos Feedback_Timeout
   * @return the marks that a message is to take, 0 if none is due
   */
  public long takeForMessage(long nowNanos, long timeoutNanos) {
    if (marks == 0 || nowNanos - messageNanos < timeoutNanos) {
      return 0;
    }
    long taken = Math.min(MAX_MARKS, marks);
    marks -= taken;
    messageNanos = nowNanos;
    return taken;
  }
}
