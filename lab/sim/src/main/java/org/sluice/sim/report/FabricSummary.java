// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.sluice.sim.fabric.Fabric;
import org.sluice.sim.scenario.document.Fields;
import org.sluice.sim.scenario.measure.EndpointShare;
import org.sluice.sim.scenario.measure.Statistic;
import org.sluice.sim.scenario.plan.Scenario;
import org.sluice.sim.scenario.plan.Variant;
import org.sluice.sim.scenario.run.Run;

/**
 * What came of a case's random fabrics.
 *
 * @param variant the case
 * @param rows distributions over the fabrics
 * @param bad fabrics with an endpoint that is far from what it is due, the worst first
 */
record FabricSummary(String variant, List<Row> rows, List<Bad> bad) {
  /** From so much on an endpoint is far from what it is due, as a part of that. */
  static final double FAR = 0.05;

  /**
   * A number over the fabrics.
   *
   * @param fabrics of how many there is one
   */
  record Row(String name, int fabrics, double median, double p90, double p99, double worst) {}

  /**
   * @param worst its endpoint that is farthest from what it is due
   */
  record Bad(int seed, Fabric fabric, EndpointShare worst) {}

  /** One for each case; none where fabrics are not random. */
  static List<FabricSummary> of(Result result) {
    List<FabricSummary> all = new ArrayList<>();
    for (Variant variant : result.scenario().chosen()) {
      List<Run> runs =
          result.runs().stream()
              .filter(run -> run.variant().name().equals(variant.name()) && run.fabric() != null)
              .toList();
      if (!runs.isEmpty()) {
        all.add(new FabricSummary(variant.name(), rows(result.scenario(), runs), bad(runs)));
      }
    }
    return all;
  }

  private static List<Row> rows(Scenario scenario, List<Run> runs) {
    List<Row> rows = new ArrayList<>();
    addDeviation(rows, "worst endpoint, %", runs, run -> true);
    for (Fabric.Shape shape : Fabric.Shape.values()) {
      addDeviation(rows, "of them " + shape.label(), runs, run -> run.fabric().shape() == shape);
    }
    addDeviation(rows, "without on-off senders", runs, run -> !run.fabric().hasTurns());
    addDeviation(rows, "with on-off senders", runs, run -> run.fabric().hasTurns());
    addMetric(rows, "queue p99, packets", scenario, "queue", runs, true);
    addMetric(rows, "least utilisation of a full port", scenario, "utilisation", runs, false);
    return rows;
  }

  private static void addDeviation(
      List<Row> rows, String name, List<Run> runs, Predicate<Run> which) {
    double[] values =
        runs.stream()
            .filter(which)
            .filter(run -> !run.endpoints().isEmpty())
            .mapToDouble(run -> 100 * Math.abs(worst(run).deviation()))
            .toArray();
    add(rows, name, values, true);
  }

  private static void addMetric(
      List<Row> rows,
      String name,
      Scenario scenario,
      String what,
      List<Run> runs,
      boolean isMoreWorse) {
    Fields measure = scenario.root().at("measure");
    for (String metric : measure.keys()) {
      if (measure.at(metric).text("kind", "").equals("fabric")
          && measure.at(metric).text("what", "").equals(what)) {
        double[] values =
            runs.stream()
                .mapToDouble(run -> run.metrics().get(metric))
                .filter(value -> !Double.isNaN(value))
                .toArray();
        add(rows, name, values, isMoreWorse);
      }
    }
  }

  private static void add(List<Row> rows, String name, double[] values, boolean isMoreWorse) {
    if (values.length > 0) {
      rows.add(
          new Row(
              name,
              values.length,
              statistic("p50", values),
              statistic(isMoreWorse ? "p90" : "p10", values),
              statistic(isMoreWorse ? "p99" : "p1", values),
              statistic(isMoreWorse ? "max" : "min", values)));
    }
  }

  private static double statistic(String name, double[] values) {
    return Statistic.named(name).of(values);
  }

  private static List<Bad> bad(List<Run> runs) {
    return runs.stream()
        .filter(run -> !run.endpoints().isEmpty())
        .map(run -> new Bad(run.seed(), run.fabric(), worst(run)))
        .filter(each -> Math.abs(each.worst.deviation()) > FAR)
        .sorted(Comparator.comparingDouble(each -> -Math.abs(each.worst.deviation())))
        .toList();
  }

  /** The endpoint that is farthest from what it is due. */
  static EndpointShare worst(Run run) {
    return run.endpoints().stream()
        .max(Comparator.comparingDouble(each -> Math.abs(each.deviation())))
        .orElseThrow();
  }
}
