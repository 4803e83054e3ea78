// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;

/** A port of 12 Mbit/s: a packet of 1500 bytes takes a millisecond. */
class MicroFlowQueuesTest {
  private static final long MILLI = 1_000_000L;

  /** Of the first level; the second is one less, and background queues are 0 and 1. */
  private static final int MICRO = -1;

  private final PacketPool pool = new PacketPool();
  private MicroFlowQueues queues = queues(1);

  private static MicroFlowQueues queues(double priorityShare) {
    return queues(priorityShare, MicroFlowQueues.Limits.UNLIMITED);
  }

  private static MicroFlowQueues queues(double priorityShare, int portPackets) {
    MicroFlowQueues made =
        new MicroFlowQueues(
            new MicroFlowQueues.Limits(3, 4, 2, 4, portPackets, 3),
            12_000_000,
            priorityShare,
            1500);
    made.setDestinations(new int[] {MicroFlowQueues.OWN, 1});
    return made;
  }

  private Packet packet(int queue) {
    Packet packet = pool.take();
    packet.queueClass = queue;
    if (queue <= MICRO) {
      packet.level = (byte) (MICRO - queue);
    } else {
      packet.destination = queue;
    }
    packet.ipBytes = 1500;
    return packet;
  }

  private boolean send(int queue, int count) {
    boolean taken = true;
    for (int i = 0; i < count; i++) {
      taken &= queues.enqueue(packet(queue), 0);
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
    assertThat(queues.micro(0).packets()).isEqualTo(2);
    assertThat(queues.background(0).packets()).isEqualTo(2);
    assertThat(until(100)).containsExactly("-1@0", "-1@1", "0@2", "1@3", "0@4");
    assertThat(queues.packets()).isZero();
    assertThat(queues.bytes()).isZero();
  }

  @Test
  void levelsOfShortFlowsAreServedByPriority() {
    send(0, 1);
    send(MICRO - 1, 2);
    send(MICRO, 1);
    assertThat(queues.micro(1).packets()).isEqualTo(2);
    assertThat(until(100)).containsExactly("-1@0", "-2@1", "-2@2", "0@3");
    assertThat(queues.micro(1).packets()).isZero();
    assertThat(queues.micro(0).sentBytes()).isEqualTo(1_500);
    assertThat(queues.micro(1).sentPackets()).isEqualTo(2);
  }

  /** Three wait in one queue: the fourth there is marked, where it can be, and none elsewhere. */
  @Test
  void eachQueueMarksByItsOwnBacklog() {
    send(0, 4);
    Packet first = capable(MICRO);
    send(MICRO, 2);
    Packet fourth = capable(MICRO);
    assertThat(first.ecn).isEqualTo(Ecn.ECT_0);
    assertThat(fourth.ecn).isEqualTo(Ecn.CE);
    assertThat(queues.marked()).isEqualTo(1);
    assertThat(queues.overThreshold()).as("one of them cannot be marked").isEqualTo(2);
  }

  /** Three wait, whatever their queues: the fourth is marked. */
  @Test
  void queuesThatShareABufferMarkByTheWholeBacklog() {
    queues = queues(1, 6);
    send(0, 1);
    send(1, 1);
    Packet third = capable(MICRO);
    Packet fourth = capable(MICRO);
    assertThat(third.ecn).isEqualTo(Ecn.ECT_0);
    assertThat(fourth.ecn).isEqualTo(Ecn.CE);
  }

  private Packet capable(int queue) {
    Packet capable = packet(queue);
    capable.ecn = Ecn.ECT_0;
    assertThat(queues.enqueue(capable, 0)).isTrue();
    return capable;
  }

  /** Of no level, to nobody who is known. */
  @Test
  void whatNobodyClassifiedWaitsInTheLastLevelsOwnQueue() {
    Packet other = pool.take();
    other.destination = 7;
    queues.enqueue(other, 0);
    assertThat(queues.background(MicroFlowQueues.OWN).packets()).isEqualTo(1);
  }

  @Test
  void queuesHaveSeparateBuffers() {
    assertThat(send(0, 4)).isTrue();
    assertThat(send(0, 1)).isFalse();
    assertThat(send(1, 4)).isTrue();
    assertThat(send(MICRO, 4)).isTrue();
    assertThat(queues.dropped()).isEqualTo(1);
    assertThat(queues.background(0).dropped()).isEqualTo(1);
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
    queues.background(0).cap(3_000_000, 1_000 * MILLI);
    send(0, 3);
    send(1, 4);
    assertThat(until(100)).containsExactly("0@0", "1@1", "1@2", "1@3", "0@4", "1@5", "0@8");
  }

  @Test
  void uncappedQueueIsServedAtOnce() {
    queues.background(0).cap(12_000, 10_000 * MILLI);
    send(0, 3);
    assertThat(until(2)).containsExactly("0@0");
    assertThat(queues.readyNanos(MILLI)).isEqualTo(1000 * MILLI);
    queues.background(0).cap(0, 10_000 * MILLI);
    assertThat(queues.dequeue(2 * MILLI)).isNotNull();
  }

  /** A packet a second, for 5 ms. */
  @Test
  void capEndsByItself() {
    queues.background(0).cap(12_000, 5 * MILLI);
    send(0, 3);
    assertThat(queues.background(0).capBitsPerSecond(4 * MILLI)).isEqualTo(12_000);
    assertThat(until(100)).containsExactly("0@0", "0@5", "0@6");
    assertThat(queues.background(0).capBitsPerSecond(5 * MILLI)).isZero();
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
