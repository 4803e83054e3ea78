// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import java.util.Arrays;
import java.util.List;
import org.sluice.sim.event.Event;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Port;

/** How often so many packets waited, sampled in equal intervals of time. */
final class QueueHistogram extends Event {
  private final Scheduler scheduler;
  private final Port[] ports;
  private final Window window;
  private final long intervalNanos;
  private long[] counts = new long[1024];

  QueueHistogram(Scheduler scheduler, List<Port> ports, Window window, long intervalNanos) {
    this.scheduler = scheduler;
    this.ports = ports.toArray(Port[]::new);
    this.window = window;
    this.intervalNanos = intervalNanos;
  }

  void start() {
    scheduler.arm(this, window.fromNanos());
  }

  @Override
  protected void fire() {
    for (Port port : ports) {
      int packets = port.queue().packets();
      if (packets >= counts.length) {
        counts = Arrays.copyOf(counts, Integer.highestOneBit(packets) * 2);
      }
      counts[packets]++;
    }
    if (scheduler.now() + intervalNanos <= window.toNanos()) {
      scheduler.armIn(this, intervalNanos);
    }
  }

  /** A statistic of the packets waiting; NaN if nothing was seen. */
  double statistic(Statistic statistic) {
    return statistic.ofCounts(counts);
  }
}
