// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.loop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SampleQueueTest {
  private final SampleQueue<Integer> queue = new SampleQueue<>(3);

  @Test
  void handsOutInOrderAndOnce() {
    queue.add(1);
    queue.add(2);

    assertThat(queue.drain()).containsExactly(1, 2);
    assertThat(queue.drain()).isEmpty();
    assertThat(queue.dropped()).isZero();
  }

  @Test
  void whenFullTheOldestGoAndAreCounted() {
    for (int i = 1; i <= 5; i++) {
      queue.add(i);
    }

    assertThat(queue.drain()).containsExactly(3, 4, 5);
    assertThat(queue.dropped()).isEqualTo(2);
  }
}
