// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.Arrays;

/** Maps long keys to non-negative ints, by open addressing; allocates only when it grows. */
final class LongIntMap {
  static final int ABSENT = -1;
  private static final int FIRST_CAPACITY = 64;

  private long[] keys = new long[FIRST_CAPACITY];
  private int[] values = filled(FIRST_CAPACITY);
  private int size;

  private static int[] filled(int capacity) {
    int[] result = new int[capacity];
    Arrays.fill(result, ABSENT);
    return result;
  }

  int size() {
    return size;
  }

  /** The key's value, or {@link #ABSENT}. */
  int get(long key) {
    int mask = keys.length - 1;
    for (int i = home(key, mask); ; i = (i + 1) & mask) {
      if (values[i] == ABSENT || keys[i] == key) {
        return values[i];
      }
    }
  }

  void put(long key, int value) {
    if (2 * (size + 1) > keys.length) {
      grow();
    }
    insert(key, value);
  }

  private void insert(long key, int value) {
    int mask = keys.length - 1;
    int i = home(key, mask);
    while (values[i] != ABSENT && keys[i] != key) {
      i = (i + 1) & mask;
    }
    if (values[i] == ABSENT) {
      size++;
    }
    keys[i] = key;
    values[i] = value;
  }

  /** Removes the key; later keys move up, so that no tombstones slow down look-ups. */
  void remove(long key) {
    int mask = keys.length - 1;
    int hole = home(key, mask);
    while (values[hole] != ABSENT && keys[hole] != key) {
      hole = (hole + 1) & mask;
    }
    if (values[hole] == ABSENT) {
      return;
    }
    size--;
    for (int i = (hole + 1) & mask; values[i] != ABSENT; i = (i + 1) & mask) {
      int distanceFromHome = (i - home(keys[i], mask)) & mask;
      int distanceFromHole = (i - hole) & mask;
      if (distanceFromHome >= distanceFromHole) {
        keys[hole] = keys[i];
        values[hole] = values[i];
        hole = i;
      }
    }
    values[hole] = ABSENT;
  }

  private void grow() {
    long[] oldKeys = keys;
    int[] oldValues = values;
    keys = new long[2 * oldKeys.length];
    values = filled(2 * oldKeys.length);
    size = 0;
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldValues[i] != ABSENT) {
        insert(oldKeys[i], oldValues[i]);
      }
    }
  }

  private static int home(long key, int mask) {
    long mixed = key * 0x9e3779b97f4a7c15L;
    return (int) (mixed >>> 32) & mask;
  }
}
