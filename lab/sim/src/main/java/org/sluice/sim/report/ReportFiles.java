// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.sluice.sim.scenario.run.Run;

/** Writes results into files; a reader never sees half of one. */
public final class ReportFiles {
  private ReportFiles() {}

  /**
   * Writes runs.csv, figures.csv, series/CASE.csv of the first seed, the plots, and, where there
   * are tables, tables.md and a picture of each; of random fabrics endpoints.csv and the
   * distribution of their worst deviations.
   */
  public static void writeAll(Result result, Path directory) throws IOException {
    write(directory.resolve("runs.csv"), CsvReport.runs(result));
    write(directory.resolve("figures.csv"), CsvReport.figures(result));
    for (Run run : result.runs()) {
      if (run.recording() != null) {
        String name = FileNames.of(run.variant().name()) + ".csv";
        write(directory.resolve("series").resolve(name), CsvReport.series(run.recording()));
      }
    }
    for (Plot plot : Plots.of(result)) {
      PlotFiles.write(plot, directory);
    }
    List<Run> drawn = result.runs().stream().filter(run -> run.fabric() != null).toList();
    if (!drawn.isEmpty()) {
      write(directory.resolve("endpoints.csv"), FabricReport.csv(drawn));
      PlotFiles.write(FabricReport.plot(result), directory);
    }
    List<Comparison> tables = Comparison.of(result);
    if (!tables.isEmpty()) {
      write(directory.resolve("tables.md"), ComparisonReport.text(result));
    }
    for (Comparison table : tables) {
      ComparisonPicture.write(table, directory);
    }
  }

  public static void writeJson(Result result, Path file) throws IOException {
    write(file, JsonReport.text(result));
  }

  private static void write(Path file, String text) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    Files.createDirectories(directory);
    Path staged = directory.resolve("." + file.getFileName() + ".part");
    Files.writeString(staged, text);
    Files.move(staged, file, StandardCopyOption.REPLACE_EXISTING);
  }
}
