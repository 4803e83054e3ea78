// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sluice.sim.scenario.Fixtures;
import org.sluice.sim.scenario.plan.Scenario;
import org.sluice.sim.scenario.plan.Variant;
import org.sluice.sim.scenario.run.Run;

/** Verdicts on made-up runs of the tiny scenario: "steady" is 40, 42 without law, 30, 34 with. */
class JudgeTest {
  private static List<Figure> judge(String figure) {
    Scenario scenario = Fixtures.tiny("figures=[" + figure + "]");
    List<Run> runs = new ArrayList<>();
    double[][] values = {{40, 42}, {30, 34}};
    for (int i = 0; i < 2; i++) {
      Variant variant = scenario.variants().get(i);
      for (int seed = 1; seed <= 2; seed++) {
        Map<String, Double> metrics =
            Map.of("steady", values[i][seed - 1], "elastic", 0.02, "queue", Double.NaN);
        runs.add(new Run(variant, seed, 0, 0, 0, 0, metrics, null, List.of(), null));
      }
    }
    return Judge.figures(scenario, runs);
  }

  @Test
  void judgesAFigurePerCombination() {
    List<Figure> figures = judge("{name: f, metric: steady, paper: 40, tolerance: 5 %}");

    assertThat(figures).extracting(Figure::name).containsExactly("f: none", "f: sluice");
    assertThat(figures).extracting(Figure::ours).containsExactly(41.0, 32.0);
    assertThat(figures).extracting(Figure::low).containsExactly(40.0, 30.0);
    assertThat(figures).extracting(Figure::high).containsExactly(42.0, 34.0);
    assertThat(figures).extracting(Figure::verdict).containsExactly(Verdict.PASS, Verdict.FAIL);
    assertThat(figures.get(0).tolerance()).isEqualTo("+-5 %");
    assertThat(figures.get(0).paper()).hasValue(40);
  }

  @Test
  void onlyValuesOfThePaperAreJudged() {
    assertThat(judge("{name: f, metric: steady, paper: {sluice: 32}, tolerance: 1 %}"))
        .extracting(Figure::name, Figure::verdict)
        .containsExactly(tuple("f: sluice", Verdict.PASS));
  }

  @Test
  void casesCanBeAggregated() {
    String figure = "{name: f, metric: steady, cases: \"*\", per: [], over: %s, atLeast: %s}";
    // An axis that all have in common folds nothing; none at all means every case by itself.
    assertThat(judge(figure.formatted("min", "31"))).hasSize(2);
    assertThat(judge("{name: f, metric: steady, per: [law], over: max, atMost: 41}"))
        .extracting(Figure::verdict)
        .containsExactly(Verdict.PASS, Verdict.PASS);
  }

  @Test
  void boundsAreInclusive() {
    assertThat(judge("{name: f, metric: steady, cases: none, atLeast: 41, atMost: 41}"))
        .extracting(Figure::verdict, Figure::tolerance)
        .containsExactly(tuple(Verdict.PASS, "41 .. 41"));
    assertThat(judge("{name: f, metric: steady, cases: none, atLeast: 41.1}").get(0).verdict())
        .isEqualTo(Verdict.FAIL);
  }

  @Test
  void explainedFigureMustMeetItsCondition() {
    String figure =
        "{name: f, metric: steady, cases: none, paper: 20, tolerance: 5 %%, explained: {metric:"
            + " elastic, atMost: %s, why: it is a lottery}}";
    Figure explained = judge(figure.formatted("0.03")).get(0);
    Figure failed = judge(figure.formatted("0.01")).get(0);

    assertThat(explained.verdict()).isEqualTo(Verdict.EXPLAINED);
    assertThat(explained.why()).isEqualTo("it is a lottery");
    assertThat(failed.verdict()).isEqualTo(Verdict.FAIL);
    assertThat(failed.why()).isEmpty();
  }

  @Test
  void figureNotReproducedMustStayInItsMeasuredRange() {
    String figure =
        "{name: f, metric: steady, paper: 20, tolerance: 5 %%, notReproduced: {measured: {none: %s},"
            + " why: nobody knows}}";
    assertThat(judge(figure.formatted("[40, 42]")))
        .extracting(Figure::name, Figure::verdict, Figure::why, Figure::tolerance)
        .containsExactly(
            tuple("f: none", Verdict.NOT_REPRODUCED, "nobody knows", "+-5 %; known 40 .. 42"),
            tuple("f: sluice", Verdict.FAIL, "", "+-5 %"));
    // The mean, 41, lies in these, but not each seed.
    assertThat(judge(figure.formatted("[40.1, 42]")).get(0).verdict()).isEqualTo(Verdict.FAIL);
    assertThat(judge(figure.formatted("[40, 41.9]")).get(0).verdict()).isEqualTo(Verdict.FAIL);
  }

  @Test
  void singleRangeMayCoverAllCombinations() {
    assertThat(
            judge(
                "{name: f, metric: steady, atMost: 20, notReproduced: {measured: [30, 42],"
                    + " why: nobody knows}}"))
        .extracting(Figure::verdict)
        .containsExactly(Verdict.NOT_REPRODUCED, Verdict.NOT_REPRODUCED);
  }

  @Test
  void figureNotReproducedThatMatchesIsDetected() {
    String figure =
        "{name: f, metric: steady, cases: none, paper: 41, tolerance: 5 %%, notReproduced:"
            + " {measured: %s, why: nobody knows}}";
    assertThat(judge(figure.formatted("[50, 60]")))
        .extracting(Figure::verdict, Figure::why)
        .containsExactly(tuple(Verdict.FAIL, ""));
    // Not so where the range reaches that far: of several seeds some may meet the expectation.
    assertThat(judge(figure.formatted("[40, 60]")))
        .extracting(Figure::verdict, Figure::why)
        .containsExactly(tuple(Verdict.PASS, ""));
  }

