// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.judge;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.sluice.sim.scenario.plan.Bounds;
import org.sluice.sim.scenario.plan.FigureSpec;
import org.sluice.sim.scenario.plan.Glob;
import org.sluice.sim.scenario.plan.Scenario;
import org.sluice.sim.scenario.run.Run;

/** Makes figures of runs. */
public final class Judge {
  private Judge() {}

  /** In the order of the scenario; figures of variants that did not run are left out. */
  public static List<Figure> figures(Scenario scenario, List<Run> runs) {
    List<Figure> figures = new ArrayList<>();
    for (FigureSpec spec : scenario.figures()) {
      Map<String, Double> floors = floors(spec, runs);
      combinations(spec, spec.cases(), runs)
          .forEach(
              (name, some) -> {
                if (spec.above() == null || floors.containsKey(name)) {
                  double floor = floors.getOrDefault(name, Double.NEGATIVE_INFINITY);
                  figures.add(figure(spec, name, floor, some));
                }
              });
    }
    return figures;
  }

  /** What ours must exceed, by combination. */
  private static Map<String, Double> floors(FigureSpec spec, List<Run> runs) {
    Map<String, Double> floors = new LinkedHashMap<>();
    if (spec.above() != null) {
      combinations(spec, spec.above(), runs)
          .forEach((name, some) -> floors.put(name, mean(bySeed(spec, spec.metric(), some))));
    }
    return floors;
  }

  private static Map<String, List<Run>> combinations(FigureSpec spec, Glob cases, List<Run> runs) {
    Map<String, List<Run>> combinations = new LinkedHashMap<>();
    for (Run run : runs) {
      String combination = Scenario.combination(run.variant(), spec.per());
      if (cases.matches(run.variant().name()) && spec.judges(combination)) {
        combinations.computeIfAbsent(combination, none -> new ArrayList<>()).add(run);
      }
    }
    return combinations;
  }

  private static Figure figure(FigureSpec spec, String combination, double floor, List<Run> runs) {
    double[] bySeed = bySeed(spec, spec.metric(), runs);
    double ours = mean(bySeed);
    boolean holds = holds(spec, combination, ours) && ours > floor;
    boolean explained = !holds && isExplained(spec, runs);
    Verdict verdict = holds ? Verdict.PASS : explained ? Verdict.EXPLAINED : Verdict.FAIL;
    return new Figure(
        combination.isEmpty() || runs.get(0).variant().values().isEmpty()
            ? spec.name()
            : spec.name() + ": " + combination,
        spec.unit(),
        spec.paper(combination),
        ours,
        Arrays.stream(bySeed).min().orElse(Double.NaN),
        Arrays.stream(bySeed).max().orElse(Double.NaN),
        tolerance(spec, floor),
        verdict,
        explained ? spec.explanation().why() : "");
  }

  private static boolean holds(FigureSpec spec, String combination, double ours) {
    boolean near = true;
    if (!Double.isNaN(spec.tolerance())) {
      double paper = spec.paper(combination).orElseThrow();
      near = Math.abs(ours - paper) <= spec.tolerance() * Math.abs(paper);
    }
    return near && spec.bounds().hold(ours);
  }

  private static boolean isExplained(FigureSpec spec, List<Run> runs) {
    if (spec.explanation() == null) {
      return false;
    }
    Bounds bounds = spec.explanation().bounds();
    return bounds.isNone() || bounds.hold(mean(bySeed(spec, spec.explanation().metric(), runs)));
  }

  /** One number for each seed, made of all variants. */
  private static double[] bySeed(FigureSpec spec, String metric, List<Run> runs) {
    Map<Integer, List<Double>> values = new TreeMap<>();
    for (Run run : runs) {
      values.computeIfAbsent(run.seed(), none -> new ArrayList<>()).add(run.metrics().get(metric));
    }
    return values.values().stream().mapToDouble(some -> fold(spec.over(), some)).toArray();
  }

  private static double fold(String over, List<Double> values) {
    double[] all = values.stream().mapToDouble(Double::doubleValue).toArray();
    return switch (over) {
      case "min" -> Arrays.stream(all).min().orElseThrow();
      case "max" -> Arrays.stream(all).max().orElseThrow();
      default -> mean(all);
    };
  }

  private static double mean(double[] values) {
    return Arrays.stream(values).sum() / values.length;
  }

  private static String tolerance(FigureSpec spec, double floor) {
    List<String> parts = new ArrayList<>();
    if (!Double.isNaN(spec.tolerance())) {
      parts.add("+-" + number(spec.tolerance() * 100) + " %");
    }
    Bounds bounds = spec.bounds();
    boolean below = Double.isInfinite(bounds.atMost());
    boolean above = Double.isInfinite(bounds.atLeast());
    if (!below && !above) {
      parts.add(number(bounds.atLeast()) + " .. " + number(bounds.atMost()));
    } else if (!above) {
      parts.add(">= " + number(bounds.atLeast()));
    } else if (!below) {
      parts.add("<= " + number(bounds.atMost()));
    }
    if (spec.above() != null) {
      parts.add("> " + (Double.isNaN(floor) ? "nothing measured" : number(floor)));
    }
    return String.join(", ", parts);
  }

  private static String number(double value) {
    return new BigDecimal(value, new MathContext(6)).stripTrailingZeros().toPlainString();
  }
}
