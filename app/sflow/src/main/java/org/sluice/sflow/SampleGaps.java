// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import java.util.Arrays;

/**
 * The sequences of one agent's samples, by data source, and what the agent itself had no space for.
 * When there are more than 1024 sources all begin anew.
 */
final class SampleGaps {
  static final int MAX_SOURCES = 1024;

  private static final int SLOTS = 2 * MAX_SOURCES;
  private static final int MAX_GAP = 1 << 20;
  private static final int MAX_LATE = 1024;

  private final long[] sources = new long[SLOTS];
  private final int[] sequences = new int[SLOTS];
  private final int[] drops = new int[SLOTS];
  private int size;

  /** All begin anew. */
  void clear() {
    Arrays.fill(sources, 0);
    size = 0;
  }

  /**
   * A sample has arrived.
   *
   * @param source not 0
   */
  void arrived(long source, int sequence, int dropsNow, Counters counters) {
    int slot = slot(source);
    if (sources[slot] != source) {
      if (size == MAX_SOURCES) {
        clear();
        slot = slot(source);
      }
      size++;
      sources[slot] = source;
      begin(slot, sequence, dropsNow);
      return;
    }
    int ahead = sequence - sequences[slot];
    if (ahead < 0 && ahead > -MAX_LATE) {
      counters.lostSamples.decrement();
      return;
    }
    if (ahead > 0 && ahead < MAX_GAP) {
      counters.lostSamples.add(ahead - 1L);
      int more = dropsNow - drops[slot];
      counters.droppedByAgents.add(more > 0 && more < MAX_GAP ? more : 0);
    }
    begin(slot, sequence, dropsNow);
  }

  private void begin(int slot, int sequence, int dropsNow) {
    sequences[slot] = sequence;
    drops[slot] = dropsNow;
  }

  /** Where it is, or a free one; there always is one. */
  private int slot(long source) {
    int slot = (int) source & SLOTS - 1;
    while (sources[slot] != 0 && sources[slot] != source) {
      slot = slot + 1 & SLOTS - 1;
    }
    return slot;
  }
}
