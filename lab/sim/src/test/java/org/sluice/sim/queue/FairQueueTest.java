// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;

class FairQueueTest {
  private final PacketPool pool = new PacketPool();
  private final FairQueue queue = new FairQueue(7, 1500);

  private Packet packet(int flow, int bytes) {
    Packet packet = pool.take();
    packet.flowHash = flow;
    packet.ipBytes = bytes;
    return packet;
  }

  private List<Integer> next(int packets) {
    List<Integer> flows = new ArrayList<>();
    for (int i = 0; i < packets; i++) {
      flows.add(queue.poll().flowHash);
    }
    return flows;
  }

  @Test
  void turnsAreBytesNotPackets() {
    for (int i = 0; i < 10; i++) {
      queue.add(packet(1, 500));
      queue.add(packet(2, 1500));
    }
    assertThat(next(8)).containsExactly(1, 1, 1, 2, 1, 1, 1, 2);
  }

  /** Of 6000 bytes each of two flows may have 3000, a third one 2000. */
  @Test
  void partIsOfTheFlowsThatWait() {
    queue.add(packet(1, 1500));
    queue.add(packet(1, 1500));
    queue.add(packet(2, 1500));
    assertThat(queue.exceedsPart(packet(1, 40), 6000)).isTrue();
    assertThat(queue.exceedsPart(packet(2, 1500), 6000)).isFalse();
    assertThat(queue.exceedsPart(packet(3, 2001), 6000)).isTrue();
    assertThat(queue.exceedsPart(packet(3, 2000), 6000)).isFalse();
  }

  @Test
  void emptyQueueHasNoNextPacket() {
    assertThat(queue.peek()).isNull();
    assertThat(queue.poll()).isNull();
    queue.add(packet(1, 40));
    assertThat(queue.poll().flowHash).isEqualTo(1);
    assertThat(queue.poll()).isNull();
    assertThat(queue.packets()).isZero();
    assertThat(queue.bytes()).isZero();
  }
}
