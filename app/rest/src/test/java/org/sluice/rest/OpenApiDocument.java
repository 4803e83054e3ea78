// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.harrel.jsonschema.FormatEvaluatorFactory;
import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * An OpenAPI 3.1 document, whose schemas are JSON Schema 2020-12. They leave space for fields that
 * later versions add, and clients shall expect some; here a field that no schema names is a flaw.
 */
final class OpenApiDocument {
  private static final URI ID = URI.create("urn:sluice:openapi");
  private static final String DEFAULT = "default";

  private final JsonNode root;
  private final Validator validator =
      new ValidatorFactory().withEvaluatorFactory(new FormatEvaluatorFactory()).createValidator();

  private OpenApiDocument(JsonNode root) {
    this.root = root;
    JsonNode strict = root.deepCopy();
    forbidOtherFields(strict);
    validator.registerSchema(ID, withoutBraces(strict.toString()));
  }

  /** The document that is served. */
  static OpenApiDocument served() {
    try (InputStream document = OpenApiResource.class.getResourceAsStream("openapi.json")) {
      return new OpenApiDocument(new ObjectMapper().readTree(document));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** All operations, each by method and path: {@code GET /hosts/{id}}. */
  Set<String> operations() {
    Set<String> operations = new TreeSet<>();
    for (String path : names(root.path("paths"))) {
      for (String method : names(root.path("paths").path(path))) {
        if (!method.equals("parameters")) {
          operations.add(method.toUpperCase(Locale.ROOT) + " " + path);
        }
      }
    }
    return operations;
  }

  /** Statuses of an operation; {@code default} stands for all that are not named. */
  Set<String> statuses(String operation) {
    return names(root.at(pointer(operation) + "/responses"));
  }

  /** Media types of the bodies that an operation takes. */
  Set<String> consumed(String operation) {
    return names(root.at(pointer(operation) + "/requestBody/content"));
  }

  Set<String> queryParameters(String operation) {
    return parameters(operation, "query");
  }

  Set<String> headers(String operation) {
    return parameters(operation, "header");
  }

  private Set<String> parameters(String operation, String in) {
    Set<String> names = new TreeSet<>();
    String list = pointer(operation) + "/parameters";
    for (int i = 0; i < root.at(list).size(); i++) {
      JsonNode parameter = root.at(followed(list + "/" + i));
      if (parameter.path("in").asText().equals(in)) {
        names.add(parameter.path("name").asText());
      }
    }
    return names;
  }

  String parameterDescription(String operation, String name) {
    for (JsonNode parameter : root.at(pointer(operation) + "/parameters")) {
      if (parameter.path("name").asText().equals(name)) {
        return parameter.path("description").asText();
      }
    }
    throw new AssertionError("no parameter " + name);
  }

  /** The fields of the bodies that an operation takes. */
  Set<String> requestFields(String operation, String mediaType) {
    String schema = requestSchema(operation, mediaType);
    return names(root.at(followed(schema) + "/properties"));
  }

  /** Pointers to the descriptions of all fields that some response may have. */
  Set<String> responseFields() {
    Set<String> fields = new TreeSet<>();
    Set<String> seen = new HashSet<>();
    for (String operation : operations()) {
      for (String status : statuses(operation)) {
        addFields(pointer(operation) + "/responses/" + status, fields, seen);
      }
    }
    return fields;
  }

  /** Pointers to the descriptions of all fields at a place, and of what it refers to. */
  Set<String> fields(String place) {
    Set<String> fields = new TreeSet<>();
    addFields(place, fields, new HashSet<>());
    return fields;
  }

  private void addFields(String place, Set<String> fields, Set<String> seen) {
    if (!seen.add(place)) {
      return;
    }
    JsonNode node = root.at(place);
    if (node.has("$ref")) {
      addFields(followed(place), fields, seen);
    }
    for (String name : names(node.path("properties"))) {
      fields.add(place + "/properties/" + name);
    }
    Iterator<String> names = node.fieldNames();
    while (names.hasNext()) {
      addFields(place + "/" + escaped(names.next()), fields, seen);
    }
    for (int i = 0; node.isArray() && i < node.size(); i++) {
      addFields(place + "/" + i, fields, seen);
    }
  }

  /** This document without the description of a field, as {@link #responseFields} has it. */
  OpenApiDocument without(String field) {
    JsonNode poorer = root.deepCopy();
    JsonPointer pointer = JsonPointer.compile(field);
    String name = pointer.last().getMatchingProperty();
    ((ObjectNode) poorer.at(pointer.head())).remove(name);
    Iterator<JsonNode> required = poorer.at(pointer.head().head()).path("required").elements();
    while (required.hasNext()) {
      if (required.next().asText().equals(name)) {
        required.remove();
      }
    }
    return new OpenApiDocument(poorer);
  }

  /** What is wrong with a body that an operation is sent. */
  List<String> flawsOfRequest(String operation, String mediaType, String body) {
    return flaws(requestSchema(operation, mediaType), body);
  }

  /** Objects in the bodies that an operation takes for which any field would do. */
  Set<String> openObjects(String operation, String mediaType) {
    Set<String> open = new TreeSet<>();
    addOpenObjects(requestSchema(operation, mediaType), open, new HashSet<>());
    return open;
  }

  private void addOpenObjects(String place, Set<String> open, Set<String> seen) {
    JsonNode node = root.at(place);
    if (!node.isContainerNode() || !seen.add(place)) {
      return;
    }
    if (node.has("$ref")) {
      addOpenObjects(followed(place), open, seen);
    }
    if (node.path("type").asText().equals("object")
        && !node.path("additionalProperties").isObject() // any names, of what it describes
        && node.path("additionalProperties").asBoolean(true)) {
      open.add(place);
    }
    names(node).forEach(name -> addOpenObjects(place + "/" + escaped(name), open, seen));
    for (int i = 0; node.isArray() && i < node.size(); i++) {
      addOpenObjects(place + "/" + i, open, seen);
    }
  }

  /** What is wrong with a response. */
  List<String> flaws(Exchange exchange) {
    String responses = pointer(exchange.operation) + "/responses/";
    String status = String.valueOf(exchange.status);
    String response =
        followed(responses + (root.at(responses + status).isMissingNode() ? DEFAULT : status));
    List<String> flaws = new ArrayList<>();
    if (root.at(response).isMissingNode()) {
      flaws.add("status " + status + " is not described");
    }
    for (String header : names(root.at(response + "/headers"))) {
      if (!exchange.headers.contains(header)) {
        flaws.add("the header " + header + " is missing");
      }
    }
    Set<String> mediaTypes = names(root.at(response + "/content"));
    if (!mediaTypes.isEmpty() || !exchange.body.isEmpty()) {
      if (mediaTypes.contains(exchange.mediaType)) {
        String content = response + "/content/" + escaped(exchange.mediaType);
        String value =
            exchange.isJson() ? exchange.body : TextNode.valueOf(exchange.body).toString();
        flaws.addAll(flaws(content + "/schema", value));
        if (exchange.mediaType.equals(StreamResource.MEDIA_TYPE)) {
          StreamEvents.events(exchange.body)
              .forEach(one -> flaws.addAll(flawsOfEvent(one.name, one.data.toString())));
        }
      } else {
        flaws.add("media type " + exchange.mediaType + " is not described");
      }
    }
    return flaws;
  }

  /** What is wrong with the examples of an operation's bodies; a body without one is a flaw. */
  List<String> flawsOfExamples(String operation) {
    List<String> flaws = new ArrayList<>();
    for (String mediaType : consumed(operation)) {
      addFlawsOfExample(pointer(operation) + "/requestBody/content/" + escaped(mediaType), flaws);
    }
    for (String status : statuses(operation)) {
      String response = followed(pointer(operation) + "/responses/" + status);
      for (String mediaType : names(root.at(response + "/content"))) {
        addFlawsOfExample(response + "/content/" + escaped(mediaType), flaws);
      }
    }
    return flaws;
  }

  private void addFlawsOfExample(String content, List<String> flaws) {
    List<JsonNode> examples = new ArrayList<>();
    JsonNode alone = root.at(content + "/example");
    if (!alone.isMissingNode()) {
      examples.add(alone);
    }
    root.at(content + "/examples").forEach(one -> examples.add(one.path("value")));
    if (examples.isEmpty()) {
      flaws.add(content + " has no example");
    }
    for (JsonNode example : examples) {
      flaws.addAll(flaws(content + "/schema", example.toString()));
    }
  }

  /** Components that nothing refers to. */
  Set<String> unusedComponents() {
    Set<String> unused = new TreeSet<>();
    for (String kind : List.of("schemas", "responses", "headers", "parameters")) {
      names(root.at("/components/" + kind))
          .forEach(name -> unused.add("#/components/" + kind + "/" + name));
    }
    root.findValuesAsText("$ref").forEach(unused::remove);
    return unused;
  }

  /** What is wrong with the data of an event of the stream. */
  List<String> flawsOfEvent(String event, String data) {
    String content = pointer("GET /stream") + "/responses/200/content/text~1event-stream";
    return flaws(content + "/x-events/" + event, data);
  }

  private List<String> flaws(String schema, String body) {
    URI reference = URI.create(ID + "#" + withoutBraces(schema));
    return validator.validate(reference, body).getErrors().stream()
        .map(error -> error.getInstanceLocation() + ": " + error.getError())
        .collect(Collectors.toList());
  }

  /** The parameters of paths written otherwise, for a URI has no braces. */
  /** The names of all fields whose values need not be whole. */
  Set<String> fieldsOfNumbers() {
    Set<String> found = new TreeSet<>();
    for (JsonNode properties : root.findValues("properties")) {
      properties
          .fields()
          .forEachRemaining(
              field -> {
                JsonNode type = field.getValue().path("type");
                if (type.asText().equals("number") || type.toString().contains("\"number\"")) {
                  found.add(field.getKey());
                }
              });
    }
    return found;
  }

  private static String withoutBraces(String text) {
    return text.replaceAll("\\{([a-z]\\w*)}", ":$1");
  }

  /** Closes what describes an object; a part of it, in allOf, sees only its own fields. */
  private static void forbidOtherFields(JsonNode node) {
    for (String name : names(node)) {
      JsonNode child = node.get(name);
      if (name.equals("schema") || name.equals("items")) {
        close(child);
      } else if (name.equals("properties") || name.equals("x-events")) {
        child.forEach(OpenApiDocument::close);
      }
    }
    node.forEach(OpenApiDocument::forbidOtherFields);
  }

  private static void close(JsonNode schema) {
    if (schema.has("$ref") || schema.has("properties") || schema.has("anyOf")) {
      ((ObjectNode) schema).put("unevaluatedProperties", false);
    }
  }

  private static String requestSchema(String operation, String mediaType) {
    return pointer(operation) + "/requestBody/content/" + escaped(mediaType) + "/schema";
  }

  /** Where a reference at this place leads to, or this place. */
  private String followed(String place) {
    JsonNode reference = root.at(place).path("$ref");
    return reference.isTextual() ? reference.asText().substring(1) : place;
  }

  static String pointer(String operation) {
    String[] words = operation.split(" ");
    return "/paths/" + escaped(words[1]) + "/" + words[0].toLowerCase(Locale.ROOT);
  }

  /** A name as a JSON pointer has it. */
  private static String escaped(String name) {
    return name.replace("~", "~0").replace("/", "~1");
  }

  private static Set<String> names(JsonNode object) {
    Set<String> names = new TreeSet<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }
}
