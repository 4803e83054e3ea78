// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;

class PerFlowQueueTest {
  private final PacketPool pool = new PacketPool();
  private final PerFlowQueue queue = new PerFlowQueue(3);

  private boolean send(int flow, long sequence) {
    Packet packet = pool.take();
    packet.flowHash = flow;
    packet.sequence = sequence;
    packet.ipBytes = 100;
    return queue.enqueue(packet, 0);
  }

  private List<String> all() {
    List<String> left = new ArrayList<>();
    for (Packet packet = queue.dequeue(0); packet != null; packet = queue.dequeue(0)) {
      left.add(packet.flowHash + ":" + packet.sequence);
    }
    return left;
  }

  @Test
  void flowsAreServedRoundRobinInOrder() {
    send(1, 1);
    send(1, 2);
    send(1, 3);
    send(2, 1);
    send(3, 1);
    send(3, 2);
    assertThat(queue.packets()).isEqualTo(6);
    assertThat(queue.bytes()).isEqualTo(600);
    assertThat(all()).containsExactly("1:1", "2:1", "3:1", "1:2", "3:2", "1:3");
    assertThat(queue.packets()).isZero();
    assertThat(queue.bytes()).isZero();
  }

  @Test
  void flowsHaveSeparateBuffers() {
    for (int i = 1; i <= 4; i++) {
      assertThat(send(1, i)).isEqualTo(i <= 3);
    }
    assertThat(send(2, 1)).isTrue();
    assertThat(queue.dropped()).isEqualTo(1);
    assertThat(all()).containsExactly("1:1", "2:1", "1:2", "1:3");
    send(1, 5);
    assertThat(all()).containsExactly("1:5");
  }
}
