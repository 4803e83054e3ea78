// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.marks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;

/** What a virtual machine sends, what the wire carries, what the other one gets. */
class EcnRulesTest {
  private final EcnRules rules = new EcnRules();

  // 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE.
  @ParameterizedTest
  @CsvSource({
    "6, 0, 2, false, false, 0", "6, 0, 2, true, false, 0", "6, 0, 2, true, true, 0",
    "6, 2, 2, false, false, 2", "6, 2, 2, true, false, 2", "6, 2, 2, true, true, 3",
    "6, 1, 1, true, false, 1", "6, 3, 2, false, false, 2", "17, 0, 2, true, true, 0",
    "17, 2, 2, true, false, 0"
  })
  void marksStayBetweenShims(
      byte protocol, byte sent, byte wire, boolean marked, boolean preserve, byte delivered) {
    Packet packet = new PacketPool().take();
    packet.protocol = protocol;
    packet.ecn = sent;
    packet.reservedBit = true;
    rules.outgoing(packet);
    assertThat(packet.ecn).isEqualTo(wire);
    assertThat(packet.reservedBit).isFalse();
    if (marked) {
      packet.ecn = 3;
    }
    rules.incoming(packet, preserve);
    assertThat(packet.ecn).isEqualTo(delivered);
    assertThat(rules.forgedCePackets()).isEqualTo(sent == 3 ? 1 : 0);
    assertThat(rules.forgedReservedBits()).isEqualTo(1);
  }
}
