// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.sluice.sim.scenario.plan.TableSpec;
import org.sluice.sim.scenario.plan.TableSpec.Column;
import org.sluice.sim.scenario.run.Run;

/**
 * A table of measurements, filled.
 *
 * @param columns those of which something has run
 * @param rows in the order of the scenario
 */
record Comparison(String name, String title, String axis, List<Column> columns, List<Row> rows) {

  /**
   * One row.
   *
   * @param cells as many as there are columns
   */
  record Row(String name, List<Cell> cells) {}

  /**
   * One cell.
   *
   * @param intervals of the column's metrics, by name; none where there are words
   * @param words why there is no number; empty where there is one
   */
  record Cell(Map<String, Interval> intervals, String words) {
    String shown() {
      if (!words.isEmpty()) {
        return words;
      }
      List<String> numbers = intervals.values().stream().map(Interval::shown).toList();
      return String.join(" / ", numbers);
    }
  }

  /** In the order of the scenario; tables of which nothing has run are left out. */
  static List<Comparison> of(Result result) {
    return result.scenario().tables().stream()
        .map(spec -> of(spec, result.runs()))
        .filter(table -> !table.columns().isEmpty())
        .toList();
  }

  private static Comparison of(TableSpec spec, List<Run> runs) {
    List<Column> columns =
        spec.columns().stream().filter(column -> runs.stream().anyMatch(in(column))).toList();
    Set<String> names = new LinkedHashSet<>();
    for (Run run : runs) {
      boolean isShown = columns.stream().anyMatch(column -> in(column).test(run));
      if (isShown && run.variant().values().containsKey(spec.rows())) {
        names.add(row(run, spec));
      }
    }
    List<Row> rows = new ArrayList<>();
    for (String name : names) {
      List<Run> own = runs.stream().filter(run -> name.equals(row(run, spec))).toList();
      rows.add(new Row(name, columns.stream().map(column -> cell(column, name, own)).toList()));
    }
    return new Comparison(spec.name(), spec.title(), spec.rows(), columns, rows);
  }

  private static String row(Run run, TableSpec spec) {
    return run.variant().values().get(spec.rows());
  }

  private static Predicate<Run> in(Column column) {
    return run -> column.cases().matches(run.variant().name());
  }

  private static Cell cell(Column column, String row, List<Run> runs) {
    Optional<String> words = column.words(row);
    if (words.isPresent()) {
      return new Cell(Map.of(), words.get());
    }
    List<Run> seeds = runs.stream().filter(in(column)).toList();
    if (seeds.isEmpty()) {
      return new Cell(Map.of(), "not run");
    }
    Map<String, Interval> intervals = new LinkedHashMap<>();
    for (String metric : column.metrics()) {
      double[] numbers = seeds.stream().mapToDouble(run -> run.metrics().get(metric)).toArray();
      intervals.put(metric, Interval.of(numbers));
    }
    return new Cell(intervals, "");
  }
}
