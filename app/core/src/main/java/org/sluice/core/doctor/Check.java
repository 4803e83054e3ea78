// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import java.util.List;
import java.util.stream.Collectors;
import org.sluice.api.Finding;

/** One line of questions. Knows nothing but the condition that it is given. */
interface Check {
  /** How many names a finding lists before it only counts them. */
  int MOST_NAMES = 5;

  List<Finding> examine(Condition condition);

  /** The first few names, and how many more there are. */
  static String some(List<String> names) {
    String first = names.stream().limit(MOST_NAMES).collect(Collectors.joining(", "));
    return names.size() <= MOST_NAMES
        ? first
        : first + " and " + (names.size() - MOST_NAMES) + " more";
  }

  /** "1 rule", "2 rules". */
  static String count(long number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }
}
