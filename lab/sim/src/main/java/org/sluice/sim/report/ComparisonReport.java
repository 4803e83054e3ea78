// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import java.util.ArrayList;
import java.util.List;
import org.sluice.sim.scenario.plan.TableSpec.Column;

/** Tables of measurements as Markdown that is read as it stands, too. */
public final class ComparisonReport {
  private ComparisonReport() {}

  /** All tables of a result, with an empty line before each; empty where there are none. */
  public static String text(Result result) {
    StringBuilder text = new StringBuilder();
    for (Comparison table : Comparison.of(result)) {
      text.append('\n').append(table.title()).append("\n\n");
      append(text, lines(table));
    }
    return text.toString();
  }

  private static List<List<String>> lines(Comparison table) {
    List<List<String>> lines = new ArrayList<>();
    List<String> head = new ArrayList<>(List.of(table.axis()));
    table.columns().forEach(column -> head.add(head(column)));
    lines.add(head);
    lines.add(head.stream().map(title -> "---").toList());
    for (Comparison.Row row : table.rows()) {
      List<String> cells = new ArrayList<>(List.of(row.name()));
      row.cells().forEach(cell -> cells.add(cell.shown()));
      lines.add(cells);
    }
    return lines;
  }

  private static String head(Column column) {
    return column.unit().isEmpty() ? column.title() : column.title() + ", " + column.unit();
  }

  private static void append(StringBuilder text, List<List<String>> lines) {
    int[] widths = new int[lines.get(0).size()];
    for (List<String> line : lines) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    for (List<String> line : lines) {
      for (int i = 0; i < widths.length; i++) {
        String cell = line.get(i);
        text.append("| ").append(cell).append(" ".repeat(widths[i] - cell.length() + 1));
      }
      text.append("|\n");
    }
  }
}
