// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import java.util.stream.IntStream;
import org.sluice.sim.application.FlowLog;
import org.sluice.sim.scenario.measure.Completions;

/** Transfers as a launcher has logged them. */
record LaunchedCompletions(FlowLog log) implements Completions {
  @Override
  public int count() {
    return log.count();
  }

  @Override
  public double[] millis(long atLeastBytes, long belowBytes) {
    return IntStream.range(0, log.count())
        .filter(flow -> log.bytes(flow) >= atLeastBytes && log.bytes(flow) < belowBytes)
        .mapToDouble(flow -> log.durationNanos(flow) / 1e6)
        .toArray();
  }
}
