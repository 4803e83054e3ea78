// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.sim.scenario.judge.Figure;
import org.sluice.sim.scenario.judge.Verdict;

/** The forms that results take. */
class ReportsTest {
  private static Result result;

  @BeforeAll
  static void run() {
    result =
        Reports.tiny(
            1,
            "figures=[{name: z, metric: steady, unit: Mbit/s, cases: none, paper: 40, tolerance: 5 %},"
                + " {name: \"a, b\", metric: utilisation, cases: sluice, atLeast: 2,"
                + " explained: {why: nothing holds twice as much}},"
                + " {name: m, metric: steady, cases: none, atMost: 1},"
                + " {name: n, metric: steady, paper: 80, tolerance: 5 %,"
                + " notReproduced: {measured: [20, 50], why: nobody knows}}]");
  }

  private static List<String> names(JsonNode node) {
    List<String> names = new ArrayList<>();
    node.fieldNames().forEachRemaining(names::add);
    return names;
  }

  @Test
  void jsonHasTheAgreedForm() throws IOException {
    String text = JsonReport.text(result);
    JsonNode json = new ObjectMapper().readTree(text);

    assertThat(text).endsWith("}\n");
    assertThat(names(json)).containsExactly("scenario", "seeds", "runs", "figures");
    assertThat(json.get("scenario").asText()).isEqualTo("tiny");
    assertThat(json.get("seeds").asInt()).isEqualTo(2);
    assertThat(json.get("runs")).hasSize(4);
    JsonNode run = json.get("runs").get(1);
    assertThat(names(run))
        .containsExactly(
            "case", "seed", "packetHops", "events", "cpuSeconds", "peakMegabytes", "metrics");
    assertThat(run.get("case").asText()).isEqualTo("none");
    assertThat(run.get("seed").asInt()).isEqualTo(2);
    assertThat(names(run.get("metrics")))
        .containsExactly("elastic", "queue", "steady", "utilisation");
  }

  @Test
  void jsonFiguresAreSortedAndExplained() throws IOException {
    JsonNode figures = new ObjectMapper().readTree(JsonReport.text(result)).get("figures");

    assertThat(figures.findValuesAsText("name"))
        .containsExactly("a, b: sluice", "m: none", "n: none", "n: sluice", "z: none");
    assertThat(names(figures.get(0)))
        .containsExactly("name", "paper", "ours", "low", "high", "tolerance", "verdict", "why");
    assertThat(names(figures.get(1)))
        .containsExactly("name", "paper", "ours", "low", "high", "tolerance", "verdict");
    assertThat(figures.get(0).get("paper").isNull()).isTrue();
    assertThat(figures.findValuesAsText("verdict"))
        .containsExactly("explained", "fail", "not reproduced", "not reproduced", "pass");
    assertThat(figures.get(2).get("why").asText()).isEqualTo("nobody knows");
    assertThat(result.hasFailed()).isTrue();
  }

  @Test
  void theTableHasALineForEachFigure() {
    List<String> lines = TableReport.text(result).lines().toList();

    assertThat(lines.get(0)).isEqualTo("tiny: Two senders for a fifth of a second");
    assertThat(lines.get(2)).matches("figure +unit +paper +ours +low +high +tolerance +verdict");
    assertThat(lines.get(3)).matches("z: none +Mbit/s +40 +\\S+ +\\S+ +\\S+ +\\+-5 % +pass");
    assertThat(lines.get(4)).matches("a, b: sluice +- +\\S+ +\\S+ +\\S+ +>= 2 +explained");
    assertThat(lines.subList(lines.size() - 2, lines.size()))
        .containsExactly(
            "explained: a, b: sluice: nothing holds twice as much",
            "not reproduced: n: none; n: sluice: nobody knows");
  }

  @Test
  void figureThatIsNotReproducedDoesNotFail() {
    Result known =
        Reports.tiny(
            1,
            "figures=[{name: n, metric: steady, paper: 80, tolerance: 5 %,"
                + " notReproduced: {measured: [20, 50], why: nobody knows}}]");

    assertThat(known.figures()).extracting(Figure::verdict).containsOnly(Verdict.NOT_REPRODUCED);
    assertThat(known.hasFailed()).isFalse();
  }

