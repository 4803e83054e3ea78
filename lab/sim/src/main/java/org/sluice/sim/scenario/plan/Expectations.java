// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.List;
import org.sluice.sim.scenario.document.Fields;
import org.sluice.sim.scenario.document.KeyPath;
import org.sluice.sim.scenario.document.Origin;
import org.sluice.sim.scenario.document.Problem;
import org.sluice.sim.scenario.document.ScenarioDocument;
import org.sluice.sim.scenario.document.ScenarioException;
import org.sluice.sim.scenario.document.YamlReader;

/**
 * Figures by a file that stands beside a scenario: {@code NAME.expected.json} has numbers by name,
 * and what the scenario measures as NAME, NAMEMin, NAMEMean and NAMEMax must be near each, with
 * every seed.
 */
public final class Expectations {
  private static final String TOLERANCE = "4 %";
  private static final List<String> SUFFIXES = List.of("", "Min", "Mean", "Max");

  private Expectations() {}

  /**
   * The scenario's figures and those of the file.
   *
   * @param source of the scenario
   * @param expected the name of the other file
   * @throws ScenarioException if one of them is wrong
   */
  public static Setting figures(String source, String text, String expected, String expectedText) {
    ScenarioDocument document = YamlReader.read(source, text);
    Fields root = new Fields(document, KeyPath.ROOT);
    List<String> measured = root.at("measure").keys();
    ArrayNode figures = JsonNodeFactory.instance.arrayNode();
    if (root.has("figures")) {
      root.raw("figures").forEach(figures::add);
    }
    Origin origin = new Origin(expected, 0);
    JsonNode numbers = YamlReader.value(expected, expectedText);
    numbers
        .properties()
        .forEach(
            each -> {
              List<String> metrics = metrics(each.getKey(), measured);
              if (metrics.isEmpty() || !each.getValue().isNumber()) {
                throw new ScenarioException(
                    new Problem(
                        origin,
                        each.getKey(),
                        "this is not a number of something that is measured",
                        "give a number, and measure "
                            + each.getKey()
                            + " or "
                            + each.getKey()
                            + "Mean"));
              }
              for (String metric : metrics) {
                figures
                    .addObject()
                    .put("name", metric)
                    .put("unit", "Mbit/s")
                    .put("metric", metric)
                    .put("tolerance", TOLERANCE)
                    .put("seeds", "worst")
                    .set("paper", each.getValue());
              }
            });
    return new Setting(KeyPath.ROOT.child("figures"), figures, origin);
  }

  private static List<String> metrics(String name, List<String> measured) {
    List<String> metrics = new ArrayList<>();
    for (String suffix : SUFFIXES) {
      if (measured.contains(name + suffix)) {
        metrics.add(name + suffix);
      }
    }
    return metrics;
  }
}
