// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

/**
 * The sequences of one agent's sub-agents, at most 64: the one that was silent for longest is
 * forgotten for a new one.
 */
final class SubAgents {
  static final int MAX = 64;

  private final long[] keys = new long[MAX];
  private final long[] usedNanos = new long[MAX];
  private final SequenceWindow[] windows = new SequenceWindow[MAX];
  private int size;

  /**
   * A datagram has arrived.
   *
   * @param key of the sub-agent
   */
  SequenceWindow.Arrival arrived(
      long key, int sequence, int uptimeMillis, long nowNanos, Counters counters) {
    for (int i = 0; i < size; i++) {
      if (keys[i] == key) {
        usedNanos[i] = nowNanos;
        return windows[i].arrived(sequence, uptimeMillis, counters);
      }
    }
    int place = size < MAX ? size++ : longestSilent();
    keys[place] = key;
    usedNanos[place] = nowNanos;
    windows[place] = new SequenceWindow(sequence, uptimeMillis);
    return SequenceWindow.Arrival.NEXT;
  }

  private int longestSilent() {
    int found = 0;
    for (int i = 1; i < MAX; i++) {
      if (usedNanos[i] - usedNanos[found] < 0) {
        found = i;
      }
    }
    return found;
  }
}
