// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.config;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** A YAML file's values, and in which line each stands. */
final class YamlDocument {
  private final Path file;
  private final Map<String, Integer> lines = new HashMap<>();
  private ObjectNode root;

  private YamlDocument(Path file) {
    this.file = file;
  }

  /**
   * Reads a file; an empty one has no keys.
   *
   * @throws ConfigurationException if it cannot be read, is no YAML, or no mapping
   */
  static YamlDocument read(Path file) throws ConfigurationException {
    try {
      return parse(file, Files.readString(file));
    } catch (NoSuchFileException e) {
      throw new ConfigurationException(file + ": there is no such file; make it, or name another");
    } catch (IOException e) {
      throw new ConfigurationException(
          file + ": it cannot be read: " + e + "; see its permissions");
    }
  }

  static YamlDocument parse(Path file, String text) throws ConfigurationException {
    YamlDocument document = new YamlDocument(file);
    try {
      LoadSettings settings = LoadSettings.builder().setLabel(file.toString()).build();
      Node node = new Compose(settings).composeString(text).orElse(null);
      JsonNode read =
          node == null ? JsonNodeFactory.instance.nullNode() : document.convert(node, "");
      if (read.isNull()) {
        read = JsonNodeFactory.instance.objectNode();
      }
      if (!(read instanceof ObjectNode mapping)) {
        throw new ConfigurationException(
            document.problem("", "this is no mapping of keys to values", "write KEY: VALUE"));
      }
      document.root = mapping;
      return document;
    } catch (MarkedYamlEngineException e) {
      int line = e.getProblemMark().map(Mark::getLine).orElse(0) + 1;
      throw new ConfigurationException(
          file + ":" + line + ": " + e.getProblem() + "; correct the YAML");
    } catch (YamlEngineException e) {
      throw new ConfigurationException(file + ": " + e.getMessage() + "; correct the YAML");
    }
  }

  ObjectNode root() {
    return root;
  }

  Path file() {
    return file;
  }

  /** What is wrong with a value: where it stands, its field, it, and what would be right. */
  String problem(String pointer, String complaint, String remedy) {
    String known = pointer;
    while (!lines.containsKey(known) && !known.isEmpty()) {
      known = known.substring(0, known.lastIndexOf('/'));
    }
    String field = pointer.isEmpty() ? "" : pointer.substring(1).replace('/', '.') + ": ";
    return file + ":" + lines.getOrDefault(known, 1) + ": " + field + complaint + "; " + remedy;
  }

  /** The value at a JSON pointer, as it stands in a message. */
  String shown(String pointer) {
    JsonNode value = root.at(JsonPointer.compile(pointer));
    String text = value.isValueNode() ? value.asText() : value.toString();
    return "'" + (text.length() > 60 ? text.substring(0, 57) + "..." : text) + "'";
  }

  private JsonNode convert(Node node, String pointer) throws ConfigurationException {
    lines.putIfAbsent(pointer, lineOf(node));
    if (node instanceof MappingNode mapping) {
      ObjectNode object = JsonNodeFactory.instance.objectNode();
      for (NodeTuple tuple : mapping.getValue()) {
        String name =
            tuple.getKeyNode() instanceof ScalarNode scalar
                ? scalar.getValue()
                : tuple.getKeyNode().toString();
        String child = pointer + "/" + name.replace("~", "~0").replace("/", "~1");
        lines.put(child, lineOf(tuple.getKeyNode()));
        if (object.has(name)) {
          throw new ConfigurationException(
              problem(child, "this key stands here twice", "remove one"));
        }
        object.set(name, convert(tuple.getValueNode(), child));
      }
      return object;
    }
    if (node instanceof SequenceNode sequence) {
      ArrayNode array = JsonNodeFactory.instance.arrayNode();
      for (Node item : sequence.getValue()) {
        array.add(convert(item, pointer + "/" + array.size()));
      }
      return array;
    }
    return scalar((ScalarNode) node);
  }

  private static JsonNode scalar(ScalarNode scalar) {
    JsonNodeFactory make = JsonNodeFactory.instance;
    String text = scalar.getValue();
    Tag tag = scalar.getTag();
    if (tag.equals(Tag.NULL)) {
      return make.nullNode();
    }
    if (tag.equals(Tag.BOOL)) {
      return make.booleanNode(Boolean.parseBoolean(text));
    }
    if (tag.equals(Tag.INT)) {
      BigInteger number = new BigInteger(text);
      return number.bitLength() < Long.SIZE
          ? make.numberNode(number.longValue())
          : make.numberNode(number);
    }
    if (tag.equals(Tag.FLOAT) && !text.contains(".inf") && !text.contains(".nan")) {
      return make.numberNode(new BigDecimal(text));
    }
    return make.textNode(text);
  }

  private static int lineOf(Node node) {
    return node.getStartMark().map(Mark::getLine).orElse(0) + 1;
  }
}
