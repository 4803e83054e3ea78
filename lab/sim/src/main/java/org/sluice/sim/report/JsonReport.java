// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Comparator;
import java.util.List;
import org.sluice.sim.scenario.judge.Figure;
import org.sluice.sim.scenario.measure.EndpointShare;
import org.sluice.sim.scenario.run.Run;

/**
 * The result as JSON: runs by case and seed, figures by name, metrics by name. Apart from {@code
 * cpuSeconds} and {@code peakMegabytes} the text depends on nothing but the scenario.
 */
public final class JsonReport {
  private static final MathContext DIGITS = new MathContext(9);

  private JsonReport() {}

  /** The whole document, with a line end at its end. */
  public static String text(Result result) {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    document.put("scenario", result.scenario().name());
    document.put("seeds", result.scenario().runSeeds().size());
    ArrayNode runs = document.putArray("runs");
    result.runs().stream()
        .sorted(Comparator.comparing((Run run) -> run.variant().name()).thenComparingInt(Run::seed))
        .forEach(run -> runs.add(json(run)));
    ArrayNode figures = document.putArray("figures");
    result.figures().stream()
        .sorted(Comparator.comparing(Figure::name))
        .forEach(figure -> figures.add(json(figure)));
    List<FabricSummary> fabrics = FabricSummary.of(result);
    if (!fabrics.isEmpty()) {
      ArrayNode array = document.putArray("fabrics");
      fabrics.forEach(summary -> array.add(json(summary)));
    }
    List<Comparison> tables = Comparison.of(result);
    if (!tables.isEmpty()) {
      ArrayNode array = document.putArray("tables");
      tables.forEach(table -> array.add(json(table)));
    }
    DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
    DefaultPrettyPrinter printer = new DefaultPrettyPrinter();
    printer.indentObjectsWith(indenter);
    printer.indentArraysWith(indenter);
    try {
      return new ObjectMapper().writer(printer).writeValueAsString(document) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the result cannot be written as JSON", e);
    }
  }

  private static ObjectNode json(Run run) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("case", run.variant().name());
    json.put("seed", run.seed());
    json.put("packetHops", run.packetHops());
    json.put("events", run.events());
    put(json, "cpuSeconds", run.cpuSeconds());
    put(json, "peakMegabytes", run.peakMegabytes());
    ObjectNode metrics = json.putObject("metrics");
    run.metrics().forEach((name, value) -> put(metrics, name, value));
    if (run.fabric() != null) {
      json.put("fabric", run.fabric().words());
    }
    if (!run.endpoints().isEmpty()) {
      ArrayNode endpoints = json.putArray("endpoints");
      run.endpoints().forEach(each -> endpoints.add(json(each)));
    }
    return json;
  }

  private static ObjectNode json(EndpointShare share) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("endpoint", share.endpoint());
    put(json, "due", share.dueMegabits());
    put(json, "got", share.gotMegabits());
    put(json, "deviation", share.deviation());
    return json;
  }

  private static ObjectNode json(FabricSummary summary) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("case", summary.variant());
    ArrayNode rows = json.putArray("rows");
    for (FabricSummary.Row row : summary.rows()) {
      ObjectNode added = rows.addObject();
      added.put("name", row.name());
      added.put("fabrics", row.fabrics());
      put(added, "median", row.median());
      put(added, "p90", row.p90());
      put(added, "p99", row.p99());
      put(added, "worst", row.worst());
    }
    ArrayNode bad = json.putArray("bad");
    for (FabricSummary.Bad each : summary.bad()) {
      ObjectNode added = json(each.worst());
      added.put("seed", each.seed());
      added.put("fabric", each.fabric().words());
      bad.add(added);
    }
    return json;
  }

  private static ObjectNode json(Figure figure) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("name", figure.name());
    put(json, "paper", figure.paper().orElse(Double.NaN));
    put(json, "ours", figure.ours());
    put(json, "low", figure.low());
    put(json, "high", figure.high());
    json.put("tolerance", figure.tolerance());
    json.put("verdict", figure.verdict().label());
    if (!figure.why().isEmpty()) {
      json.put("why", figure.why());
    }
    return json;
  }

  private static ObjectNode json(Comparison table) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("name", table.name());
    ArrayNode cells = json.putArray("cells");
    for (Comparison.Row row : table.rows()) {
      for (int i = 0; i < row.cells().size(); i++) {
        cells.add(json(row.name(), table.columns().get(i).title(), row.cells().get(i)));
      }
    }
    return json;
  }

  private static ObjectNode json(String row, String column, Comparison.Cell cell) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("row", row);
    json.put("column", column);
    if (!cell.words().isEmpty()) {
      json.put("words", cell.words());
      return json;
    }
    ObjectNode metrics = json.putObject("metrics");
    cell.intervals()
        .forEach(
            (metric, interval) -> {
              ObjectNode numbers = metrics.putObject(metric);
              put(numbers, "mean", interval.mean());
              put(numbers, "halfWidth95", interval.halfWidth());
            });
    return json;
  }

  /** Null for what is not a number: JSON has no other value for it. */
  private static void put(ObjectNode json, String name, double value) {
    if (Double.isFinite(value)) {
      json.put(name, new BigDecimal(value).round(DIGITS).doubleValue());
    } else {
      json.putNull(name);
    }
  }
}
