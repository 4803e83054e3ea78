// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.deadline;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;

/** Segments of 1000 bytes. */
class FastRetransmitTriggerTest {
  private static final int SEGMENT = 1000;

  private final FastRetransmitTrigger trigger = new FastRetransmitTrigger();

  @Test
  void duplicateAcksWaitUntilAllBelowTheHoleIsAcknowledged() {
    trigger.sent(10_000);
    trigger.lost(5000, SEGMENT, 3000);
    assertThat(trigger.takeDue(3000, SEGMENT)).isFalse();
    assertThat(trigger.takeDue(5000, SEGMENT)).isTrue();
    assertThat(trigger.takeDue(5000, SEGMENT)).as("once for each loss").isFalse();
  }

  @Test
  void repairedHoleNeedsNoDuplicateAcks() {
    trigger.sent(10_000);
    trigger.lost(5000, SEGMENT, 6000);
    assertThat(trigger.takeDue(6000, SEGMENT)).isFalse();
    trigger.lost(7000, SEGMENT, 6000);
    assertThat(trigger.takeDue(9000, SEGMENT)).isFalse();
    assertThat(trigger.takeDue(7000, SEGMENT)).isFalse();
  }

  @Test
  void noDuplicateAcksWithoutDataBeyondTheHole() {
    trigger.sent(6000);
    trigger.lost(5000, SEGMENT, 5000);
    assertThat(trigger.takeDue(5000, SEGMENT)).isFalse();
  }

  @Test
  void selectiveDuplicateAcksNeedASegmentEachBeyondTheHole() {
    trigger.negotiated(true);
    trigger.sent(8000);
    trigger.lost(5000, SEGMENT, 5000);
    assertThat(trigger.takeDue(5000, SEGMENT)).isFalse();
    trigger.sent(9000);
    trigger.lost(5000, SEGMENT, 5000);
    assertThat(trigger.takeDue(5000, SEGMENT)).isTrue();
  }

  @Test
  void eachSelectiveDuplicateAckReportsAnotherSegment() {
    trigger.negotiated(true);
    trigger.sent(20_000);
    trigger.lost(5000, 3 * SEGMENT, 5000);
    Packet packet = new PacketPool().take();
    for (int number = 1; number <= FastRetransmitTrigger.DUPLICATES; number++) {
      trigger.write(packet, number, SEGMENT);
      assertThat(packet.sackBlocks).isEqualTo(1);
      assertThat(packet.sackLeft[0]).isEqualTo(8000);
      assertThat(packet.sackRight[0]).isEqualTo(8000 + number * SEGMENT);
    }
  }

  @Test
  void sequencesOnTheWireHave32Bits() {
    long far = (1L << 32) - 500;
    trigger.sent(far + 10_000);
    trigger.lost(500, SEGMENT, far);
    assertThat(trigger.takeDue(far + 1000, SEGMENT)).isTrue();
  }
}
