// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;

/**
 * The sender's half of ECN (RFC 3168, section 6.1.2): which packets are ECT, which echoes count,
 * and CWR. Which share of the window an echo costs is the congestion control's affair.
 */
final class EchoResponse {
  private static final long NEVER = -1;

  private EcnMode mode = EcnMode.OFF;
  private long reducedAtSequence = NEVER;
  private boolean announce;

  void reset() {
    mode = EcnMode.OFF;
    reducedAtSequence = NEVER;
    announce = false;
  }

  void negotiated(EcnMode wanted, boolean agreed) {
    mode = agreed ? wanted : EcnMode.OFF;
  }

  boolean isEcho(Packet packet) {
    return mode != EcnMode.OFF && (packet.flags & Packet.ECE) != 0;
  }

  /** Whether an echo is of data sent after the last reduction; if so, it makes for one. */
  boolean answers(long acknowledgement, long nextSequence) {
    if (acknowledgement <= reducedAtSequence) {
      return false;
    }
    reduced(nextSequence);
    return true;
  }

  /** The window was reduced, for whatever reason: no echo counts for what is in flight. */
  void reduced(long nextSequence) {
    reducedAtSequence = nextSequence;
    announce = mode != EcnMode.OFF;
  }

  /**
   * Writes ECN into a data packet. RFC 3168, section 6.1.5: a retransmission is Not-ECT. RFC 8257
   * is for networks that drop what is Not-ECT above their threshold; there it stays ECT.
   */
  void label(Packet packet, boolean again) {
    if (mode == EcnMode.OFF || again && mode != EcnMode.DCTCP) {
      return;
    }
    packet.ecn = Ecn.ECT_0;
    if (announce && !again) {
      packet.flags |= Packet.CWR;
      announce = false;
    }
  }
}
