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
 * @param demandBitsPerSecond what each would send on average if nothing held it; infinite for TCP
 * @param turns of sending and silence, for all flows alike; null where there are none
 * @param completions of its transfers
 */
public record TrafficGroup(
    String name,
    List<Flow> flows,
    long startNanos,
    long stopNanos,
    boolean lasting,
    double demandBitsPerSecond,
    Turns turns,
    Completions completions) {
  public TrafficGroup {
    flows = List.copyOf(flows);
  }

  /**
   * Times of sending and of silence, in turns from the start.
   *
   * @param onNanos above 0
   * @param offNanos above 0
   */
  public record Turns(long onNanos, long offNanos) {
    public long periodNanos() {
      return onNanos + offNanos;
    }
  }

  /** Whether its flows would send at a time. */
  boolean sendsAt(long nanos) {
    return startNanos <= nanos
        && nanos < stopNanos
        && (turns == null || (nanos - startNanos) % turns.periodNanos() < turns.onNanos);
  }

  /** What each would send while it sends, if nothing held it. */
  double sendingBitsPerSecond() {
    return turns == null
        ? demandBitsPerSecond
        : demandBitsPerSecond * turns.periodNanos() / turns.onNanos;
  }

  /** Whether it begins before a window and ends after it. */
  public boolean lastsThrough(Window window) {
    return startNanos <= window.fromNanos() && stopNanos >= window.toNanos();
  }
}
