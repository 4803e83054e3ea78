// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.plan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.sim.scenario.document.Fields;
import org.sluice.sim.scenario.document.KeyPath;
import org.sluice.sim.scenario.document.Origin;
import org.sluice.sim.scenario.document.ScenarioDocument;

/** Unfolds {@code cases}, a scenario's matrices: every value of every axis with every other. */
final class VariantExpansion {
  /** The name of the one variant of a scenario that has no axes. */
  static final String SINGLE = "all";

  private final ScenarioDocument base;
  private final List<Setting> last;
  private final Map<String, Variant> variants = new LinkedHashMap<>();

  private VariantExpansion(ScenarioDocument base, List<Setting> last) {
    this.base = base;
    this.last = last;
  }

  /**
   * @param last set once more on top of what a variant sets
   */
  static List<Variant> unfold(ScenarioDocument base, List<Setting> last) {
    VariantExpansion expansion = new VariantExpansion(base, last);
    Fields root = new Fields(base, KeyPath.ROOT);
    List<Fields> matrices = root.items("cases");
    for (Fields matrix : matrices) {
      expansion.unfold(matrix, matrix.keys(), new LinkedHashMap<>(), List.of());
    }
    if (matrices.isEmpty()) {
      expansion.variants.put(SINGLE, new Variant(SINGLE, Map.of(), base));
    }
    return List.copyOf(expansion.variants.values());
  }

  private void unfold(
      Fields matrix, List<String> axes, Map<String, String> values, List<Setting> settings) {
    if (axes.isEmpty()) {
      add(matrix, values, settings);
      return;
    }
    String axis = axes.get(0);
    Fields choices = matrix.at(axis);
    for (String value : choices.keys()) {
      if (value.matches(".*[/*,].*")) {
        throw choices.problem(
            value, "the name of a value has a sign that selects cases", "leave out / * and ,");
      }
      Map<String, String> longer = new LinkedHashMap<>(values);
      longer.put(axis, value);
      List<Setting> more = new ArrayList<>(settings);
      more.addAll(settings(choices.at(value)));
      unfold(matrix, axes.subList(1, axes.size()), longer, more);
    }
  }

  private List<Setting> settings(Fields value) {
    List<Setting> settings = new ArrayList<>();
    for (String key : value.keys()) {
      Origin origin = base.origin(value.path().child(key));
      settings.add(new Setting(Setting.path(key, origin), value.raw(key), origin));
    }
    return settings;
  }

  private void add(Fields matrix, Map<String, String> values, List<Setting> settings) {
    String name = String.join("/", values.values());
    ScenarioDocument document = base.copy();
    settings.forEach(setting -> setting.applyTo(document));
    last.forEach(setting -> setting.applyTo(document));
    if (variants.put(name, new Variant(name, values, document)) != null) {
      throw matrix.problem("", "two cases are called " + name, "give the values other names");
    }
  }
}
