// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.collections;

import java.util.Arrays;

/** A growing set of row numbers. They come in order, as tables are faster to walk through so. */
public final class RowSet {
  private boolean[] has = new boolean[64];
  private int size;

  /** As they were when last read. */
  private int[] rows = {};

  public void add(int row) {
    if (row >= has.length) {
      has = Arrays.copyOf(has, Math.max(row + 1, 2 * has.length));
    }
    size += has[row] ? 0 : 1;
    has[row] = true;
  }

  /** The rows, ascending; not to be changed. Allocates only where some have been added. */
  public int[] rows() {
    if (rows.length != size) {
      rows = new int[size];
      for (int row = 0, next = 0; next < size; row++) {
        if (has[row]) {
          rows[next++] = row;
        }
      }
    }
    return rows;
  }
}
