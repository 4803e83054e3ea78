// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** A JSON schema beside this class, and what it finds wrong with a document. */
final class DocumentSchema {
  private final String resource;

  // Made with the first check: few need each of them.
  private JsonNode text;
  private Schema schema;

  DocumentSchema(String resource) {
    this.resource = resource;
  }

  private synchronized void prepare() {
    if (schema == null) {
      try (InputStream in = DocumentSchema.class.getResourceAsStream(resource)) {
        text = new ObjectMapper().readTree(in);
      } catch (IOException e) {
        throw new UncheckedIOException(resource, e);
      }
      schema =
          SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12).getSchema(text);
    }
  }

  /**
   * Checks a document.
   *
   * @throws ConfigurationException with everything that is wrong
   */
  void check(YamlDocument document) throws ConfigurationException {
    prepare();
    TreeSet<String> problems = new TreeSet<>();
    for (Error error : schema.validate(document.root())) {
      problems.add(problem(document, error));
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationException(List.copyOf(problems));
    }
  }

  private String problem(YamlDocument document, Error error) {
    StringBuilder pointer = new StringBuilder();
    for (int i = 0; i < error.getInstanceLocation().getNameCount(); i++) {
      String name = String.valueOf(error.getInstanceLocation().getElement(i));
      pointer.append('/').append(name.replace("~", "~0").replace("/", "~1"));
    }
    String at = pointer.toString();
    JsonNode rules = rulesOf(error);
    List<String> known = new ArrayList<>();
    rules.path("properties").fieldNames().forEachRemaining(known::add);
    switch (error.getKeyword()) {
      case "additionalProperties":
        return document.problem(
            at + "/" + error.getProperty(),
            "this key is not known",
            "use one of " + String.join(", ", known));
      case "required":
        return document.problem(
            at + "/" + error.getProperty(),
            "the key is missing",
            "add it: " + described(rules.path("properties").path(error.getProperty())));
      default:
        return document.problem(
            at,
            document.shown(at) + " is not possible",
            rules.has("description") ? "use " + described(rules) : error.getMessage());
    }
  }

  private String described(JsonNode rules) {
    String reference = rules.path("$ref").asText("");
    JsonNode described =
        reference.isEmpty() || rules.has("description") ? rules : text.at(reference.substring(1));
    return described.path("description").asText("see docs/standalone.md");
  }

  /** The part of the schema that the broken rule stands in. */
  private JsonNode rulesOf(Error error) {
    String fragment = error.getSchemaLocation().getFragment().toString();
    int end = fragment.lastIndexOf('/');
    return end <= 0 ? text : text.at(fragment.substring(0, end));
  }
}
