// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.state;

import java.util.Arrays;

/**
 * What passed, by row of a table, for those who look: bytes since the start, and the rate of the
 * last window. Laws go by rates that follow faster.
 */
public final class PassedBytes {
  private long[] counted = new long[64];

  /** What has passed since the window ended, and is of the next one. */
  private long[] late = new long[64];

  private long[] measured = new long[64];
  private long[] bitsPerSecond = new long[64];

  /**
   * Counts bytes.
   *
   * @param earlyBytes what of them had passed before the window began, and is in no rate
   * @param lateBytes what of them has passed since it ended
   */
  public void add(int row, long bytes, long earlyBytes, long lateBytes) {
    if (row >= counted.length) {
      grow(Math.max(row + 1, 2 * counted.length));
    }
    counted[row] += bytes - lateBytes;
    measured[row] += earlyBytes;
    late[row] += lateBytes;
  }

  /** Begins a row anew. */
  void reset(int row) {
    if (row < counted.length) {
      counted[row] = 0;
      late[row] = 0;
      measured[row] = 0;
      bitsPerSecond[row] = 0;
    }
  }

  /** Ends a window of so many seconds. */
  void measure(double seconds) {
    for (int row = 0; row < counted.length; row++) {
      bitsPerSecond[row] = Math.round((counted[row] - measured[row]) * 8 / seconds);
      measured[row] = counted[row];
      counted[row] += late[row];
      late[row] = 0;
    }
  }

  /** What has passed, as far as it is in a window that has ended. */
  public long bytes(int row) {
    return row < measured.length ? measured[row] : 0;
  }

  /** What passed in the last window; 0 before the first has ended. */
  public long bitsPerSecond(int row) {
    return row < bitsPerSecond.length ? bitsPerSecond[row] : 0;
  }

  private void grow(int size) {
    counted = Arrays.copyOf(counted, size);
    late = Arrays.copyOf(late, size);
    measured = Arrays.copyOf(measured, size);
    bitsPerSecond = Arrays.copyOf(bitsPerSecond, size);
  }
}
