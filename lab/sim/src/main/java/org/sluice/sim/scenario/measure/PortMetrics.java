// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import java.util.List;
import org.sluice.sim.network.Port;

/** Numbers made of what ports have counted. */
public final class PortMetrics {
  private PortMetrics() {}

  /** IP bytes sent over what could have been sent. */
  public static Metric utilisation(PortSeries port, Window window) {
    Timeline timeline = port.timeline();
    return () ->
        port.utilisation(timeline.reading(window.fromNanos()), timeline.reading(window.toNanos()));
  }

  /** Packets that waited, over time, seen at intervals. */
  public static Metric queue(
      CounterSampler sampler, List<Port> ports, Window window, Statistic statistic) {
    QueueHistogram histogram = sampler.watchQueue(ports, window);
    return () -> histogram.statistic(statistic);
  }

  /** Packets that the ports' queues have refused. */
  public static Metric drops(PortSeries port) {
    return port::droppedPackets;
  }

  /** Packets that the ports' queues have marked. */
  public static Metric marks(PortSeries port) {
    return port::markedPackets;
  }
}
