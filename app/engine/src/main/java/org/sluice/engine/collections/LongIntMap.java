// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.collections;

/**
 * Maps long keys to non-negative ints, by open addressing; allocates only when it grows. A key and
 * its value lie side by side, so that a look-up mostly costs one cache miss.
 */
public final class LongIntMap {
  public static final int ABSENT = -1;
  private static final int FIRST_CAPACITY = 64;

  /** Key at even places; value + 1 at odd ones, 0 where free. */
  private long[] cells = new long[2 * FIRST_CAPACITY];

  private int size;

  int size() {
    return size;
  }

  /** The key's value, or {@link #ABSENT}. */
  public int get(long key) {
    return (int) cells[find(key) + 1] - 1;
  }

  public void put(long key, int value) {
    if (4 * (size + 1) > cells.length) {
      grow();
    }
    int cell = find(key);
    if (cells[cell + 1] == 0) {
      size++;
    }
    cells[cell] = key;
    cells[cell + 1] = value + 1L;
  }

  /** Removes the key; later keys move up, so that no tombstones slow down look-ups. */
  public void remove(long key) {
    int hole = find(key);
    if (cells[hole + 1] == 0) {
      return;
    }
    size--;
    for (int cell = next(hole); cells[cell + 1] != 0; cell = next(cell)) {
      int distanceFromHome = cell - home(cells[cell]) & cells.length - 1;
      int distanceFromHole = cell - hole & cells.length - 1;
      if (distanceFromHome >= distanceFromHole) {
        cells[hole] = cells[cell];
        cells[hole + 1] = cells[cell + 1];
        hole = cell;
      }
    }
    cells[hole + 1] = 0;
  }

  /** The key's cell, or the free one where it belongs. */
  private int find(long key) {
    int cell = home(key);
    while (cells[cell + 1] != 0 && cells[cell] != key) {
      cell = next(cell);
    }
    return cell;
  }

  private int next(int cell) {
    return cell + 2 & cells.length - 1;
  }

  private int home(long key) {
    long mixed = key * 0x9e3779b97f4a7c15L;
    return (int) (mixed >>> 32) << 1 & cells.length - 1;
  }

  private void grow() {
    long[] old = cells;
    cells = new long[2 * old.length];
    size = 0;
    for (int cell = 0; cell < old.length; cell += 2) {
      if (old[cell + 1] != 0) {
        put(old[cell], (int) old[cell + 1] - 1);
      }
    }
  }
}