  @Test
  void missingMeasurementIsUnknown() {
    Figure figure =
        judge(
                "{name: f, metric: queue, cases: none, atMost: 100, notReproduced: {measured:"
                    + " [0, 1], why: nobody knows}}")
            .get(0);

    assertThat(figure.verdict()).isEqualTo(Verdict.FAIL);
  }

  @Test
  void worstSeedCountsIfRequested() {
    String figure = "{name: f, metric: steady, cases: none, seeds: %s, %s}";

    assertThat(judge(figure.formatted("mean", "atLeast: 41")).get(0).verdict())
        .isEqualTo(Verdict.PASS);
    Figure least = judge(figure.formatted("worst", "atLeast: 41")).get(0);
    assertThat(least.verdict()).isEqualTo(Verdict.FAIL);
    assertThat(least.ours()).isEqualTo(41);
    assertThat(least.tolerance()).isEqualTo(">= 41 each seed");
    assertThat(judge(figure.formatted("worst", "atMost: 41")).get(0).verdict())
        .isEqualTo(Verdict.FAIL);
    assertThat(judge(figure.formatted("worst", "atLeast: 40, atMost: 42")).get(0).verdict())
        .isEqualTo(Verdict.PASS);
    assertThat(judge(figure.formatted("worst", "paper: 41, tolerance: 2 %")).get(0).verdict())
        .isEqualTo(Verdict.FAIL);
    assertThat(judge(figure.formatted("worst", "paper: 41, tolerance: 3 %")).get(0).verdict())
        .isEqualTo(Verdict.PASS);
  }

  @Test
  void caseIsComparedWithAnotherOfTheSameCombination() {
    Scenario scenario =
        Fixtures.tiny(
            "cases=[{law: {x: {}, y: {}}, n: {1: {}, 2: {}, 3: {}}}]",
            "plots=[]",
            "figures=[{name: f, metric: steady, cases: y/*, per: [n], above: \"x/1, x/2\"}]");
    List<Run> runs = new ArrayList<>();
    double[] values = {1, 5, 9, 2, 5, 1};
    for (int i = 0; i < values.length; i++) {
      Map<String, Double> metrics = Map.of("steady", values[i]);
      runs.add(new Run(scenario.variants().get(i), 1, 0, 0, 0, 0, metrics, null, List.of(), null));
    }
    assertThat(Judge.figures(scenario, runs))
        .extracting(Figure::name, Figure::verdict, Figure::tolerance)
        .containsExactly(tuple("f: 1", Verdict.PASS, "> 1"), tuple("f: 2", Verdict.FAIL, "> 5"));
  }

  @Test
  void figureCanBeRelativeToAnotherCasePerSeed() {
    Scenario scenario =
        Fixtures.tiny(
            "cases=[{law: {x: {}, y: {}}, n: {1: {}, 2: {}}}]",
            "plots=[]",
            "figures=[{name: f, metric: steady, cases: y/*, per: [n], relativeTo: x/*, atMost: 0.6}]");
    List<Run> runs = new ArrayList<>();
    double[][] values = {{10, 20}, {10, 20}, {4, 12}, {6, 16}};
    for (int i = 0; i < values.length; i++) {
      for (int seed = 1; seed <= 2; seed++) {
        Map<String, Double> metrics = Map.of("steady", values[i][seed - 1]);
        runs.add(
            new Run(scenario.variants().get(i), seed, 0, 0, 0, 0, metrics, null, List.of(), null));
      }
    }
    List<Figure> figures = Judge.figures(scenario, runs);
    assertThat(figures)
        .extracting(Figure::name, Figure::ours, Figure::verdict)
        .containsExactly(tuple("f: 1", 0.5, Verdict.PASS), tuple("f: 2", 0.7, Verdict.FAIL));
    assertThat(figures.get(0).low()).isEqualTo(0.4);
    assertThat(figures.get(0).high()).isEqualTo(0.6);
  }

  @Test
  void missingMeasurementFails() {
    Figure figure = judge("{name: f, metric: queue, cases: none, atMost: 100}").get(0);

    assertThat(figure.verdict()).isEqualTo(Verdict.FAIL);
    assertThat(figure.ours()).isNaN();
  }

  @Test
  void meanIsOverSeedsOfTheAggregateOverCases() {
    Scenario scenario =
        Fixtures.tiny(
            "cases=[{law: {x: {}}, n: {1: {}, 2: {}}}]",
            "plots=[]",
            "figures=[{name: f, metric: steady, per: [law], over: min, atLeast: 0}]");
    List<Run> runs = new ArrayList<>();
    double[][] values = {{1, 8}, {5, 2}};
    for (int i = 0; i < 2; i++) {
      for (int seed = 1; seed <= 2; seed++) {
        runs.add(
            new Run(
                scenario.variants().get(i),
                seed,
                0,
                0,
                0,
                0,
                Map.of("steady", values[i][seed - 1]),
                null,
                List.of(),
                null));
      }
    }

    Figure figure = Judge.figures(scenario, runs).get(0);

    assertThat(figure.name()).isEqualTo("f: x");
    assertThat(figure.ours()).isCloseTo(1.5, within(1e-9));
    assertThat(figure.low()).isEqualTo(1);
    assertThat(figure.high()).isEqualTo(2);
  }
}
