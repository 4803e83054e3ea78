// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import org.sluice.sim.event.Scheduler;
import org.sluice.sim.transport.FlowStatistics;
import org.sluice.sim.transport.TcpFlow;

/**
 * Transfers of one flow, one after another, or each at its time; notes how long each took. What the
 * stop has cut short is no transfer, and nothing begins after it.
 */
final class Repetition {
  private final TcpFlow flow;
  private final RecordedCompletions completions;
  private final Scheduler scheduler;
  private final long stopNanos;
  private final long everyNanos;
  private int left;
  private long dueNanos = FlowStatistics.NOT_YET;

  /**
   * @param times how many transfers
   * @param everyNanos from the beginning of one to that of the next; 0: at once. One that is due
   *     while the former goes on follows it at once
   * @param stopNanos when the flow is stopped
   */
  Repetition(
      TcpFlow flow,
      int times,
      long everyNanos,
      long stopNanos,
      RecordedCompletions completions,
      Scheduler scheduler) {
    this.flow = flow;
    this.left = times;
    this.everyNanos = everyNanos;
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
    if (dueNanos == FlowStatistics.NOT_YET) {
      dueNanos = flow.statistics().startNanos();
    }
    dueNanos += everyNanos;
    long next = Math.max(scheduler.now(), dueNanos);
    if (left > 0 && next < stopNanos) {
      flow.start(next);
    }
  }
}
