// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.plan;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.sluice.sim.scenario.document.Fields;

/**
 * Numbers of a paper that do not come out here, why, and what comes out instead. The ranges keep
 * the reason honest: once a number leaves its range, whichever way, the reason is to be evaluated
 * again.
 *
 * @param measured where every seed has lain, by combination; under the empty combination for all
 * @param why for the reader
 */
public record NotReproduced(Map<String, Bounds> measured, String why) {
  private static final String MEASURED = "measured";

  /** Null where the figure has none. */
  static NotReproduced of(Fields figure) {
    if (!figure.has("notReproduced")) {
      return null;
    }
    Fields at = figure.at("notReproduced");
    Map<String, Bounds> measured = new TreeMap<>();
    JsonNode ranges = at.raw(MEASURED);
    if (ranges.isArray()) {
      measured.put("", range(at, MEASURED));
    } else {
      Fields each = at.at(MEASURED);
      each.keys().forEach(combination -> measured.put(combination, range(each, combination)));
    }
    return new NotReproduced(measured, at.text("why", ""));
  }

  private static Bounds range(Fields at, String key) {
    JsonNode range = at.raw(key);
    double low = range.get(0).asDouble();
    double high = range.get(1).asDouble();
    if (low > high) {
      throw at.problem(key, "its ends are the wrong way round", "give [" + high + ", " + low + "]");
    }
    return new Bounds(low, high);
  }

  /** The range of a combination; none where the figure is judged as any other. */
  public Optional<Bounds> measured(String combination) {
    return Optional.ofNullable(measured.getOrDefault(combination, measured.get("")));
  }

  /** The combinations that are named; the empty one stands for all. */
  Set<String> combinations() {
    return measured.keySet();
  }
}
