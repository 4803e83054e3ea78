// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.run;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.sluice.sim.fabric.Fabric;
import org.sluice.sim.scenario.build.Simulation;
import org.sluice.sim.scenario.document.ScenarioDocument;
import org.sluice.sim.scenario.plan.RandomTopology;
import org.sluice.sim.scenario.plan.Scenario;
import org.sluice.sim.scenario.plan.Variant;

/** Runs every chosen variant of a scenario with every seed. */
public final class Runner {
  private static final int STEPS = 200;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final Scenario scenario;
  private final Progress progress;

  public Runner(Scenario scenario, Progress progress) {
    this.scenario = scenario;
    this.progress = progress;
  }

  /** Builds all variants once, to find what is wrong before anything runs. */
  public static void check(Scenario scenario) {
    int seed = scenario.runSeeds().get(0);
    scenario
        .chosen()
        .forEach(each -> simulation(each, RandomTopology.of(each.document(), seed), seed));
  }

  private static Simulation simulation(Variant variant, Optional<Fabric> fabric, int seed) {
    ScenarioDocument document = variant.document();
    return Simulation.of(
        fabric.map(drawn -> RandomTopology.with(document, drawn)).orElse(document), seed);
  }

  /**
   * Runs all.
   *
   * @param jobs how many at once, at least 1; makes no difference to the result
   * @return in the order of variants, then seeds
   * @throws IllegalStateException if a run breaks down, which no scenario should bring about
   */
  public List<Run> run(int jobs) {
    ExecutorService threads = Executors.newFixedThreadPool(jobs);
    try (HeapWatch heap = new HeapWatch()) {
      List<Future<Run>> running = new ArrayList<>();
      for (Variant each : scenario.chosen()) {
        for (int seed : scenario.runSeeds()) {
          running.add(threads.submit(() -> run(each, seed, heap)));
        }
      }
      List<Run> runs = new ArrayList<>();
      for (Future<Run> run : running) {
        runs.add(run.get());
      }
      return runs;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause().getMessage(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } finally {
      threads.shutdownNow();
    }
  }

  private Run run(Variant variant, int seed, HeapWatch heap) {
    AtomicLong peakBytes = heap.begin();
    long cpuNanos = THREADS.getCurrentThreadCpuTime();
    try {
      Optional<Fabric> fabric = RandomTopology.of(variant.document(), seed);
      Simulation simulation = simulation(variant, fabric, seed);
      for (int step = 1; step <= STEPS; step++) {
        simulation.runUntil(simulation.durationNanos() / STEPS * step);
        progress.advanced(1.0 / STEPS);
      }
      simulation.runUntil(simulation.durationNanos());
      cpuNanos = THREADS.getCurrentThreadCpuTime() - cpuNanos;
      double peakMegabytes = heap.end(peakBytes);
      Run run =
          new Run(
              variant,
              seed,
              simulation.packetHops(),
              simulation.events(),
              cpuNanos / 1e9,
              peakMegabytes,
              simulation.metrics(),
              fabric.orElse(null),
              simulation.endpointShares(),
              seed == scenario.runSeeds().get(0) ? simulation.recording() : null);
      progress.finished(run);
      return run;
    } catch (RuntimeException e) {
      throw new IllegalStateException(
          "case " + variant.name() + ", seed " + seed + ": " + e.getMessage(), e);
    }
  }
}
