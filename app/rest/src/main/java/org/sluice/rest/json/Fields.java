// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.sluice.api.SluiceException;

/**
 * Reads the fields of a JSON object, and says of a wrong one its path, its value and what would do.
 * A field that is null counts as not given.
 */
final class Fields {
  private final ObjectNode object;
  private final String prefix;

  private Fields(ObjectNode object, String prefix) {
    this.object = object;
    this.prefix = prefix;
  }

  /**
   * The fields of an object.
   *
   * @param known all fields that there may be
   * @throws SluiceException of kind INVALID naming the first other field
   */
  static Fields of(ObjectNode object, String prefix, List<String> known) throws SluiceException {
    for (Iterator<String> names = object.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!known.contains(name)) {
        throw SluiceException.invalid(
            prefix + name,
            object.get(name),
            "There is no such field",
            "Use these fields: " + String.join(", ", known));
      }
    }
    return new Fields(object, prefix);
  }

  /** Whether the field is there, be it null. */
  boolean mentions(String name) {
    return object.has(name);
  }

  Optional<String> text(String name) throws SluiceException {
    return given(name, JsonNode::isTextual, "Use a string in quotes").map(JsonNode::textValue);
  }

  Optional<BigDecimal> number(String name) throws SluiceException {
    Optional<JsonNode> value = given(name, JsonNode::isNumber, "Use a number without quotes");
    if (value.isPresent() && Double.isInfinite(value.get().doubleValue())) {
      throw SluiceException.invalid(
          path(name),
          value.get().asText(),
          "This number is beyond all bounds",
          "Use a smaller one");
    }
    return value.map(JsonNode::decimalValue);
  }

  Optional<Boolean> truth(String name) throws SluiceException {
    return given(name, JsonNode::isBoolean, "Use true or false").map(JsonNode::booleanValue);
  }

  /** The objects of an array, each with fields of these names. */
  List<Fields> objects(String name, List<String> known) throws SluiceException {
    List<Fields> result = new ArrayList<>();
    Optional<JsonNode> array = given(name, JsonNode::isArray, "Use an array of objects");
    if (array.isPresent()) {
      for (JsonNode element : array.get()) {
        String path = prefix + name + "[" + result.size() + "]";
        if (!element.isObject()) {
          throw SluiceException.invalid(
              path, element, "This has the wrong type", "Use an object in braces");
        }
        result.add(of((ObjectNode) element, path + ".", known));
      }
    }
    return result;
  }

  /** Reads a text field by a parser that refuses with {@link IllegalArgumentException}. */
  <T> Optional<T> parsed(String name, String remedy, Function<String, T> parser)
      throws SluiceException {
    Optional<String> text = text(name);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(parser.apply(text.get()));
    } catch (IllegalArgumentException e) {
      throw SluiceException.invalid(path(name), text.get(), e.getMessage(), remedy);
    }
  }

  /** The field's path from the top of the body. */
  String path(String name) {
    return prefix + name;
  }

  /** The path of this object itself. */
  String path() {
    return prefix.isEmpty() ? "body" : prefix.substring(0, prefix.length() - 1);
  }

  @Override
  public String toString() {
    return object.toString();
  }

  private Optional<JsonNode> given(String name, Predicate<JsonNode> right, String remedy)
      throws SluiceException {
    JsonNode value = object.get(name);
    if (value == null || value.isNull()) {
      return Optional.empty();
    }
    if (!right.test(value)) {
      throw SluiceException.invalid(path(name), value, "This has the wrong type", remedy);
    }
    return Optional.of(value);
  }
}
