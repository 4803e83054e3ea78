// SPDX-License-Identifier: Apache-2.0
package org.sluice.polling;

import java.util.Arrays;

/** The times from request to reply of the last requests. Thread-safe. */
public final class ReplyTimes {
  private static final int KEPT = 2048;
  private static final long NANOS_PER_MICRO = 1000;

  private final int[] micros = new int[KEPT];
  private long count;

  synchronized void add(long nanos) {
    micros[(int) (count++ % KEPT)] =
        (int) Math.min(Integer.MAX_VALUE, Math.max(1, nanos / NANOS_PER_MICRO));
  }

  /**
   * Quantiles of the last replies.
   *
   * @param shares each from 0 to 1
   * @return in microseconds, in the order of the shares; 0 while there are none
   */
  public synchronized long[] quantilesMicros(double... shares) {
    int kept = (int) Math.min(KEPT, count);
    int[] sorted = Arrays.copyOf(micros, kept);
    Arrays.sort(sorted);
    long[] quantiles = new long[shares.length];
    for (int i = 0; i < shares.length && kept > 0; i++) {
      quantiles[i] = sorted[Math.min(kept - 1, (int) (shares[i] * kept))];
    }
    return quantiles;
  }
}
