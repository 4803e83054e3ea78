// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import java.util.List;
import org.sluice.sim.transport.Flow;

/**
 * The flows of one group of a scenario.
 *
 * @param name as in the scenario
 * @param flows in the order of their sources
 * @param startNanos when all have begun
 * @param stopNanos when they end; {@link Long#MAX_VALUE} for never
 * @param lasting whether each sends all the time between: only then has it a fair share
 * @param demandBitsPerSecond what each would send if nothing held it; infinite for TCP
 * @param completions of its transfers
 */
public record TrafficGroup(
    String name,
    List<Flow> flows,
    long startNanos,
    long stopNanos,
    boolean lasting,
    double demandBitsPerSecond,
    Completions completions) {
  public TrafficGroup {
    flows = List.copyOf(flows);
  }

  /** Whether it begins before a window and ends after it. */
  public boolean lastsThrough(Window window) {
    return startNanos <= window.fromNanos() && stopNanos >= window.toNanos();
  }
}
