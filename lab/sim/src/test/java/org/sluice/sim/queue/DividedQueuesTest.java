// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;
import org.sluice.sim.queue.DividedQueues.Marking;

class DividedQueuesTest {
  /** One packet of 1500 bytes at 1 Gbit/s. */
  private static final long PACKET_NANOS = 12_000;

  private final PacketPool pool = new PacketPool();
  private long now;

  private Packet packet(int flow, byte ecn) {
    Packet packet = pool.take();
    packet.ipBytes = 1500;
    packet.ecn = ecn;
    packet.flowHash = flow;
    return packet;
  }

  private void add(DividedQueues queues, int packets) {
    for (int i = 0; i < packets; i++) {
      assertThat(queues.enqueue(packet(0, Ecn.ECT_0), now)).isTrue();
    }
  }

  /** How many of the next packets leave with a mark. */
  private int marksOf(DividedQueues queues, int packets) {
    int marks = 0;
    for (int i = 0; i < packets; i++) {
      now += PACKET_NANOS;
      marks += queues.dequeue(now).ecn == Ecn.CE ? 1 : 0;
    }
    return marks;
  }

  @Test
  void stepThresholdMarksArrivalsAtTheThreshold() {
    DividedQueues queues = new DividedQueues(Marking.STEP, 1, 100, 20);
    add(queues, 30);
    assertThat(marksOf(queues, 20)).isZero();
    assertThat(marksOf(queues, 10)).isEqualTo(10);
    assertThat(queues.marked()).isEqualTo(10);
  }

  @Test
  void shrinkingQueueBelowTheUpperThresholdIsNotMarked() {
    DividedQueues queues = new DividedQueues(Marking.SLOPE, 1, 100, 20);
    add(queues, 1);
    marksOf(queues, 1);
    now += 1_000 * PACKET_NANOS;
    add(queues, 45);
    // 45 down to 40: K2. From there on it has shrunk for long enough.
    assertThat(marksOf(queues, 6)).isEqualTo(6);
    marksOf(queues, 6);
    assertThat(marksOf(queues, 33)).isZero();
  }

  @Test
  void growingQueueAboveTheLowerThresholdIsMarked() {
    DividedQueues queues = new DividedQueues(Marking.SLOPE, 1, 100, 20);
    add(queues, 15);
    int marks = 0;
    for (int i = 0; i < 18; i++) {
      add(queues, 2);
      marks += marksOf(queues, 1);
    }
    // 17, 18 ... 34 with the packet that leaves: marked are those from 21 on.
    assertThat(marks).isEqualTo(14);
  }

  @Test
  void nonEctPacketsAreNeitherMarkedNorDroppedBelowTheBufferLimit() {
    DividedQueues queues = new DividedQueues(Marking.STEP, 1, 25, 5);
    int taken = 0;
    for (int i = 0; i < 30; i++) {
      taken += queues.enqueue(packet(0, Ecn.NOT_ECT), 0) ? 1 : 0;
    }
    assertThat(taken).isEqualTo(25);
    assertThat(queues.marked()).isZero();
    assertThat(queues.dropped()).isEqualTo(5);
  }

  /** Flows of all hashes, of which no queue has more than its part by much. */
  @Test
  void flowsAreHashedAndQueuesServedRoundRobin() {
    DividedQueues queues = new DividedQueues(Marking.STEP, 4, 4_000, 20);
    for (int flow = 0; flow < 4_000; flow++) {
      queues.enqueue(packet(flow * 0x9E3779B9, Ecn.ECT_0), 0);
    }
    for (int i = 0; i < 4; i++) {
      assertThat(queues.packets(i)).isBetween(900, 1_100);
      assertThat(queues.thresholdPackets(i)).isEqualTo(5);
    }
    assertThat(queues.bytes()).isEqualTo(4_000 * 1500L);
    int[] before = {queues.packets(0), queues.packets(1), queues.packets(2), queues.packets(3)};
    marksOf(queues, 8);
    for (int i = 0; i < 4; i++) {
      assertThat(before[i] - queues.packets(i)).isEqualTo(2);
    }
  }

  @Test
  void thresholdCanBeChangedAndEmptyQueuesAreSkipped() {
    DividedQueues queues = new DividedQueues(Marking.STEP, 3, 100, 30);
    for (int i = 0; i < 3; i++) {
      queues.setThresholdPackets(i, 2);
    }
    add(queues, 5);
    assertThat(queues.marked()).isEqualTo(3);
    assertThat(marksOf(queues, 5)).isEqualTo(3);
    assertThat(queues.dequeue(now)).isNull();
    assertThat(queues.initialThresholdPackets()).isEqualTo(10);
  }

  @Test
  void queuesWithoutBufferAreRejected() {
    assertThatThrownBy(() -> new DividedQueues(Marking.STEP, 0, 1, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new DividedQueues(Marking.STEP, 1, 0, 1))
        .hasMessageContaining("room for 1 packet");
  }
}
