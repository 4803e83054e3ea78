// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;

class ClassQueueTest {
  private static final long GIGABIT = 1_000_000_000L;
  private static final long SECOND = 1_000_000_000L;
  private static final int FRAME = 1500;

  private final PacketPool pool = new PacketPool();
  private final List<Packet> left = new ArrayList<>();
  private long now;

  private static ClassQueue queue(Enforcement enforcement) {
    return new ClassQueue(new ClassQueueParameters(GIGABIT, FRAME, 0, enforcement, 25_000_000), 2);
  }

  private Packet packet(int queueClass, int bytes) {
    Packet packet = pool.take();
    packet.queueClass = queueClass;
    packet.ipBytes = bytes;
    return packet;
  }

  private static int bulk(int endpoint, int slot) {
    return ClassQueue.leaf(endpoint, slot, false);
  }

  private void put(ClassQueue queue, int queueClass, int count) {
    for (int i = 0; i < count; i++) {
      assertThat(queue.enqueue(packet(queueClass, FRAME), now)).isTrue();
    }
  }

  /** Serves the queue as a NIC of 1 Gb/s does, refilling a class so that it never runs dry. */
  private long serve(ClassQueue queue, long until, int... greedy) {
    long bytes = 0;
    while (now < until) {
      for (int queueClass : greedy) {
        Packet more = packet(queueClass, FRAME);
        if (!queue.enqueue(more, now)) {
          pool.giveBack(more);
        }
      }
      Packet packet = queue.dequeue(now);
      if (packet != null) {
        bytes += packet.ipBytes;
        left.add(packet);
        now += packet.ipBytes * 8L;
      } else {
        long ready = queue.packets() > 0 ? queue.readyNanos(now) : now + 12_000;
        assertThat(ready).isGreaterThan(now);
        now = Math.min(ready, now + 12_000);
      }
    }
    return bytes;
  }

  @ParameterizedTest
  @CsvSource({
    "HTB, 1000000", "HTB, 12500000", "HTB, 250000000", "HTB, 999000000",
    "POLICE, 12500000", "POLICE, 250000000", "HOLD, 12500000", "HOLD, 250000000"
  })
  void keepsItsRate(Enforcement enforcement, long rate) {
    ClassQueue queue = queue(enforcement);
    queue.setLimit(0, 1, rate, 0);
    serve(queue, SECOND / 2, bulk(0, 1));
    double seconds = rate < 10_000_000 ? 10 : 1;
    long from = now;
    long bytes = serve(queue, now + (long) (seconds * SECOND), bulk(0, 1));
    assertThat(bytes * 8e9 / (now - from)).isCloseTo(rate, within(0.005 * rate));
  }

  @Test
  void keepsTheCeilingOfAllItsClasses() {
    ClassQueue queue = queue(Enforcement.HTB);
    queue.setCeiling(0, 100_000_000, 0);
    queue.setLimit(0, 1, 80_000_000, 0);
    queue.setLimit(0, 2, 80_000_000, 0);
    serve(queue, SECOND / 10, bulk(0, 1), bulk(0, 2));
    left.clear();
    long from = now;
    long bytes = serve(queue, now + SECOND, bulk(0, 1), bulk(0, 2));
    assertThat(bytes * 8e9 / (now - from)).isCloseTo(1e8, within(5e5));
    long first = left.stream().filter(packet -> packet.queueClass == bulk(0, 1)).count();
    assertThat((double) first / left.size()).as("each half of it").isCloseTo(0.5, within(0.02));
  }

  @Test
  void servesEndpointsRoundRobin() {
    ClassQueue queue = queue(Enforcement.HTB);
    serve(queue, SECOND / 10, bulk(0, 0), bulk(1, 0));
    long first = left.stream().filter(packet -> packet.queueClass == bulk(0, 0)).count();
    assertThat((double) first / left.size()).isCloseTo(0.5, within(0.01));
  }

  @Test
  void controlAndSparsePacketsHavePriority() {
    ClassQueue queue = queue(Enforcement.HTB);
    queue.setLimit(0, 1, 12_000_000, 0);
    put(queue, bulk(0, 1), 5);
    put(queue, ClassQueue.leaf(0, 1, true), 1);
    put(queue, ClassQueue.CONTROL, 1);
    assertThat(queue.dequeue(now).queueClass).isEqualTo(ClassQueue.CONTROL);
    assertThat(queue.dequeue(now).queueClass).isEqualTo(ClassQueue.leaf(0, 1, true));
    assertThat(queue.dequeue(now).queueClass).isEqualTo(bulk(0, 1));
    assertThat(queue.packets()).isEqualTo(4);
  }

