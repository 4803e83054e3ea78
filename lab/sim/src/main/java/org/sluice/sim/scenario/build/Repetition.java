// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import org.sluice.sim.event.Scheduler;
import org.sluice.sim.transport.TcpFlow;

/**
 * Transfers of one flow, one after another; notes how long each took. What the stop has cut short
 * is no transfer, and nothing begins after it.
 */
final class Repetition {
  private final TcpFlow flow;
  private final RecordedCompletions completions;
  private final Scheduler scheduler;
  private final long stopNanos;
  private int left;

  /**
   * @param times how many transfers
   * @param stopNanos when the flow is stopped
   */
  Repetition(
      TcpFlow flow,
      int times,
      long stopNanos,
      RecordedCompletions completions,
      Scheduler scheduler) {
    this.flow = flow;
    this.left = times;
    this.stopNanos = stopNanos;
    this.completions = completions;
    this.scheduler = scheduler;
  }

  void completed() {
    if (scheduler.now() < stopNanos) {
      completions.add(flow.statistics().completionNanos() - flow.statistics().startNanos());
      left--;
    }
  }

  void closed() {
    if (left > 0 && scheduler.now() < stopNanos) {
      flow.start(scheduler.now());
    }
  }
}
