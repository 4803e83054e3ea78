// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Network;
import org.sluice.sim.scenario.document.Fields;
import org.sluice.sim.scenario.document.KeyPath;
import org.sluice.sim.scenario.document.ScenarioDocument;
import org.sluice.sim.scenario.measure.CounterSampler;
import org.sluice.sim.scenario.measure.EndpointShare;
import org.sluice.sim.scenario.measure.Metric;
import org.sluice.sim.scenario.measure.Recording;
import org.sluice.sim.scenario.measure.Timeline;

/** One variant with one seed, ready to run. Belongs to one thread. */
public final class Simulation {
  private static final long DEFAULT_BIN_NANOS = 10_000_000;
  private static final long DEFAULT_QUEUE_INTERVAL_NANOS = 50_000;

  private final Scheduler scheduler;
  private final BuiltScenario built;
  private final CounterSampler sampler;
  private final Map<String, Metric> metrics;

  private Simulation(Fields root, long seed) {
    scheduler = new Scheduler(-root.at("control").nanos("lead", 0));
    built = new BuiltScenario(new Network(scheduler, new RandomStreams(seed)));
    Timeline timeline = timeline(root);
    TopologyBuilder.build(built.network(), root.at("topology"), root.at("queues"));
    LawBuilder.build(root, built);
    new TrafficBuilder(built, root.at("tcp"), timeline.durationNanos()).build(root.at("flows"));
    Fields sampling = root.at("sampling");
    long queueInterval = sampling.nanos("queue", DEFAULT_QUEUE_INTERVAL_NANOS);
    if (queueInterval == 0) {
      throw sampling.problem("queue", "it must be above 0", "such as 50 us");
    }
    sampler = new CounterSampler(scheduler, timeline, queueInterval);
    built.groups().values().forEach(sampler::watch);
    metrics = MetricBuilder.metrics(root.at("measure"), built, sampler);
    sampler.start();
  }

  /**
   * Builds a variant.
   *
   * @throws org.sluice.sim.scenario.document.ScenarioException if the schema has let something pass
   *     that cannot be
   */
  public static Simulation of(ScenarioDocument document, long seed) {
    return new Simulation(new Fields(document, KeyPath.ROOT), seed);
  }

  private static Timeline timeline(Fields root) {
    long duration = root.nanos("duration", 0);
    long bin = root.at("sampling").nanos("throughput", DEFAULT_BIN_NANOS);
    if (bin == 0 || duration % bin != 0 || duration < bin) {
      throw root.problem(
          "duration",
          "it is not a whole number of sampling.throughput (" + bin / 1e6 + " ms)",
          "make one fit the other");
    }
    if (duration / bin > 1_000_000) {
      throw root.problem(
          "duration",
          "there would be more than a million readings of every counter",
          "make sampling.throughput longer");
    }
    return new Timeline(bin, duration);
  }

  /** Goes on to a time, ns from the start. */
  public void runUntil(long nanos) {
    scheduler.runUntil(nanos);
  }

  public long durationNanos() {
    return sampler.timeline().durationNanos();
  }

  /** What was read; to be evaluated at the end, after the metrics. */
  public Recording recording() {
    return sampler.end();
  }

  /** What each endpoint was due and got, where that is measured; before {@link #recording}. */
  public List<EndpointShare> endpointShares() {
    return built.endpointShares();
  }

  public long packetHops() {
    return built.network().packetHops();
  }

  public long events() {
    return scheduler.fired();
  }

  /** The measurements by name; to be evaluated at the end. */
  public Map<String, Double> metrics() {
    Map<String, Double> values = new TreeMap<>();
    metrics.forEach((name, metric) -> values.put(name, metric.value()));
    return values;
  }
}
