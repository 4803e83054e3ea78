// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import java.util.Arrays;

/** How long each finished transfer of a group took, ns. */
public final class Completions {
  private long[] durations = new long[256];
  private int count;

  public void add(long durationNanos) {
    if (count == durations.length) {
      durations = Arrays.copyOf(durations, count * 2);
    }
    durations[count++] = durationNanos;
  }

  public int count() {
    return count;
  }

  /** In milliseconds, in the order in which they finished. */
  public double[] millis() {
    double[] millis = new double[count];
    for (int i = 0; i < count; i++) {
      millis[i] = durations[i] / 1e6;
    }
    return millis;
  }
}