  @Test
  void sparsePacketIsDelayedByTheLimitAlone() {
    ClassQueue queue = queue(Enforcement.HTB);
    queue.setLimit(0, 1, 12_000_000, 0);
    serve(queue, SECOND, bulk(0, 1));
    int sparse = ClassQueue.leaf(0, 1, true);
    put(queue, sparse, 1);
    long from = now;
    left.clear();
    while (left.stream().noneMatch(packet -> packet.queueClass == sparse)) {
      serve(queue, now + 1, bulk(0, 1));
    }
    assertThat(now - from).as("two packets at 12 Mb/s").isLessThan(2_100_000);
  }

  @Test
  void leafBuffersTenMilliseconds() {
    ClassQueue queue = queue(Enforcement.HTB);
    queue.setLimit(0, 1, 120_000_000, 0);
    put(queue, bulk(0, 1), 100);
    assertThat(queue.enqueue(packet(bulk(0, 1), FRAME), now)).isFalse();
    assertThat(queue.dropped()).isEqualTo(1);
    assertThat(queue.dropped(0)).isEqualTo(1);
    assertThat(queue.bulkPackets(0, 1)).isEqualTo(100);
    put(queue, bulk(0, 2), 1);
  }

  @Test
  void policerAdmitsItsBurstAndThenDrops() {
    ClassQueue queue = queue(Enforcement.POLICE);
    queue.setLimit(0, 1, 12_000_000, 0);
    put(queue, bulk(0, 1), 25);
    assertThat(queue.enqueue(packet(bulk(0, 1), FRAME), now)).isFalse();
    now += 999_999;
    assertThat(queue.enqueue(packet(bulk(0, 1), FRAME), now)).isFalse();
    now += 1;
    put(queue, bulk(0, 1), 1);
    for (int i = 0; i < 26; i++) {
      assertThat(queue.dequeue(now)).as("what has passed waits for nothing").isNotNull();
    }
  }

  @Test
  void heldPacketWaitsForAllItsTokens() {
    ClassQueue queue = queue(Enforcement.HOLD);
    queue.setLimit(0, 1, 12_000_000, 0);
    for (int i = 0; i < 25; i++) {
      put(queue, bulk(0, 1), 1);
      assertThat(queue.dequeue(now)).isNotNull();
    }
    put(queue, bulk(0, 1), 1);
    assertThat(queue.dequeue(now)).isNull();
    assertThat(queue.readyNanos(now)).isEqualTo(1_000_000);
  }

  @Property(tries = 200)
  void isReadyAtItsAnnouncedTime(
      @ForAll @LongRange(min = 64_000, max = 900_000_000) long rate,
      @ForAll @IntRange(min = 40, max = 1500) int bytes,
      @ForAll @IntRange(min = 1, max = 30) int count,
      @ForAll @LongRange(min = 0, max = 5_000_000_000L) long start) {
    ClassQueue queue = queue(Enforcement.HTB);
    now = start;
    queue.setLimit(0, 1, rate, now);
    for (int i = 0; i < 20; i++) {
      queue.enqueue(packet(bulk(0, 1), bytes), now);
    }
    for (int i = 0; i < count && queue.packets() > 0; i++) {
      if (queue.dequeue(now) == null) {
        long ready = queue.readyNanos(now);
        assertThat(ready).isGreaterThan(now);
        assertThat(queue.dequeue(ready - 1)).isNull();
        assertThat(queue.dequeue(ready)).isNotNull();
        now = ready;
      }
    }
  }

  @Test
  void newLimitKeepsTokenDebt() {
    ClassQueue queue = queue(Enforcement.HTB);
    queue.setLimit(0, 1, 12_000_000, 0);
    put(queue, bulk(0, 1), 10);
    while (queue.dequeue(now) != null) {
      // Until it owes.
    }
    long before = queue.readyNanos(now) - now;
    queue.setLimit(0, 1, 24_000_000, now);
    assertThat(queue.readyNanos(now) - now).isCloseTo(before / 2, within(1L));
  }
}
