// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;

/** The opening side of the three-way handshake (RFC 9293, section 3.5), and what it negotiates. */
final class ActiveOpen {
  /** MSS, SACK permitted, window scale, padding. */
  static final int OPTION_BYTES = 12;

  /** The largest window that 16 bits without a scale can express. */
  static final int MAX_WINDOW = 65535;

  private final TcpParameters parameters;
  private int synsSent;
  private long sentNanos;

  ActiveOpen(TcpParameters parameters) {
    this.parameters = parameters;
  }

  void reset() {
    synsSent = 0;
  }

  void send(Direction out, long nowNanos) {
    Packet syn = out.packet(TcpParameters.HEADER_BYTES + OPTION_BYTES, 0);
    syn.flags = Packet.SYN;
    if (parameters.ecn() != EcnMode.OFF) {
      syn.flags |= Packet.ECE | Packet.CWR;
      syn.ecn = parameters.ectOnSyn() ? Ecn.ECT_0 : Ecn.NOT_ECT;
    }
    syn.windowBytes = MAX_WINDOW;
    syn.sackPermitted = parameters.sack();
    syn.timestampNanos = nowNanos;
    sentNanos = nowNanos;
    synsSent++;
    out.send(syn);
  }

  /** The round trip, ns; {@link Acknowledgement#NO_SAMPLE} where Karn's rule forbids one. */
  long roundTripNanos(Packet synAck, long nowNanos) {
    if (parameters.timestamps()) {
      return nowNanos - synAck.timestampEchoNanos;
    }
    return synsSent == 1 ? nowNanos - sentNanos : Acknowledgement.NO_SAMPLE;
  }

  /** Whether the other end agrees on ECN (RFC 3168, section 6.1.1). */
  boolean ecnAgreed(Packet synAck) {
    return (synAck.flags & (Packet.ECE | Packet.CWR)) == Packet.ECE;
  }

  /**
   * RFC 6928, section 2: a SYN lost twice is taken for congestion.
   *
   * @param segments that it would be otherwise
   */
  double initialWindowBytes(int segments) {
    return (double) (synsSent > 2 ? 1 : segments) * parameters.mssBytes();
  }
}
