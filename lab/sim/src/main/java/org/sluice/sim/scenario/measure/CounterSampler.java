// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.sluice.sim.event.Event;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Port;

/**
 * Reads the counters of a running simulation at the times of a timeline. All memory is taken before
 * the start.
 */
public final class CounterSampler extends Event {
  private final Scheduler scheduler;
  private final Timeline timeline;
  private final long queueIntervalNanos;
  private final Map<String, GroupSeries> groups = new LinkedHashMap<>();
  private final Map<String, PortSeries> ports = new LinkedHashMap<>();
  private final List<CounterSeries> counters = new ArrayList<>();
  private final List<QueueHistogram> histograms = new ArrayList<>();
  private GroupSeries[] readGroups;
  private PortSeries[] readPorts;
  private CounterSeries[] readCounters;
  private int reading;

  /**
   * @param queueIntervalNanos between two readings of a queue, for percentiles; above 0
   */
  public CounterSampler(Scheduler scheduler, Timeline timeline, long queueIntervalNanos) {
    this.scheduler = scheduler;
    this.timeline = timeline;
    this.queueIntervalNanos = queueIntervalNanos;
  }

  public Timeline timeline() {
    return timeline;
  }

  public GroupSeries watch(TrafficGroup group) {
    return groups.computeIfAbsent(group.name(), none -> new GroupSeries(group, timeline));
  }

  /**
   * @param name the selector of the ports, by which they are known
   */
  public PortSeries watch(String name, List<Port> watched) {
    return ports.computeIfAbsent(name, none -> new PortSeries(name, watched, timeline));
  }

  /** Watches a counter that only grows. */
  public CounterSeries watch(LongSupplier counter) {
    CounterSeries series = new CounterSeries(counter, timeline);
    counters.add(series);
    return series;
  }

  QueueHistogram watchQueue(List<Port> watched, Window window) {
    QueueHistogram histogram = new QueueHistogram(scheduler, watched, window, queueIntervalNanos);
    histograms.add(histogram);
    return histogram;
  }

  /** To be called once, at time 0, when all that is watched is known. */
  public void start() {
    readGroups = groups.values().toArray(GroupSeries[]::new);
    readPorts = ports.values().toArray(PortSeries[]::new);
    readCounters = counters.toArray(CounterSeries[]::new);
    histograms.forEach(QueueHistogram::start);
    scheduler.arm(this, 0);
  }

  /** Ends the observation: metrics can no longer be requested. */
  public Recording end() {
    groups.values().forEach(GroupSeries::end);
    ports.values().forEach(PortSeries::end);
    counters.forEach(CounterSeries::end);
    return new Recording(timeline, List.copyOf(groups.values()), List.copyOf(ports.values()));
  }

  @Override
  protected void fire() {
    for (GroupSeries group : readGroups) {
      group.read(reading);
    }
    for (PortSeries port : readPorts) {
      port.read(reading);
    }
    for (CounterSeries counter : readCounters) {
      counter.read(reading);
    }
    if (reading++ < timeline.bins()) {
      scheduler.armIn(this, timeline.binNanos());
    }
  }
}
