// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.document;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;

/** The values of a scenario file, and where each was written. Copies are independent. */
public final class ScenarioDocument {
  private final ObjectNode root;
  private final Map<KeyPath, Origin> origins;

  ScenarioDocument(ObjectNode root, Map<KeyPath, Origin> origins) {
    this.root = root;
    this.origins = origins;
  }

  public ObjectNode root() {
    return root;
  }

  public ScenarioDocument copy() {
    return new ScenarioDocument(root.deepCopy(), new LinkedHashMap<>(origins));
  }

  /** Of a value, or of what it would be in. */
  public Origin origin(KeyPath path) {
    KeyPath known = path;
    while (!origins.containsKey(known)) {
      known = known.parent();
    }
    return origins.get(known);
  }

  /** Null where there is nothing. */
  public JsonNode value(KeyPath path) {
    JsonNode node = root;
    for (String part : path.parts()) {
      node = node == null ? null : child(node, part);
    }
    return node;
  }

  private static JsonNode child(JsonNode node, String part) {
    if (node instanceof ArrayNode) {
      return part.matches("\\d{1,6}") ? node.get(Integer.parseInt(part)) : null;
    }
    return node.get(part);
  }

  /**
   * Puts a value in, over what is there; makes what lies above it.
   *
   * @throws ScenarioException if something above it is a plain value, or a list without that place
   */
  public void set(KeyPath path, JsonNode value, Origin origin) {
    JsonNode above = root;
    KeyPath at = KeyPath.ROOT;
    for (int i = 0; i < path.parts().size() - 1; i++) {
      String part = path.parts().get(i);
      JsonNode next = child(above, part);
      if (next == null && above instanceof ObjectNode object) {
        next = object.putObject(part);
        origins.put(at.child(part), origin);
      }
      at = at.child(part);
      if (next == null || !next.isContainerNode()) {
        throw cannotSet(path, at, origin);
      }
      above = next;
    }
    put(above, path, value, origin);
    origins.keySet().removeIf(known -> known.startsWith(path));
    origins.put(path, origin);
  }

  private static void put(JsonNode above, KeyPath path, JsonNode value, Origin origin) {
    String last = path.last();
    if (above instanceof ObjectNode object) {
      object.set(last, value.deepCopy());
    } else if (child(above, last) != null) {
      ((ArrayNode) above).set(Integer.parseInt(last), value.deepCopy());
    } else {
      throw cannotSet(path, path, origin);
    }
  }

  private static ScenarioException cannotSet(KeyPath path, KeyPath at, Origin origin) {
    return new ScenarioException(
        new Problem(
            origin,
            path.toString(),
            "there is nothing at " + at + " that could hold a value",
            "see --describe and docs/simulator.md for the keys there are"));
  }
}
