// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;
import org.sluice.sim.queue.RedParameters.NonEct;

class RedQueueTest {
  private static final long GIGABIT = 1_000_000_000L;
  private final PacketPool pool = new PacketPool();

  private Packet packet(byte ecn) {
    Packet packet = pool.take();
    packet.ipBytes = 1500;
    packet.ecn = ecn;
    return packet;
  }

  private static RedQueue queue(RedParameters parameters) {
    return new RedQueue(parameters, GIGABIT, new SplittableRandom(7));
  }

  @Test
  void marksFromTheThresholdOn() {
    RedQueue queue = queue(RedParameters.step(100, 20, NonEct.DROP));
    for (int i = 0; i < 30; i++) {
      assertThat(queue.enqueue(packet(Ecn.ECT_0), 0)).isTrue();
    }
    // The first 20 find fewer than 20 packets.
    for (int i = 0; i < 30; i++) {
      assertThat(queue.dequeue(0).ecn).isEqualTo(i < 20 ? Ecn.ECT_0 : Ecn.CE);
    }
    assertThat(queue.marked()).isEqualTo(10);
    assertThat(queue.dropped()).isZero();
  }

  @Test
  void dropsNonEctPackets() {
    RedQueue queue = queue(RedParameters.step(100, 20, NonEct.DROP));
    int taken = 0;
    for (int i = 0; i < 30; i++) {
      taken += queue.enqueue(packet(Ecn.NOT_ECT), 0) ? 1 : 0;
    }
    assertThat(taken).isEqualTo(20);
    assertThat(queue.dropped()).isEqualTo(10);
  }

  @Test
  void nonEctPacketsMayBeQueuedUpToTheBufferLimit() {
    RedQueue queue = queue(RedParameters.step(25, 20, NonEct.PASS));
    int taken = 0;
    for (int i = 0; i < 30; i++) {
      taken += queue.enqueue(packet(Ecn.NOT_ECT), 0) ? 1 : 0;
    }
    assertThat(taken).isEqualTo(25);
    assertThat(queue.marked()).isZero();
    assertThat(queue.dropped()).isEqualTo(5);
  }

  @Test
  void packetMarkedUpstreamIsNotCountedAgain() {
    RedQueue queue = queue(RedParameters.step(10, 0, NonEct.DROP));
    assertThat(queue.enqueue(packet(Ecn.CE), 0)).isTrue();
    assertThat(queue.marked()).isZero();
  }

  @Test
  void dropsAllWithoutEcn() {
    RedQueue queue = queue(new RedParameters(100, 20, 20, 1, 1, false, NonEct.PASS));
    int taken = 0;
    for (int i = 0; i < 30; i++) {
      taken += queue.enqueue(packet(Ecn.ECT_0), 0) ? 1 : 0;
    }
    assertThat(taken).isEqualTo(20);
  }

  /** A queue held at its middle marks with p/2, evenly spread, so with a mean gap of 1/p + 1/2. */
  @Test
  void marksByProbabilityBetweenTheThresholds() {
    RedQueue queue = queue(new RedParameters(100, 10, 30, 0.1, 1, true, NonEct.DROP));
    for (int i = 0; i < 20; i++) {
      queue.enqueue(packet(Ecn.ECT_0), 0);
    }
    long before = queue.marked();
    int packets = 100_000;
    for (int i = 0; i < packets; i++) {
      queue.enqueue(packet(Ecn.ECT_0), 0);
      pool.giveBack(queue.dequeue(0));
    }
    double share = (queue.marked() - before) / (double) packets;
    // Uniform on 1...1/p: Floyd and Jacobson, section 7.
    assertThat(share).isCloseTo(2 / (1 / 0.05 + 1), within(0.005));
  }

  @Test
  void averageIsSmoothedAndDecaysWhileIdle() {
    RedQueue queue = queue(new RedParameters(100, 5, 5, 1, 0.002, true, NonEct.DROP));
    for (int i = 0; i < 90; i++) {
      queue.enqueue(packet(Ecn.ECT_0), 0);
    }
    // 90 packets at once move an average of weight 0.002 to 7.5: sum of 0.002 i 0.998^(89 - i).
    assertThat(queue.marked()).isBetween(10L, 25L);
    long marked = queue.marked();
    for (int i = 0; i < 90; i++) {
      pool.giveBack(queue.dequeue(i * 12_000L));
    }
    // After 1000 packet times of silence, 0.998^1000 = 0.135 of it is left.
    assertThat(queue.enqueue(packet(Ecn.ECT_0), 89 * 12_000L + 1000 * 12_000L)).isTrue();
    assertThat(queue.marked()).isEqualTo(marked);
  }

  @Test
  void rejectsInvertedThresholds() {
    assertThatThrownBy(() -> new RedParameters(100, 30, 20, 1, 1, true, NonEct.DROP))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maxThresholdPackets")
        .hasMessageContaining("20.0");
  }
}
