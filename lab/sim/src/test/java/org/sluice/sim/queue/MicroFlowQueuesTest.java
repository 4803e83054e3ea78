// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.sim.queue.MicroFlowQueues.MICRO;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;

/** A port of 12 Mbit/s: a packet of 1500 bytes takes a millisecond. */
class MicroFlowQueuesTest {
  private static final long MILLI = 1_000_000L;

  private final PacketPool pool = new PacketPool();

  /** The class of a packet is its queueClass here. */
  private MicroFlowQueues queues = queues(1);

  private static MicroFlowQueues queues(double priorityShare) {
    return queues(priorityShare, MicroFlowQueues.Limits.UNLIMITED);
  }

  private static MicroFlowQueues queues(double priorityShare, int portPackets) {
    return new MicroFlowQueues(
        packet -> packet.queueClass,
        new MicroFlowQueues.Limits(2, 4, 2, 4, portPackets, 3),
        12_000_000,
        priorityShare,
        1500);
  }

  private boolean send(int queue, int count) {
    boolean taken = true;
    for (int i = 0; i < count; i++) {
      Packet packet = pool.take();
      packet.queueClass = queue;
      packet.ipBytes = 1500;
      taken &= queues.enqueue(packet, 0);
    }
    return taken;
  }

  /** What leaves until a time, a packet every millisecond at most; queue@ms. */
  private List<String> until(long millis) {
    List<String> left = new ArrayList<>();
    for (long now = 0; now < millis * MILLI; ) {
      Packet packet = queues.dequeue(now);
      if (packet != null) {
        left.add(packet.queueClass + "@" + now / MILLI);
        now += MILLI;
      } else {
        now = queues.packets() > 0 ? queues.readyNanos(now) : Long.MAX_VALUE;
      }
    }
    return left;
  }

  @Test
  void shortFlowsHavePriorityAndOthersAreServedRoundRobin() {
    send(0, 2);
    send(1, 1);
    send(MICRO, 2);
    assertThat(queues.microPackets()).isEqualTo(2);
    assertThat(queues.backgroundPackets(0)).isEqualTo(2);
    assertThat(until(100)).containsExactly("-1@0", "-1@1", "0@2", "1@3", "0@4");
    assertThat(queues.packets()).isZero();
    assertThat(queues.bytes()).isZero();
  }

  @Test
  void levelsOfShortFlowsAreServedByPriority() {
    send(0, 1);
    send(MICRO - 1, 2);
    send(MICRO, 1);
    assertThat(queues.microPackets()).isEqualTo(3);
    assertThat(until(100)).containsExactly("-1@0", "-2@1", "-2@2", "0@3");
    assertThat(queues.microPackets()).isZero();
    assertThat(queues.microSentBytes()).isEqualTo(4_500);
  }

  /** Three wait, whatever their queues: the fourth and fifth are marked, where they can be. */
  @Test
  void marksDependOnTheWholeBacklog() {
    send(0, 1);
    send(1, 1);
    send(MICRO, 1);
    Packet capable = pool.take();
    capable.queueClass = MICRO;
    capable.ecn = Ecn.ECT_0;
    queues.enqueue(capable, 0);
    send(0, 1);
    assertThat(queues.marked()).isEqualTo(1);
    assertThat(capable.ecn).isEqualTo(Ecn.CE);
  }

  @Test
  void queuesHaveSeparateBuffers() {
    assertThat(send(0, 4)).isTrue();
    assertThat(send(0, 1)).isFalse();
    assertThat(send(1, 4)).isTrue();
    assertThat(send(MICRO, 4)).isTrue();
    assertThat(queues.dropped()).isEqualTo(1);
    assertThat(queues.packets()).isEqualTo(12);
  }

  @Test
  void queuesOfAPortMayShareABuffer() {
    queues = queues(1, 6);
    assertThat(send(0, 4)).isTrue();
    assertThat(send(MICRO, 2)).isTrue();
    assertThat(send(MICRO, 1)).isFalse();
    assertThat(queues.packets()).isEqualTo(6);
  }

  /** 3 Mbit/s: a packet every 4 ms, and what is left is the other's. */
  @Test
  void capLimitsItsQueueAlone() {
    queues.cap(0, 3_000_000);
    assertThat(queues.capped()).isEqualTo(1);
    send(0, 3);
    send(1, 4);
    assertThat(until(100)).containsExactly("0@0", "1@1", "1@2", "1@3", "0@4", "1@5", "0@8");
  }

  @Test
  void uncappedQueueIsServedAtOnce() {
    queues.cap(0, 12_000);
    send(0, 3);
    assertThat(until(2)).containsExactly("0@0");
    assertThat(queues.readyNanos(MILLI)).isEqualTo(1000 * MILLI);
    queues.restore(0);
    assertThat(queues.capped()).isZero();
    assertThat(queues.dequeue(2 * MILLI)).isNotNull();
  }

  /** Of four packets' worth of priority and half of the port. */
  @Test
  void microQueueBeyondItsShareIsServedRoundRobin() {
    queues = queues(0.5);
    send(0, 4);
    List<String> left = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      send(MICRO, 1);
      left.add(until(1).get(0).replaceAll("@.*", ""));
    }
    assertThat(left.subList(0, 4)).containsOnly("-1");
    assertThat(left.subList(4, 12)).contains("0");
  }
}
