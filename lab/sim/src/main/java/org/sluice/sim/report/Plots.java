// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.sim.scenario.measure.GroupSeries;
import org.sluice.sim.scenario.measure.Timeline;
import org.sluice.sim.scenario.plan.PlotSpec;
import org.sluice.sim.scenario.plan.Scenario;
import org.sluice.sim.scenario.run.Run;

/** Makes plots of runs: of the first seed where a time series or a distribution is drawn. */
final class Plots {
  /** So many points that a curve over time is read rather than guessed. */
  private static final int POINTS = 300;

  private final Result result;

  private Plots(Result result) {
    this.result = result;
  }

  static List<Plot> of(Result result) {
    Plots plots = new Plots(result);
    List<Plot> all = new ArrayList<>();
    for (PlotSpec spec : result.scenario().plots()) {
      plots.grouped(spec).forEach((name, runs) -> all.add(plots.plot(spec, name, runs)));
    }
    return all;
  }

  private Map<String, List<Run>> grouped(PlotSpec spec) {
    Map<String, List<Run>> grouped = new LinkedHashMap<>();
    for (Run run : result.runs()) {
      if (spec.cases().matches(run.variant().name())) {
        String name = spec.each().isEmpty() ? "" : Scenario.combination(run.variant(), spec.each());
        grouped.computeIfAbsent(name, none -> new ArrayList<>()).add(run);
      }
    }
    return grouped;
  }

  private Plot plot(PlotSpec spec, String name, List<Run> runs) {
    String file = name.isEmpty() ? spec.name() : spec.name() + "-" + FileNames.of(name);
    String title = name.isEmpty() ? spec.title() : spec.title() + ": " + name;
    return switch (spec.kind()) {
      case "throughput" ->
          new Plot(file, title, "seconds", "Mbit/s", List.of(), overTime(spec, runs));
      case "cdf" ->
          new Plot(file, title, quantity(spec), "share", List.of(), distributions(spec, runs));
      default -> {
        List<String> places = places(spec, runs);
        List<Curve> curves = alongAxis(spec, runs, places);
        yield new Plot(file, title, spec.x(), spec.unit(), places, curves);
      }
    };
  }

  private static String quantity(PlotSpec spec) {
    return spec.quantity().equals("completion") ? "completion time, ms" : "throughput, Mbit/s";
  }

  private static List<Run> first(List<Run> runs) {
    return runs.stream().filter(run -> run.recording() != null).toList();
  }

  private static List<Curve> overTime(PlotSpec spec, List<Run> runs) {
    List<Curve> curves = new ArrayList<>();
    for (Run run : first(runs)) {
      for (GroupSeries group : groups(spec, run)) {
        curves.add(overTime(label(spec, run, group), group));
      }
    }
    return curves;
  }

  private static Curve overTime(String label, GroupSeries group) {
    Timeline timeline = group.timeline();
    int step = Math.max(1, timeline.bins() / POINTS);
    int points = timeline.bins() / step;
    double[] xs = new double[points];
    double[] ys = new double[points];
    for (int i = 0; i < points; i++) {
      xs[i] = timeline.seconds(i * step + step);
      ys[i] = group.totalMegabits(i * step, i * step + step);
    }
    double mean = group.totalMegabits(0, timeline.bins());
    return new Curve(label + " (mean " + Numbers.shown(Math.rint(mean)) + ")", xs, ys);
  }

  private static List<Curve> distributions(PlotSpec spec, List<Run> runs) {
    List<Curve> curves = new ArrayList<>();
    for (Run run : first(runs)) {
      for (GroupSeries group : groups(spec, run)) {
        double[] values = values(spec, group);
        if (values.length > 0) {
          curves.add(distribution(label(spec, run, group), values));
        }
      }
    }
    return curves;
  }

  private static double[] values(PlotSpec spec, GroupSeries group) {
    if (spec.quantity().equals("completion")) {
      return group.completionMillis();
    }
    int from = group.timeline().reading(spec.window().fromNanos());
    int to = group.timeline().reading(spec.window().toNanos());
    double[] values = new double[group.flows()];
    for (int i = 0; i < values.length; i++) {
      values[i] = group.megabits(i, from, to);
    }
    return values;
  }

  private static Curve distribution(String label, double[] values) {
    double[] xs = values.clone();
    Arrays.sort(xs);
    double[] ys = new double[xs.length];
    for (int i = 0; i < ys.length; i++) {
      ys[i] = (i + 1.0) / ys.length;
    }
    return new Curve(label, xs, ys);
  }

  /** The values of the axis, in the order of the scenario. */
  private static List<String> places(PlotSpec spec, List<Run> runs) {
    return runs.stream().map(run -> run.variant().along(List.of(spec.x()))).distinct().toList();
  }

  /** The mean over the seeds for each value of the axis. */
  private static List<Curve> alongAxis(PlotSpec spec, List<Run> runs, List<String> places) {
    Map<String, Map<String, List<Double>>> curves = new LinkedHashMap<>();
    for (Run run : runs) {
      List<String> others = new ArrayList<>(run.variant().values().keySet());
      others.removeAll(spec.each());
      others.remove(spec.x());
      String label = others.isEmpty() ? spec.metric() : run.variant().along(others);
      curves
          .computeIfAbsent(label, none -> new LinkedHashMap<>())
          .computeIfAbsent(run.variant().along(List.of(spec.x())), none -> new ArrayList<>())
          .add(run.metrics().get(spec.metric()));
    }
    List<Curve> all = new ArrayList<>();
    curves.forEach((label, points) -> all.add(alongAxis(label, points, places)));
    return all;
  }

  private static Curve alongAxis(
      String label, Map<String, List<Double>> points, List<String> places) {
    double[] xs = points.keySet().stream().mapToDouble(places::indexOf).toArray();
    double[] ys =
        points.values().stream()
            .mapToDouble(
                seeds ->
                    seeds.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN))
            .toArray();
    return new Curve(label, xs, ys);
  }

  private static List<GroupSeries> groups(PlotSpec spec, Run run) {
    return run.recording().groups().stream()
        .filter(group -> spec.groups().contains(group.name()))
        .toList();
  }

  private static String label(PlotSpec spec, Run run, GroupSeries group) {
    List<String> axes = new ArrayList<>(run.variant().values().keySet());
    axes.removeAll(spec.each());
    List<String> labels = new ArrayList<>();
    if (spec.groups().size() > 1 || axes.isEmpty()) {
      labels.add(group.name());
    }
    if (!axes.isEmpty()) {
      labels.add(run.variant().along(axes));
    }
    return String.join(" ", labels);
  }
}
