// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.document;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.path.NodePath;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** Checks a scenario against the JSON schema, and reports what would be right. */
public final class SchemaCheck {
  private static final String RESOURCE = "scenario.schema.json";

  private final JsonNode schemaText;
  private final Schema schema;

  public SchemaCheck() {
    try (InputStream in = SchemaCheck.class.getResourceAsStream(RESOURCE)) {
      schemaText = new ObjectMapper().readTree(in);
    } catch (IOException e) {
      throw new UncheckedIOException("the schema cannot be read", e);
    }
    schema =
        SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12).getSchema(schemaText);
  }

  /**
   * @throws ScenarioException with everything that is wrong, by line
   */
  public void check(ScenarioDocument document) {
    List<Problem> problems = new ArrayList<>();
    for (Error error : schema.validate(document.root())) {
      problems.add(problem(document, error));
    }
    if (!problems.isEmpty()) {
      problems.sort(
          Comparator.comparingInt((Problem problem) -> problem.origin().line())
              .thenComparing(Problem::key));
      throw new ScenarioException(problems);
    }
  }

  private Problem problem(ScenarioDocument document, Error error) {
    KeyPath path = pathOf(error.getInstanceLocation());
    JsonNode rules = rulesOf(error);
    JsonNode value = document.value(path);
    switch (error.getKeyword()) {
      case "additionalProperties":
        KeyPath unknown = path.child(error.getProperty());
        List<String> known = propertiesOf(rules);
        return problem(document, unknown, "unknown key", knownKeys(error.getProperty(), known));
      case "required":
        String missing = error.getProperty();
        return problem(
            document,
            path.child(missing),
            "the key is missing",
            "add " + missing + expected(rules.path("properties").path(missing)));
      case "minProperties", "maxProperties":
        return problem(
            document,
            path,
            value.isEmpty() ? "nothing stands here" : "too many keys stand here",
            "give exactly one of " + String.join(", ", propertiesOf(rules)));
      default:
        return problem(
            document, path, "the value " + shown(value) + " is not possible", remedy(rules, error));
    }
  }

  private static Problem problem(
      ScenarioDocument document, KeyPath path, String complaint, String remedy) {
    return new Problem(document.origin(path), path.toString(), complaint, remedy);
  }

  /** The part of the schema that the broken rule stands in. */
  private JsonNode rulesOf(Error error) {
    String fragment = error.getSchemaLocation().getFragment().toString();
    String pointer = fragment.startsWith("/") ? fragment : "";
    int end = pointer.lastIndexOf('/');
    JsonNode rules = schemaText.at(end <= 0 ? "" : pointer.substring(0, end));
    return rules.isMissingNode() ? schemaText : rules;
  }

  private static List<String> propertiesOf(JsonNode rules) {
    List<String> names = new ArrayList<>();
    rules.path("properties").fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static String knownKeys(String unknown, List<String> known) {
    String all = "allowed here: " + String.join(", ", known);
    return Similar.nearest(unknown, known).map(near -> "did you mean " + near + "? ").orElse("")
        + all;
  }

  private String expected(JsonNode property) {
    JsonNode rules = property;
    String reference = property.path("$ref").asText("");
    if (!property.has("description") && reference.startsWith("#")) {
      rules = schemaText.at(reference.substring(1));
    }
    return rules.has("description") ? ": " + rules.get("description").asText() : "";
  }

  private static String remedy(JsonNode rules, Error error) {
    if (rules.has("description")) {
      return "expected: " + rules.get("description").asText() + bounds(rules);
    }
    if (rules.has("enum")) {
      List<String> values = new ArrayList<>();
      rules.get("enum").forEach(value -> values.add(value.asText()));
      return "expected: one of " + values.stream().collect(Collectors.joining(", "));
    }
    String bounds = bounds(rules);
    if (!bounds.isEmpty()) {
      return "expected: a number" + bounds;
    }
    return rules.has("type")
        ? "expected: " + typeName(rules.get("type").asText())
        : error.getMessage();
  }

  private static String typeName(String type) {
    return switch (type) {
      case "object" -> "keys with values";
      case "array" -> "a list";
      case "string" -> "text";
      case "integer" -> "a whole number";
      default -> "a " + type;
    };
  }

  private static String bounds(JsonNode rules) {
    List<String> bounds = new ArrayList<>();
    addBound(bounds, rules, "minimum", "at least ");
    addBound(bounds, rules, "exclusiveMinimum", "above ");
    addBound(bounds, rules, "maximum", "at most ");
    addBound(bounds, rules, "exclusiveMaximum", "below ");
    return bounds.isEmpty() ? "" : ", " + String.join(" and ", bounds);
  }

  private static void addBound(List<String> bounds, JsonNode rules, String keyword, String label) {
    if (rules.has(keyword)) {
      bounds.add(label + rules.get(keyword).asText());
    }
  }

  private static String shown(JsonNode value) {
    String text = value == null ? "" : value.toString();
    return text.length() > 60 ? text.substring(0, 57) + "..." : text;
  }

  private static KeyPath pathOf(NodePath location) {
    KeyPath path = KeyPath.ROOT;
    for (int i = 0; i < location.getNameCount(); i++) {
      path = path.child(String.valueOf(location.getElement(i)));
    }
    return path;
  }
}
