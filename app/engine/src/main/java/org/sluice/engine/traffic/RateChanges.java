// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.traffic;

/**
 * Rates of pairs that are to change. What a change touches lies anywhere; many of them in a row are
 * fetched side by side, but not while each waits for the answer whether there is a next one.
 */
final class RateChanges {
  private static final int ROOM = 256;

  private final int[] pairs = new int[ROOM + 1];
  private final long[] rates = new long[ROOM + 1];
  private int size;

  boolean isFull() {
    return size == ROOM;
  }

  /** Takes a change down if there is one; it does not branch, as that is not to be foreseen. */
  void add(int pair, long bitsPerSecond, boolean isAny) {
    pairs[size] = pair;
    rates[size] = bitsPerSecond;
    size += isAny ? 1 : 0;
  }

  int size() {
    return size;
  }

  int pair(int index) {
    return pairs[index];
  }

  /** Bit/s. */
  long rate(int index) {
    return rates[index];
  }

  void clear() {
    size = 0;
  }
}
