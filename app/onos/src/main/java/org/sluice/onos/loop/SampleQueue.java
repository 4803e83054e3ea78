// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.loop;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Hands samples to the engine's thread. Bounded: when the engine cannot keep up, the oldest go,
 * since newer ones say more. Thread-safe.
 */
final class SampleQueue<T> {
  private final Deque<T> samples = new ArrayDeque<>();
  private final int capacity;
  private long dropped;

  SampleQueue(int capacity) {
    this.capacity = capacity;
  }

  synchronized void add(T sample) {
    if (samples.size() == capacity) {
      samples.removeFirst();
      dropped++;
    }
    samples.addLast(sample);
  }

  /** All that wait, oldest first; none wait afterwards. */
  synchronized List<T> drain() {
    if (samples.isEmpty()) {
      return List.of();
    }
    List<T> drained = new ArrayList<>(samples);
    samples.clear();
    return drained;
  }

  /** How many samples were dropped since the start. */
  synchronized long dropped() {
    return dropped;
  }
}
