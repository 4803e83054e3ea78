// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import java.util.List;
import org.sluice.sim.scenario.judge.Figure;
import org.sluice.sim.scenario.judge.Judge;
import org.sluice.sim.scenario.judge.Verdict;
import org.sluice.sim.scenario.plan.Scenario;
import org.sluice.sim.scenario.run.Run;

/**
 * A scenario, run and judged.
 *
 * @param runs in the order of variants, then seeds
 * @param figures in the order of the scenario
 */
public record Result(Scenario scenario, List<Run> runs, List<Figure> figures) {
  public static Result of(Scenario scenario, List<Run> runs) {
    return new Result(scenario, List.copyOf(runs), Judge.figures(scenario, runs));
  }

  /** Whether any figure has failed. */
  public boolean hasFailed() {
    return figures.stream().anyMatch(figure -> figure.verdict() == Verdict.FAIL);
  }
}
