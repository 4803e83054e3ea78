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
import java.util.function.DoublePredicate;
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
      Map<String, double[]> bases = bases(spec, runs);
      combinations(spec, spec.cases(), runs)
          .forEach(
              (name, some) -> {
                boolean comparable =
                    (spec.above() == null || floors.containsKey(name))
                        && (spec.relativeTo() == null || bases.containsKey(name));
                if (comparable) {
                  double floor = floors.getOrDefault(name, Double.NEGATIVE_INFINITY);
                  double[] ours = relative(bySeed(spec, spec.metric(), some), bases.get(name));
                  figures.add(figure(spec, name, floor, some, ours));
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

  /** What ours is divided by, by combination: a number for each seed. */
  private static Map<String, double[]> bases(FigureSpec spec, List<Run> runs) {
    Map<String, double[]> bases = new LinkedHashMap<>();
    if (spec.relativeTo() != null) {
      combinations(spec, spec.relativeTo(), runs)
          .forEach((name, some) -> bases.put(name, bySeed(spec, spec.metric(), some)));
    }
    return bases;
  }

  /** Every case has run with the same seeds. */
  private static double[] relative(double[] ours, double[] base) {
    if (base != null) {
      Arrays.setAll(ours, i -> ours[i] / base[i]);
    }
    return ours;
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

  private static Figure figure(
      FigureSpec spec, String combination, double floor, List<Run> runs, double[] bySeed) {
    double ours = mean(bySeed);
    boolean holds = isMet(spec, bySeed, value -> holds(spec, combination, value, floor));
    Verdict verdict =
        spec.measured(combination)
            .map(range -> verdictOfKnown(holds, range, bySeed))
            .orElseGet(() -> verdict(holds, spec, runs));
    return new Figure(
        combination.isEmpty() || runs.get(0).variant().values().isEmpty()
            ? spec.name()
            : spec.name() + ": " + combination,
        spec.unit(),
        spec.paper(combination),
        ours,
        Arrays.stream(bySeed).min().orElse(Double.NaN),
        Arrays.stream(bySeed).max().orElse(Double.NaN),
        tolerance(spec, combination, floor),
        verdict,
        why(spec, verdict));
  }

  /**
   * Of a number that is known not to come out: a change of it is a failure, for better or worse.
   */
  private static Verdict verdictOfKnown(boolean holds, Bounds range, double[] bySeed) {
    if (!Arrays.stream(bySeed).allMatch(range::hold)) {
      return Verdict.FAIL;
    }
    return holds ? Verdict.PASS : Verdict.NOT_REPRODUCED;
  }

  private static Verdict verdict(boolean holds, FigureSpec spec, List<Run> runs) {
    if (holds) {
      return Verdict.PASS;
    }
    return isExplained(spec, runs) ? Verdict.EXPLAINED : Verdict.FAIL;
  }

  private static String why(FigureSpec spec, Verdict verdict) {
    return switch (verdict) {
      case EXPLAINED -> spec.explanation().why();
      case NOT_REPRODUCED -> spec.notReproduced().why();
      case PASS, FAIL -> "";
    };
  }

  /** Whether the expectation is met by the mean, or by each seed where the worst one counts. */
  private static boolean isMet(FigureSpec spec, double[] bySeed, DoublePredicate asked) {
    return spec.everySeed()
        ? bySeed.length > 0 && Arrays.stream(bySeed).allMatch(asked)
        : asked.test(mean(bySeed));
  }

  private static boolean holds(FigureSpec spec, String combination, double ours, double floor) {
    boolean near = true;
    if (!Double.isNaN(spec.tolerance())) {
      double paper = spec.paper(combination).orElseThrow();
      near = Math.abs(ours - paper) <= spec.tolerance() * Math.abs(paper);
    }
    return near && spec.bounds().hold(ours) && ours > floor;
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

  private static String tolerance(FigureSpec spec, String combination, double floor) {
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
    String asked = String.join(", ", parts) + (spec.everySeed() ? " each seed" : "");
    return spec.measured(combination)
        .map(
            range -> asked + "; known " + number(range.atLeast()) + " .. " + number(range.atMost()))
        .orElse(asked);
  }

  private static String number(double value) {
    return new BigDecimal(value, new MathContext(6)).stripTrailingZeros().toPlainString();
  }
}
