// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import org.sluice.sim.event.Scheduler;
import org.sluice.sim.transport.TcpFlow;

/** Transfers of one flow, one after another; notes how long each took. */
final class Repetition {
  private final TcpFlow flow;
  private final RecordedCompletions completions;
  private final Scheduler scheduler;
  private int left;

  Repetition(TcpFlow flow, int times, RecordedCompletions completions, Scheduler scheduler) {
    this.flow = flow;
    this.left = times;
    this.completions = completions;
    this.scheduler = scheduler;
  }

  void completed() {
    completions.add(flow.statistics().completionNanos() - flow.statistics().startNanos());
    left--;
  }

  void closed() {
    if (left > 0) {
      flow.start(scheduler.now());
    }
  }
}
