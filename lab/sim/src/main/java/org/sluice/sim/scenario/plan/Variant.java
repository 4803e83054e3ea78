// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.sluice.sim.scenario.document.ScenarioDocument;

/**
 * A variant of a scenario: one value of each axis of {@code cases}. In files, options and results
 * it is called a case.
 *
 * @param name the values with slashes between them
 * @param values by axis, in the order of the scenario
 * @param document what the combination sets is in it
 */
public record Variant(String name, Map<String, String> values, ScenarioDocument document) {

  /** The values along some axes, with slashes between them; axes it has not are left out. */
  public String along(List<String> axes) {
    List<String> some = new ArrayList<>();
    for (String axis : axes) {
      if (values.containsKey(axis)) {
        some.add(values.get(axis));
      }
    }
    return String.join("/", some);
  }
}
