// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.sim.scenario.plan.Glob;
import org.sluice.sim.scenario.plan.Scenario;
import org.sluice.sim.scenario.run.Progress;
import org.sluice.sim.scenario.run.Runner;

/** The quick form of the comparison of all systems, as far as its incast is concerned. */
class SystemsTest {
  private static final Path FILE = Path.of("scenarios", "compare.yaml");

  @Test
  void everyCellOfASystemHasANumberOrText() throws IOException {
    Scenario scenario =
        Scenario.read(
            FILE.toString(), Files.readString(FILE), List.of(), true, new Glob("incast 40/*"));
    Result result = Result.of(scenario, new Runner(scenario, Progress.SILENT).run(1));

    Comparison incast =
        Comparison.of(result).stream()
            .filter(table -> table.name().equals("incast"))
            .findFirst()
            .orElseThrow();
    assertThat(incast.rows()).hasSize(14);
    for (Comparison.Row row : incast.rows()) {
      assertThat(row.cells()).hasSameSizeAs(incast.columns());
      assertThat(row.cells())
          .as(row.name())
          .extracting(Comparison.Cell::shown)
          .noneMatch(cell -> cell.contains("-") || cell.equals("not run"));
    }
    assertThat(result.hasFailed()).isFalse();
  }
}
