// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.marks;

import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.Protocol;

/**
 * What a shim does to the ECN field. All data leaves as ECT, and nothing that a virtual machine
 * could forge a mark with; on arrival the virtual machine gets back what its peer had sent.
 */
public final class EcnRules {
  private long forgedCePackets;
  private long forgedReservedBits;

  public void outgoing(Packet packet) {
    if (packet.reservedBit) {
      packet.reservedBit = false;
      forgedReservedBits++;
    }
    byte sent = packet.ecn;
    if (sent == Ecn.CE) {
      forgedCePackets++;
      sent = Ecn.ECT_0;
    }
    // Only TCP negotiates ECN so that a shim can see it.
    packet.originalEcn = packet.protocol == Protocol.TCP ? sent : Ecn.NOT_ECT;
    packet.ecn = sent == Ecn.NOT_ECT ? Ecn.ECT_0 : sent;
  }

  /**
   * @param preserve whether a virtual machine that has agreed on ECN sees the mark itself
   */
  public void incoming(Packet packet, boolean preserve) {
    boolean shown = preserve && packet.ecn == Ecn.CE && packet.originalEcn != Ecn.NOT_ECT;
    if (!shown) {
      packet.ecn = packet.originalEcn;
    }
  }

  public long forgedCePackets() {
    return forgedCePackets;
  }

  public long forgedReservedBits() {
    return forgedReservedBits;
  }
}
