// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;

class JitteredQueueTest {
  private static final long JITTER_NANOS = 1000;

  private final PacketPool pool = new PacketPool();
  private final JitteredQueue queue =
      new JitteredQueue(new DropTail(100), JITTER_NANOS, new SplittableRandom(1));

  @Test
  void delaysEachPacketAndKeepsTheOrder() {
    for (int i = 0; i < 90; i++) {
      Packet packet = pool.take();
      packet.sequence = i;
      assertThat(queue.enqueue(packet, i * 10L)).isTrue();
    }
    long now = 0;
    for (int i = 0; i < 90; i++) {
      Packet packet = queue.dequeue(now);
      if (packet == null) {
        now = queue.readyNanos(now);
        packet = queue.dequeue(now);
      }
      assertThat(packet.sequence).isEqualTo(i);
      assertThat(now).isLessThan(i * 10L + JITTER_NANOS);
    }
    assertThat(now).isPositive();
    assertThat(queue.packets()).isZero();
  }
}
