// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.micro;

import java.util.Arrays;

/**
 * How large flows are: a histogram with four bins to each doubling, which forgets. What a quantile
 * is said to be is at most a quarter too large, and never too small.
 */
final class FlowSizes {
  private static final int BITS = 2;
  private static final int PER_DOUBLING = 1 << BITS;

  /** Larger ones, of a terabyte, count as such. */
  private static final int BINS = 40 * PER_DOUBLING;

  private final double[] counts = new double[BINS];
  private double total;

  void add(long bytes, long flows) {
    counts[bin(bytes)] += flows;
    total += flows;
  }

  /** How many flows are remembered; ageing makes them less. */
  double total() {
    return total;
  }

  /** Remembers this part of all counts. */
  void age(double part) {
    for (int i = 0; i < BINS; i++) {
      counts[i] *= part;
    }
    total = Arrays.stream(counts).sum();
  }

  /**
   * A size that so large a part of the flows does not exceed, bytes.
   *
   * @param part above 0, below 1
   */
  long quantile(double part) {
    double left = part * total;
    for (int i = 0; i < BINS; i++) {
      left -= counts[i];
      if (left <= 0 && counts[i] > 0) {
        return largest(i);
      }
    }
    return largest(BINS - 1);
  }

  private static int bin(long bytes) {
    if (bytes < PER_DOUBLING) {
      return (int) Math.max(0, bytes);
    }
    int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(bytes);
    int within = (int) (bytes >>> exponent - BITS) & PER_DOUBLING - 1;
    return Math.min(BINS - 1, (exponent - BITS + 1) * PER_DOUBLING + within);
  }

  /** The largest size of a bin. */
  private static long largest(int bin) {
    if (bin < PER_DOUBLING) {
      return bin;
    }
    int shift = bin / PER_DOUBLING - 1;
    return ((long) (PER_DOUBLING + bin % PER_DOUBLING) + 1 << shift) - 1;
  }
}
