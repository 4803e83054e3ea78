// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.document;

import java.util.ArrayList;
import java.util.List;

/**
 * A dotted path such as {@code flows.tagged.start}; places in lists are numbers from 0. A part that
 * has a dot in it stands in double quotes.
 *
 * @param parts none for the whole document
 */
public record KeyPath(List<String> parts) {
  public static final KeyPath ROOT = new KeyPath(List.of());

  public KeyPath {
    parts = List.copyOf(parts);
  }

  /**
   * @throws IllegalArgumentException if a part is empty or a quote is not closed
   */
  public static KeyPath parse(String text) {
    List<String> parts = new ArrayList<>();
    StringBuilder part = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"') {
        quoted = !quoted;
      } else if (c == '.' && !quoted) {
        addPart(parts, part, text);
      } else {
        part.append(c);
      }
    }
    if (quoted) {
      throw new IllegalArgumentException("the key " + text + " has a quote that is not closed");
    }
    addPart(parts, part, text);
    return new KeyPath(parts);
  }

  private static void addPart(List<String> parts, StringBuilder part, String text) {
    if (part.isEmpty()) {
      throw new IllegalArgumentException("the key \"" + text + "\" has an empty part");
    }
    parts.add(part.toString());
    part.setLength(0);
  }

  public KeyPath child(String part) {
    List<String> longer = new ArrayList<>(parts);
    longer.add(part);
    return new KeyPath(longer);
  }

  public KeyPath child(int index) {
    return child(Integer.toString(index));
  }

  /** The whole document's is itself. */
  public KeyPath parent() {
    return parts.isEmpty() ? this : new KeyPath(parts.subList(0, parts.size() - 1));
  }

  /** Empty for the whole document. */
  public String last() {
    return parts.isEmpty() ? "" : parts.get(parts.size() - 1);
  }

  public boolean startsWith(KeyPath other) {
    return parts.size() >= other.parts.size()
        && parts.subList(0, other.parts.size()).equals(other.parts);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (String part : parts) {
      text.append(text.isEmpty() ? "" : ".");
      text.append(part.indexOf('.') < 0 ? part : '"' + part + '"');
    }
    return text.toString();
  }
}
