// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.deadline;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;

/** Segments of 1000 bytes. */
class LossTellerTest {
  private static final int SEGMENT = 1000;

  private final LossTeller teller = new LossTeller();

  @Test
  void duplicatesWaitUntilAllBelowTheHoleIsAcknowledged() {
    teller.sent(10_000);
    teller.lost(5000, SEGMENT, 3000);
    assertThat(teller.takeDue(3000, SEGMENT)).isFalse();
    assertThat(teller.takeDue(5000, SEGMENT)).isTrue();
    assertThat(teller.takeDue(5000, SEGMENT)).as("once for each loss").isFalse();
  }

  @Test
  void whatIsRepairedIsNotToldOf() {
    teller.sent(10_000);
    teller.lost(5000, SEGMENT, 6000);
    assertThat(teller.takeDue(6000, SEGMENT)).isFalse();
    teller.lost(7000, SEGMENT, 6000);
    assertThat(teller.takeDue(9000, SEGMENT)).isFalse();
    assertThat(teller.takeDue(7000, SEGMENT)).isFalse();
  }

  @Test
  void withNothingBeyondTheHoleThereIsNothingToTell() {
    teller.sent(6000);
    teller.lost(5000, SEGMENT, 5000);
    assertThat(teller.takeDue(5000, SEGMENT)).isFalse();
  }

  @Test
  void selectiveDuplicatesNeedASegmentEachBeyondTheHole() {
    teller.negotiated(true);
    teller.sent(8000);
    teller.lost(5000, SEGMENT, 5000);
    assertThat(teller.takeDue(5000, SEGMENT)).isFalse();
    teller.sent(9000);
    teller.lost(5000, SEGMENT, 5000);
    assertThat(teller.takeDue(5000, SEGMENT)).isTrue();
  }

  @Test
  void eachSelectiveDuplicateTellsOfAnotherSegment() {
    teller.negotiated(true);
    teller.sent(20_000);
    teller.lost(5000, 3 * SEGMENT, 5000);
    Packet packet = new PacketPool().take();
    for (int number = 1; number <= LossTeller.DUPLICATES; number++) {
      teller.write(packet, number, SEGMENT);
      assertThat(packet.sackBlocks).isEqualTo(1);
      assertThat(packet.sackLeft[0]).isEqualTo(8000);
      assertThat(packet.sackRight[0]).isEqualTo(8000 + number * SEGMENT);
    }
  }

  @Test
  void sequencesOnTheWireHave32Bits() {
    long far = (1L << 32) - 500;
    teller.sent(far + 10_000);
    teller.lost(500, SEGMENT, far);
    assertThat(teller.takeDue(far + 1000, SEGMENT)).isTrue();
  }
}
