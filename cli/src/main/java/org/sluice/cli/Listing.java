// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.sluice.api.MegabitRate;

/**
 * How things of one kind are listed: named columns, shown as an aligned table or as JSON with the
 * names that REST uses.
 *
 * <p>A column's value may be null, a string, a number, a boolean, a list of these, or a map to
 * these; for JSON also JSON.
 */
final class Listing<T> {
  private static final String GAP = "  ";
  private static final String NONE = "-";

  /** Exact: 50 must not come out as 5E+1. */
  private static final JsonNodeFactory NODES = JsonNodeFactory.withExactBigDecimals(true);

  private final String key;
  private final String name;
  private final List<Column<T>> columns = new ArrayList<>();

  /**
   * A listing without columns yet.
   *
   * @param name what the rows are, in the plural
   */
  Listing(String name) {
    this(name, name);
  }

  /**
   * A listing without columns yet.
   *
   * @param key what the rows are in JSON
   * @param name what the rows are, in the plural
   */
  Listing(String key, String name) {
    this.key = key;
    this.name = name;
  }

  /** Adds a column that both forms show. */
  Listing<T> column(String key, String header, Function<T, Object> value) {
    return column(key, header, value, value);
  }

  /** Adds a column that the table shows in another form. */
  Listing<T> column(
      String key, String header, Function<T, Object> value, Function<T, Object> tableValue) {
    columns.add(new Column<>(key, header, value, tableValue));
    return this;
  }

  /** Adds a column that only JSON shows, for the table has it in another. */
  Listing<T> jsonColumn(String key, Function<T, Object> value) {
    columns.add(new Column<>(key, null, value, null));
    return this;
  }

  /** The rows below their headers, or a line that says that there are none. */
  String table(Collection<T> rows) {
    if (rows.isEmpty()) {
      return "There are no " + name + ".";
    }
    List<Column<T>> shown =
        columns.stream().filter(column -> column.header != null).collect(Collectors.toList());
    List<String[]> lines = new ArrayList<>();
    lines.add(shown.stream().map(column -> column.header).toArray(String[]::new));
    for (T row : rows) {
      lines.add(shown.stream().map(c -> text(c.tableValue.apply(row))).toArray(String[]::new));
    }
    int[] widths = new int[shown.size()];
    for (String[] line : lines) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], line[i].length());
      }
    }
    boolean[] numeric = new boolean[shown.size()];
    for (int i = 0; i < numeric.length; i++) {
      Function<T, Object> value = shown.get(i).tableValue;
      numeric[i] = rows.stream().map(value).anyMatch(Number.class::isInstance);
    }
    return lines.stream()
        .map(line -> align(line, widths, numeric))
        .collect(Collectors.joining(System.lineSeparator()));
  }

  /** Adds a rate: bit/s in JSON, Mbit/s in the table; null is none. */
  Listing<T> rate(String key, String header, Function<T, Long> bitsPerSecond) {
    return column(key, header, bitsPerSecond::apply, row -> megabits(bitsPerSecond.apply(row)));
  }

  static BigDecimal megabits(Long bitsPerSecond) {
    return bitsPerSecond == null ? null : MegabitRate.fromBits(bitsPerSecond);
  }

  /** The rows as an array under the listing's name. */
  ObjectNode json(Collection<T> rows) {
    ObjectNode json = NODES.objectNode();
    ArrayNode all = json.putArray(key);
    for (T row : rows) {
      ObjectNode one = all.addObject();
      columns.forEach(column -> one.set(column.key, node(column.value.apply(row))));
    }
    return json;
  }

  private static String align(String[] line, int[] widths, boolean[] numeric) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < line.length; i++) {
      char[] padding = new char[widths[i] - line[i].length()];
      Arrays.fill(padding, ' ');
      text.append(i == 0 ? "" : GAP);
      if (numeric[i]) {
        text.append(padding).append(line[i]);
      } else {
        text.append(line[i]).append(padding);
      }
    }
    return text.toString().stripTrailing();
  }

  private static String text(Object value) {
    if (value == null) {
      return NONE;
    }
    if (value instanceof Boolean) {
      return (Boolean) value ? "yes" : "no";
    }
    if (value instanceof Map) {
      return ((Map<?, ?>) value)
          .values().stream().map(String::valueOf).collect(Collectors.joining("/"));
    }
    if (value instanceof List) {
      List<?> list = (List<?>) value;
      return list.isEmpty()
          ? NONE
          : list.stream().map(Listing::text).collect(Collectors.joining(", "));
    }
    return value.toString().isEmpty() ? NONE : value.toString();
  }

  private static JsonNode node(Object value) {
    if (value == null) {
      return NODES.nullNode();
    }
    if (value instanceof JsonNode) {
      return (JsonNode) value;
    }
    if (value instanceof Boolean) {
      return NODES.booleanNode((Boolean) value);
    }
    if (value instanceof BigDecimal) {
      return NODES.numberNode((BigDecimal) value);
    }
    if (value instanceof Number) {
      return NODES.numberNode(((Number) value).longValue());
    }
    if (value instanceof Map) {
      ObjectNode object = NODES.objectNode();
      ((Map<?, ?>) value).forEach((key, one) -> object.set(key.toString(), node(one)));
      return object;
    }
    if (value instanceof List) {
      ArrayNode array = NODES.arrayNode();
      ((List<?>) value).forEach(element -> array.add(node(element)));
      return array;
    }
    return NODES.textNode(value.toString());
  }

  private static final class Column<T> {
    private final String key;
    private final String header;
    private final Function<T, Object> value;
    private final Function<T, Object> tableValue;

    private Column(
        String key, String header, Function<T, Object> value, Function<T, Object> tableValue) {
      this.key = key;
      this.header = header;
      this.value = value;
      this.tableValue = tableValue;
    }
  }
}
