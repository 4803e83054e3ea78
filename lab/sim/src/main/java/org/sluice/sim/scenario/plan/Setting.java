// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.plan;

import com.fasterxml.jackson.databind.JsonNode;
import org.sluice.sim.scenario.document.KeyPath;
import org.sluice.sim.scenario.document.Origin;
import org.sluice.sim.scenario.document.Problem;
import org.sluice.sim.scenario.document.ScenarioDocument;
import org.sluice.sim.scenario.document.ScenarioException;
import org.sluice.sim.scenario.document.YamlReader;

/**
 * A value that replaces one of a scenario's.
 *
 * @param path where it goes
 * @param value what goes there
 * @param origin where it was set
 */
public record Setting(KeyPath path, JsonNode value, Origin origin) {

  /**
   * Reads {@code key=value} from the command line.
   *
   * @throws ScenarioException if it has not that form
   */
  public static Setting parse(String text) {
    Origin origin = new Origin("--set " + text, 0);
    int equals = text.indexOf('=');
    if (equals <= 0) {
      throw new ScenarioException(
          new Problem(origin, "", "there is no key=value", "write such as --set duration=5s"));
    }
    JsonNode value = YamlReader.value(origin.source(), text.substring(equals + 1));
    return new Setting(path(text.substring(0, equals).strip(), origin), value, origin);
  }

  /** Reads a dotted key of a scenario file. */
  static KeyPath path(String key, Origin origin) {
    try {
      return KeyPath.parse(key);
    } catch (IllegalArgumentException e) {
      throw new ScenarioException(
          new Problem(origin, "", e.getMessage(), "write such as flows.tagged.start"));
    }
  }

  void applyTo(ScenarioDocument document) {
    document.set(path, value, origin);
  }
}
