// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.plan;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sluice.sim.scenario.document.Fields;

/**
 * Measurements of cases side by side.
 *
 * @param name of its files
 * @param title above it
 * @param rows the axis with a row for each value
 * @param columns at least one
 */
public record TableSpec(String name, String title, String rows, List<Column> columns) {

  /**
   * One column.
   *
   * @param title above it
   * @param unit of its numbers; may be empty
   * @param metrics whose numbers stand in one cell, at least one
   * @param cases which take part, at most one for each row
   * @param instead words in the place of a number, by the rows that have them
   */
  public record Column(
      String title, String unit, List<String> metrics, Glob cases, Map<Glob, String> instead) {

    /** What stands in a row where there is no number. */
    public Optional<String> words(String row) {
      return instead.entrySet().stream()
          .filter(each -> each.getKey().matches(row))
          .map(Map.Entry::getValue)
          .findFirst();
    }
  }

  static TableSpec of(Fields at) {
    return new TableSpec(
        at.text("name", ""),
        at.text("title", ""),
        at.text("rows", ""),
        at.items("columns").stream().map(TableSpec::column).toList());
  }

  private static Column column(Fields at) {
    Map<Glob, String> instead = new LinkedHashMap<>();
    Fields words = at.at("instead");
    words.keys().forEach(rows -> instead.put(new Glob(rows), words.text(rows, "")));
    return new Column(
        at.text("title", ""),
        at.text("unit", ""),
        at.texts("metric"),
        new Glob(at.text("cases", "*")),
        instead);
  }
}
