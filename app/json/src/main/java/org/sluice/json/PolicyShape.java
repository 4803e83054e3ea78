// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.databind.JsonNode;
import org.sluice.api.SluiceException;

/** Whether the nested parts of a policy set are objects and arrays where they must be. */
final class PolicyShape {
  private PolicyShape() {}

  static void check(JsonNode set, String path) throws SluiceException {
    requireObject(set, path, "{\"name\": \"mine\", \"policies\": []}");
    optionalObject(set, "constraints", path, "{\"dropPercent\": 0.1}");
    optionalStrings(set.path("constraints"), "congestionControls", below(path, "constraints"));
    if (isGiven(set, "groups")) {
      requireArray(set.get("groups"), below(path, "groups"), "[{\"name\": \"web\"}]");
      for (int i = 0; i < set.get("groups").size(); i++) {
        JsonNode group = set.get("groups").get(i);
        String at = below(path, "groups") + "[" + i + "]";
        requireObject(group, at, "{\"name\": \"web\", \"hosts\": [\"h1\"]}");
        optionalStrings(group, "hosts", at);
      }
    }
    if (isGiven(set, "policies")) {
      requireArray(set.get("policies"), below(path, "policies"), "[{\"name\": \"fast\"}]");
      for (int i = 0; i < set.get("policies").size(); i++) {
        policy(set.get("policies").get(i), below(path, "policies") + "[" + i + "]");
      }
    }
  }

  private static void policy(JsonNode policy, String path) throws SluiceException {
    requireObject(policy, path, "{\"name\": \"fast\"}");
    optionalStrings(policy, "from", path);
    optionalStrings(policy, "to", path);
    optionalObject(policy, "enterBelow", path, "{\"utilisationPercent\": 70}");
    optionalObject(policy, "leaveAt", path, "{\"utilisationPercent\": 70}");
    optionalObject(policy, "hints", path, "{\"initialWindow\": 20}");
  }

  private static boolean isGiven(JsonNode json, String name) {
    return json.hasNonNull(name);
  }

  private static void optionalObject(JsonNode json, String name, String path, String example)
      throws SluiceException {
    if (isGiven(json, name)) {
      requireObject(json.get(name), below(path, name), example);
    }
  }

  private static void requireObject(JsonNode json, String path, String example)
      throws SluiceException {
    if (!json.isObject()) {
      throw SluiceException.invalid(
          path, json, BindingErrors.WRONG_TYPE, "Use an object such as " + example);
    }
  }

  private static void requireArray(JsonNode json, String path, String example)
      throws SluiceException {
    if (!json.isArray()) {
      throw SluiceException.invalid(
          path, json, BindingErrors.WRONG_TYPE, "Use an array such as " + example);
    }
  }

  private static void optionalStrings(JsonNode json, String name, String path)
      throws SluiceException {
    if (!isGiven(json, name)) {
      return;
    }
    String field = below(path, name);
    requireArray(json.get(name), field, "[\"one\", \"two\"]");
    for (int i = 0; i < json.get(name).size(); i++) {
      if (!json.get(name).get(i).isTextual()) {
        throw SluiceException.invalid(
            field + "[" + i + "]",
            json.get(name).get(i),
            BindingErrors.WRONG_TYPE,
            "Use a string in quotes");
      }
    }
  }

  static String below(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }
}
