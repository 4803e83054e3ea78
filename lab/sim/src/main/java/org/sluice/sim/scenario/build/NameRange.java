// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names with a range of numbers in them: {@code a[1..7]}, {@code s[2..]}, {@code a[1..3]/web}. */
final class NameRange {
  private static final Pattern RANGE =
      Pattern.compile("([^\\[]*)\\[(\\d{1,6})\\.\\.(\\d{0,6})](.*)");

  private NameRange() {}

  /**
   * The names that a range with both ends stands for; a text without a range stands for itself.
   * Several with commas.
   *
   * @throws IllegalArgumentException if the range has no end, or ends before it begins
   */
  static List<String> expand(String text) {
    List<String> names = new ArrayList<>();
    for (String part : text.split(",")) {
      names.addAll(expandPart(part.strip()));
    }
    return names;
  }

  private static List<String> expandPart(String text) {
    Matcher matcher = RANGE.matcher(text);
    if (!matcher.matches()) {
      if (text.indexOf('[') >= 0) {
        throw new IllegalArgumentException(text + " is not a range");
      }
      return List.of(text);
    }
    if (matcher.group(3).isEmpty() || number(matcher, 3) < number(matcher, 2)) {
      throw new IllegalArgumentException(text + " has no end behind its beginning");
    }
    List<String> names = new ArrayList<>();
    for (int i = number(matcher, 2); i <= number(matcher, 3); i++) {
      names.add(matcher.group(1) + i + matcher.group(4));
    }
    return names;
  }

  /**
   * Those of the names there are that a selector means: a name, a range (perhaps without an end), a
   * beginning with {@code *}; several with commas. In the order of the names.
   */
  static List<String> select(String selector, List<String> names) {
    List<String> selected = new ArrayList<>();
    for (String part : selector.split(",")) {
      List<String> found = selectPart(part.strip(), names);
      if (found.isEmpty()) {
        return List.of();
      }
      selected.addAll(found);
    }
    return selected;
  }

  private static List<String> selectPart(String part, List<String> names) {
    Matcher matcher = RANGE.matcher(part);
    if (!matcher.matches()) {
      String quoted = Pattern.quote(part).replace("*", "\\E.*\\Q");
      return names.stream().filter(name -> name.matches(quoted)).toList();
    }
    int first = number(matcher, 2);
    int last = matcher.group(3).isEmpty() ? Integer.MAX_VALUE : number(matcher, 3);
    Pattern numbered =
        Pattern.compile(
            Pattern.quote(matcher.group(1)) + "(\\d{1,6})" + Pattern.quote(matcher.group(4)));
    List<String> found = new ArrayList<>();
    for (String name : names) {
      Matcher number = numbered.matcher(name);
      if (number.matches() && number(number, 1) >= first && number(number, 1) <= last) {
        found.add(name);
      }
    }
    // A range whose end is named must be there whole.
    boolean whole = last == Integer.MAX_VALUE || found.size() == last - first + 1;
    return whole ? found : List.of();
  }

  private static int number(Matcher matcher, int group) {
    return Integer.parseInt(matcher.group(group));
  }
}
