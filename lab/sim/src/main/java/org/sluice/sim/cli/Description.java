// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.sluice.sim.scenario.document.Fields;
import org.sluice.sim.scenario.document.KeyPath;
import org.sluice.sim.scenario.document.ScenarioDocument;
import org.sluice.sim.scenario.plan.FigureSpec;
import org.sluice.sim.scenario.plan.RandomTopology;
import org.sluice.sim.scenario.plan.Scenario;
import org.sluice.sim.scenario.plan.Variant;

/** A scenario in words. */
final class Description {
  private static final List<String> SECTIONS =
      List.of(
          "topology",
          "queues",
          "tcp",
          "flows",
          "policy",
          "tenants",
          "changes",
          "law",
          "control",
          "measure");

  private Description() {}

  /** Of a random network, the one of the first seed to be run. */
  static String of(Scenario scenario) {
    StringBuilder text = new StringBuilder();
    text.append(scenario.name()).append(": ").append(scenario.title()).append('\n');
    if (!scenario.source().isEmpty()) {
      text.append("source: ").append(scenario.source()).append('\n');
    }
    if (!scenario.about().isEmpty()) {
      text.append('\n').append(scenario.about()).append('\n');
    }
    Fields root = drawn(scenario);
    text.append("\nduration: ").append(root.text("duration", ""));
    text.append(", seeds: ").append(scenario.runSeeds().size()).append('\n');
    for (String section : SECTIONS) {
      if (root.has(section)) {
        text.append('\n').append(section).append('\n');
        append(text, root.raw(section), "  ");
      }
    }
    appendCases(text, scenario);
    appendFigures(text, scenario);
    return text.toString();
  }

  private static Fields drawn(Scenario scenario) {
    ScenarioDocument base = scenario.root().document();
    return RandomTopology.of(base, scenario.runSeeds().get(0))
        .map(fabric -> new Fields(RandomTopology.with(base, fabric), KeyPath.ROOT))
        .orElse(scenario.root());
  }

  private static void append(StringBuilder text, JsonNode node, String indent) {
    if (node.isArray()) {
      node.forEach(item -> text.append(indent).append(item).append('\n'));
      return;
    }
    node.properties()
        .forEach(
            field -> {
              String key = field.getKey();
              JsonNode value = field.getValue();
              boolean deep = value.isObject() && value.toString().length() > 90;
              text.append(indent).append(key).append(": ");
              text.append(deep ? "\n" : flat(value) + "\n");
              if (deep) {
                append(text, value, indent + "  ");
              }
            });
  }

  private static String flat(JsonNode value) {
    return value.isTextual()
        ? value.asText()
        : value.toString().replace("\"", "").replace(":", ": ").replace(",", ", ");
  }

  private static void appendCases(StringBuilder text, Scenario scenario) {
    text.append("\ncases to run: ").append(scenario.chosen().size());
    text.append(" of ").append(scenario.variants().size()).append('\n');
    for (Variant each : scenario.chosen()) {
      text.append("  ").append(each.name()).append('\n');
    }
  }

  private static void appendFigures(StringBuilder text, Scenario scenario) {
    text.append("\nfigures\n");
    for (FigureSpec figure : scenario.figures()) {
      text.append("  ").append(figure.name()).append(" (").append(figure.metric()).append(")");
      figure
          .papers()
          .forEach(
              (combination, paper) ->
                  text.append("\n    paper")
                      .append(combination.isEmpty() ? "" : ", " + combination)
                      .append(": ")
                      .append(paper));
      text.append('\n');
    }
  }
}
