// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.sim.scenario.judge.Figure;
import org.sluice.sim.scenario.judge.Verdict;

/** The figures as a table in plain text. */
public final class TableReport {
  private static final List<String> HEAD =
      List.of("figure", "unit", "paper", "ours", "low", "high", "tolerance", "verdict");
  private static final int FIRST_NUMBER = 2;
  private static final int LAST_NUMBER = 5;

  private TableReport() {}

  /** With a line for each figure, and one for each reason below, with the figures it is of. */
  public static String text(Result result) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEAD);
    result.figures().forEach(figure -> rows.add(row(figure)));
    StringBuilder text = new StringBuilder();
    text.append(result.scenario().name()).append(": ").append(result.scenario().title());
    text.append("\n\n");
    append(text, rows);
    reasons(result).forEach((reason, names) -> text.append('\n').append(reason.of(names)));
    return text.toString().stripTrailing() + "\n";
  }

  private record Reason(Verdict verdict, String why) {
    String of(List<String> figures) {
      return verdict.label() + ": " + String.join("; ", figures) + ": " + why;
    }
  }

  /** The names of figures by reason, in their order. */
  private static Map<Reason, List<String>> reasons(Result result) {
    Map<Reason, List<String>> reasons = new LinkedHashMap<>();
    for (Figure figure : result.figures()) {
      if (!figure.why().isEmpty()) {
        reasons
            .computeIfAbsent(new Reason(figure.verdict(), figure.why()), none -> new ArrayList<>())
            .add(figure.name());
      }
    }
    return reasons;
  }

  private static List<String> row(Figure figure) {
    return List.of(
        figure.name(),
        figure.unit(),
        figure.paper().isPresent() ? Numbers.shown(figure.paper().getAsDouble()) : "-",
        Numbers.shown(figure.ours()),
        Numbers.shown(figure.low()),
        Numbers.shown(figure.high()),
        figure.tolerance(),
        figure.verdict().label());
  }

  private static void append(StringBuilder text, List<List<String>> rows) {
    int[] widths = new int[HEAD.size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String gap = " ".repeat(widths[i] - row.get(i).length());
        boolean number = i >= FIRST_NUMBER && i <= LAST_NUMBER;
        line.append(number ? gap + row.get(i) : row.get(i) + gap).append("  ");
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
  }
}
