// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import java.util.Arrays;
import org.sluice.sim.scenario.measure.Completions;

/** Transfers of one size, noted as they finish. */
final class RecordedCompletions implements Completions {
  private final long bytes;
  private long[] durations = new long[256];
  private int count;

  RecordedCompletions(long bytes) {
    this.bytes = bytes;
  }

  void add(long durationNanos) {
    if (count == durations.length) {
      durations = Arrays.copyOf(durations, count * 2);
    }
    durations[count++] = durationNanos;
  }

  @Override
  public int count() {
    return count;
  }

  @Override
  public double[] millis(long atLeastBytes, long belowBytes) {
    boolean fits = bytes >= atLeastBytes && bytes < belowBytes;
    return Arrays.stream(durations, 0, fits ? count : 0)
        .mapToDouble(nanos -> nanos / 1e6)
        .toArray();
  }

  @Override
  public double[] idealMillis(long latencyNanos, long atLeastBytes, long belowBytes) {
    throw new UnsupportedOperationException("only of transfers that come by chance");
  }
}
