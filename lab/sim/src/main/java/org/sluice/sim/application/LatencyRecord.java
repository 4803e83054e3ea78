// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.application;

import java.util.Arrays;

/** Times that something took, ns. Keeps them all: eight bytes each. */
public final class LatencyRecord {
  private long[] nanos = new long[64];
  private int count;
  private long sum;
  private boolean sorted = true;

  void add(long value) {
    if (count == nanos.length) {
      nanos = Arrays.copyOf(nanos, count * 2);
    }
    nanos[count++] = value;
    sum += value;
    sorted = false;
  }

  /** Forgets all. */
  public void clear() {
    count = 0;
    sum = 0;
    sorted = true;
  }

  public int count() {
    return count;
  }

  /** The mean, ns; 0 of nothing. */
  public double meanNanos() {
    return count == 0 ? 0 : (double) sum / count;
  }

  /**
   * The least time that so large a share did not exceed, ns (the nearest rank); 0 of nothing.
   *
   * @param share 0 to 1: 0.5 for the median, 0.99 for the 99th percentile
   */
  public long quantileNanos(double share) {
    if (share < 0 || share > 1) {
      throw new IllegalArgumentException("share must be 0 to 1, not " + share);
    }
    if (count == 0) {
      return 0;
    }
    if (!sorted) {
      Arrays.sort(nanos, 0, count);
      sorted = true;
    }
    int rank = (int) Math.ceil(share * count);
    return nanos[Math.max(1, rank) - 1];
  }
}
