// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.plan;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import org.sluice.sim.scenario.document.Fields;

/**
 * Numbers to be judged: one for each combination of values along some axes.
 *
 * @param name of the number; the combination is added where there are several
 * @param metric what is judged
 * @param unit of the metric; may be empty
 * @param cases which take part
 * @param per the axes; empty for all
 * @param over how the cases of one combination become one number: mean, min or max
 * @param papers the paper's values by combination; under the empty combination one for all
 * @param tolerance how far ours may be from the paper's, as a part of it; NaN where there is none
 * @param bounds where ours must lie
 * @param relativeTo cases whose number of the same combination and seed ours is divided by; null
 *     for none
 * @param above cases whose number of the same combination ours must exceed; null for none
 * @param everySeed whether tolerance and bounds hold for each seed, not of the seeds' mean
 * @param explanation null for none
 * @param notReproduced null for none
 */
public record FigureSpec(
    String name,
    String metric,
    String unit,
    Glob cases,
    List<String> per,
    String over,
    Map<String, Double> papers,
    double tolerance,
    Bounds bounds,
    Glob relativeTo,
    Glob above,
    boolean everySeed,
    Explanation explanation,
    NotReproduced notReproduced) {

  /**
   * Why a number that lies elsewhere is all right, if a condition holds.
   *
   * @param metric what the condition is about
   * @param bounds where it must lie
   * @param why for the reader
   */
  public record Explanation(String metric, Bounds bounds, String why) {}

  static FigureSpec of(Fields at) {
    FigureSpec figure =
        new FigureSpec(
            at.text("name", ""),
            at.text("metric", ""),
            at.text("unit", ""),
            new Glob(at.text("cases", "*")),
            at.texts("per"),
            at.text("over", "mean"),
            papers(at),
            at.fraction("tolerance", Double.NaN),
            Bounds.of(at),
            at.has("relativeTo") ? new Glob(at.text("relativeTo", "")) : null,
            at.has("above") ? new Glob(at.text("above", "")) : null,
            at.text("seeds", "mean").equals("worst"),
            explanation(at),
            NotReproduced.of(at));
    figure.check(at);
    return figure;
  }

  private void check(Fields at) {
    boolean tolerant = !Double.isNaN(tolerance);
    if (!tolerant && bounds.isNone() && above == null) {
      throw at.problem(
          "", "this figure has no expectation", "give tolerance, atLeast, atMost or above");
    }
    if (above != null && per.isEmpty()) {
      throw at.problem("above", "no axis says what to compare", "give per: axes of both");
    }
    if (relativeTo != null && per.isEmpty()) {
      throw at.problem("relativeTo", "no axis says what to compare", "give per: axes of both");
    }
    if (relativeTo != null && above != null) {
      throw at.problem("above", "the figure has relativeTo too", "give one of them");
    }
    if (tolerant && papers.isEmpty()) {
      throw at.problem("tolerance", "there is no value to be near to", "give paper too");
    }
    if (explanation != null && notReproduced != null) {
      throw at.problem(
          "notReproduced", "the figure has explained too", "give one of them: either it is known");
    }
  }

  private static Map<String, Double> papers(Fields at) {
    Map<String, Double> papers = new TreeMap<>();
    JsonNode paper = at.raw("paper");
    if (paper != null && paper.isNumber()) {
      papers.put("", paper.asDouble());
    } else {
      for (String combination : at.at("paper").keys()) {
        papers.put(combination, at.at("paper").number(combination, 0));
      }
    }
    return papers;
  }

  private static Explanation explanation(Fields at) {
    if (!at.has("explained")) {
      return null;
    }
    Fields explained = at.at("explained");
    String metric = explained.text("metric", at.text("metric", ""));
    return new Explanation(metric, Bounds.of(explained), explained.text("why", ""));
  }

  /** The paper's value for a combination, if it gives one. */
  public OptionalDouble paper(String combination) {
    Double value = papers.getOrDefault(combination, papers.get(""));
    return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
  }

  /** Where every seed of a combination has lain that is known not to meet the expectation. */
  public Optional<Bounds> measured(String combination) {
    return notReproduced == null ? Optional.empty() : notReproduced.measured(combination);
  }

  /** Whether a combination is judged: where papers are given one by one, only those. */
  public boolean judges(String combination) {
    return papers.isEmpty() || paper(combination).isPresent();
  }
}