  @Test
  void tablesHaveARowPerValueAndTextForMissingNumbers(@TempDir Path directory) throws IOException {
    Result compared =
        Reports.tiny(
            1,
            "tables=[{name: t, title: A table, rows: law, columns: ["
                + "{title: used, metric: utilisation},"
                + " {title: both, unit: Mbit/s, metric: [steady, elastic], instead: {none: no law}},"
                + " {title: one, metric: queue, cases: sluice}]}]");

    List<String> lines = ComparisonReport.text(compared).lines().toList();
    assertThat(lines.subList(0, 2)).containsExactly("", "A table");
    assertThat(lines.get(3)).matches("\\| law +\\| used +\\| both, Mbit/s +\\| one +\\|");
    assertThat(lines.get(4)).matches("\\| --- +\\| --- +\\| --- +\\| --- +\\|");
    String number = "[0-9.]+( ± [0-9.]+)?";
    assertThat(lines.get(5)).matches("\\| none +\\| " + number + " +\\| no law +\\| not run +\\|");
    assertThat(lines.get(6))
        .matches("\\| sluice +\\| " + number + " +\\| " + number + " / " + number + " .*");
    assertThat(lines).hasSize(7);

    JsonNode table = new ObjectMapper().readTree(JsonReport.text(compared)).get("tables").get(0);
    assertThat(table.get("name").asText()).isEqualTo("t");
    assertThat(table.get("cells")).hasSize(6);
    assertThat(table.get("cells").get(1).get("words").asText()).isEqualTo("no law");
    JsonNode both = table.get("cells").get(4);
    assertThat(both.get("row").asText() + " " + both.get("column").asText())
        .isEqualTo("sluice both");
    assertThat(names(both.get("metrics"))).containsExactly("steady", "elastic");
    assertThat(names(both.get("metrics").get("steady"))).containsExactly("mean", "halfWidth95");

    ReportFiles.writeAll(compared, directory);
    assertThat(directory.resolve("tables.md")).hasContent(ComparisonReport.text(compared));
    assertThat(ImageIO.read(directory.resolve("t.png").toFile()).getWidth()).isEqualTo(3 * 460);
  }

  /** A logarithmic axis has no 0. */
  @Test
  void wideRangesArePlotted(@TempDir Path directory) throws IOException {
    Result compared =
        Reports.tiny(
            1,
            "cases=[{law: {none: {flows.steady.rate: 0.1 Mbit/s}, much: {}}}]",
            "plots=[]",
            "figures=[]",
            "tables=[{name: t, title: A table, rows: law, columns: ["
                + "{title: rate, metric: steady}]}]");

    ReportFiles.writeAll(compared, directory);

    assertThat(compared.runs().get(0).metrics().get("steady")).isBetween(0.01, 0.5);
    assertThat(ImageIO.read(directory.resolve("t.png").toFile()).getWidth()).isEqualTo(460);
  }

  @Test
  void noTableIsWrittenWithoutTables() {
    assertThat(ComparisonReport.text(result)).isEmpty();
    assertThat(Comparison.of(result)).isEmpty();
  }

  @Test
  void csvQuotesWhereItMust() {
    List<String> runs = CsvReport.runs(result).lines().toList();
    List<String> figures = CsvReport.figures(result).lines().toList();
    List<String> series = CsvReport.series(result.runs().get(0).recording()).lines().toList();

    assertThat(runs.get(0))
        .isEqualTo(
            "case,seed,packetHops,events,cpuSeconds,peakMegabytes,elastic,queue,steady,utilisation");
    assertThat(runs).hasSize(5);
    assertThat(figures.get(2)).startsWith("\"a, b: sluice\",,,");
    assertThat(series.get(0))
        .isEqualTo(
            "seconds,steady Mbit/s,elastic Mbit/s,left>right utilisation,left>right packets");
    assertThat(series).hasSize(21);
    assertThat(series.get(20)).startsWith("0.2,");
  }

  @Test
  void filesAreWrittenAndPlotsAreNotEmpty(@TempDir Path directory) throws IOException {
    ReportFiles.writeAll(result, directory);
    ReportFiles.writeJson(result, directory.resolve("below").resolve("result.json"));

    try (var files = Files.list(directory)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder(
              "below",
              "figures.csv",
              "runs.csv",
              "series",
              "rates-none.png",
              "rates-none.svg",
              "rates-sluice.png",
              "rates-sluice.svg",
              "spread.png",
              "spread.svg",
              "used.png",
              "used.svg");
    }
    assertThat(directory.resolve("series/none.csv")).isRegularFile();
    assertThat(directory.resolve("below/result.json")).hasContent(JsonReport.text(result));
    assertThat(ImageIO.read(directory.resolve("rates-none.png").toFile()).getWidth())
        .isEqualTo(900);
    String drawing = Files.readString(directory.resolve("rates-none.svg"));
    assertThat(drawing.contains("<svg")).isTrue();
    assertThat(drawing.length()).isGreaterThan(5000);
  }
}
