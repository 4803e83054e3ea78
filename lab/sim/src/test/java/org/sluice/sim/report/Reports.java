// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import org.sluice.sim.scenario.Fixtures;
import org.sluice.sim.scenario.plan.Scenario;
import org.sluice.sim.scenario.run.Progress;
import org.sluice.sim.scenario.run.Runner;

/** Results to be reported. */
final class Reports {
  private Reports() {}

  static Result tiny(int jobs, String... settings) {
    Scenario scenario = Fixtures.tiny(settings);
    return Result.of(scenario, new Runner(scenario, Progress.SILENT).run(jobs));
  }
}
