// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.Arrays;

/** A growing set of row numbers. They come in order, as tables are faster to walk through so. */
final class RowSet {
  private boolean[] has = new boolean[64];
  private int[] rows = new int[64];
  private int size;
  private boolean isSorted = true;

  void add(int row) {
    if (row >= has.length) {
      has = Arrays.copyOf(has, Math.max(row + 1, 2 * has.length));
    }
    if (has[row]) {
      return;
    }
    has[row] = true;
    if (size == rows.length) {
      rows = Arrays.copyOf(rows, 2 * size);
    }
    isSorted &= size == 0 || rows[size - 1] < row;
    rows[size++] = row;
  }

  int size() {
    return size;
  }

  /** The rows, ascending; only the first {@link #size} count, and nobody may change them. */
  int[] rows() {
    if (!isSorted) {
      Arrays.sort(rows, 0, size);
      isSorted = true;
    }
    return rows;
  }
}
