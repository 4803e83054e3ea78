// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.receive;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;
import org.sluice.sim.packet.Protocol;

class ReceiverWindowsTest {
  private static final int SEGMENT = 1460;
  private static final long OWN_WINDOW = 1_000_000;
  private static final long EPOCH = 1L << 22;

  /** K is 20 segments, and 100 us of 1 Gbit/s are 12,500 bytes. */
  private final ReceiverWindows windows = new ReceiverWindows(1_000_000_000L, 1500);

  private final PacketPool pool = new PacketPool();
  private long now = EPOCH;

  private Packet packet(int flags) {
    Packet packet = pool.take();
    packet.protocol = Protocol.TCP;
    packet.flags = flags;
    packet.windowBytes = OWN_WINDOW;
    return packet;
  }

  private void arrives(int sender, int flags, int bytes, byte ecn) {
    Packet packet = packet(flags);
    packet.sourcePort = sender;
    packet.payloadBytes = bytes;
    packet.ipBytes = 40 + bytes;
    packet.ecn = ecn;
    windows.arrives(packet, now);
  }

  private long offers(int sender, int flags, long acknowledgement) {
    Packet packet = packet(flags | Packet.ACK);
    packet.destinationPort = sender;
    packet.acknowledgement = acknowledgement;
    windows.leaves(packet, now);
    return packet.windowBytes;
  }

  /** The first window; the handshake then takes 100 us. */
  private long begins(int sender) {
    arrives(sender, Packet.SYN, 0, Ecn.ECT_0);
    return offers(sender, Packet.SYN, 0);
  }

  private void begin(int senders) {
    for (int i = 0; i < senders; i++) {
      begins(i);
    }
    now += 100_000;
    for (int i = 0; i < senders; i++) {
      arrives(i, Packet.ACK, 0, Ecn.ECT_0);
    }
  }

  private void brings(int sender, int segments) {
    for (int i = 0; i < segments; i++) {
      arrives(sender, 0, SEGMENT, Ecn.ECT_0);
    }
  }

  @Test
  void firstWindowsSumToTheThresholdAndNoneIsUnderASegment() {
    assertThat(begins(0)).isEqualTo(10 * SEGMENT);
    assertThat(begins(1)).isBetween(9L * SEGMENT, 10L * SEGMENT); // SYNs have bytes too
    for (int i = 2; i < 40; i++) {
      assertThat(begins(i)).isEqualTo(SEGMENT);
    }
    now += 10_000_000; // and as much as the NIC carries meanwhile
    assertThat(begins(40)).isEqualTo(10 * SEGMENT);
  }

  @Test
  void aMarkSaysThatTheThresholdStands() {
    begin(1);
    arrives(0, 0, SEGMENT, Ecn.CE);
    assertThat(begins(1)).isEqualTo(SEGMENT);
  }

  @Test
  void nothingIsAddedToAFirstWindowBeforeDataHaveCome() {
    assertThat(begins(0)).isEqualTo(10 * SEGMENT);
    now += 100_000;
    assertThat(offers(0, 0, 0)).isEqualTo(10 * SEGMENT);
  }

  @Test
  void fewConnectionsMayHaveWhatSlowStartGivesThem() {
    begin(1);
    brings(0, 20);
    assertThat(offers(0, 0, 20 * SEGMENT)).isEqualTo(30 * SEGMENT);
    brings(0, 255);
    assertThat(offers(0, 0, 275 * SEGMENT)).isEqualTo(OWN_WINDOW);
  }

  @Test
  void manyShareTheBandwidthDelayProductAndTheThreshold() {
    begin(10);
    brings(9, 1);
    assertThat(offers(9, 0, SEGMENT)).isEqualTo((20 * SEGMENT + 12_500) / 10);
  }

  @Test
  void aWindowIsASegmentAsLongAsEachIsAcknowledgedAtOnceThenTwo() {
    begin(100);
    brings(99, 15);
    assertThat(offers(99, 0, 15 * SEGMENT)).isEqualTo(SEGMENT);
    brings(99, 1);
    assertThat(offers(99, 0, 16 * SEGMENT)).isEqualTo(2 * SEGMENT);
  }

  @Test
  void windowsGrowBackAsOthersEnd() {
    begin(10);
    for (int i = 0; i < 8; i++) {
      arrives(i, Packet.FIN, SEGMENT, Ecn.ECT_0);
    }
    brings(9, 1);
    assertThat(offers(9, 0, SEGMENT)).isEqualTo(11 * SEGMENT);
  }

  @Test
  void theRightEdgeNeverMovesLeft() {
    begin(1);
    brings(0, 20);
    long edge = 20 * SEGMENT + offers(0, 0, 20 * SEGMENT);
    for (int i = 1; i < 100; i++) {
      begins(i);
    }
    for (long acknowledged = 20; acknowledged < 50; acknowledged++) {
      assertThat(acknowledged * SEGMENT + offers(0, 0, acknowledged * SEGMENT))
          .isGreaterThanOrEqualTo(edge);
    }
    assertThat(offers(0, 0, 50 * SEGMENT)).isEqualTo(2 * SEGMENT);
  }

  @Test
  void windowsGrowWhereTheLinkIsNotFullButNotOfWhoIsMarked() {
    begin(20);
    for (int epoch = 0; epoch < 4; epoch++) {
      now += EPOCH;
      for (int i = 0; i < 20; i++) {
        brings(i, 1);
      }
      arrives(5, 0, SEGMENT, Ecn.CE);
    }
    assertThat(offers(0, 0, 4 * SEGMENT)).isEqualTo(8 * (20 * SEGMENT + 12_500) / 20);
    assertThat(offers(5, 0, 8 * SEGMENT)).isEqualTo((20 * SEGMENT + 12_500) / 20);
  }

  @Test
  void whoGoesOnAfterAPauseBeginsAgain() {
    begin(1);
    brings(0, 255);
    now += 66 * EPOCH;
    brings(0, 1);
    assertThat(offers(0, 0, 256 * SEGMENT)).isEqualTo((10 + 17) * SEGMENT);
  }

  @Test
  void longPathsAreLeftAlone() {
    begins(0);
    now += 20_000_001;
    brings(0, 1);
    assertThat(offers(0, 0, SEGMENT)).isEqualTo(OWN_WINDOW);
  }

  @Test
  void grantsComeFirst() {
    windows.setSuspended(true);
    assertThat(begins(0)).isEqualTo(OWN_WINDOW);
  }

  @Test
  void aConnectionWhoseBeginningWasNotSeenIsLeftAlone() {
    brings(0, 1);
    assertThat(offers(0, 0, SEGMENT)).isEqualTo(OWN_WINDOW);
  }
}
