// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.document;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
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

/** Reads YAML 1.2 into values with lines. */
public final class YamlReader {
  private static final String REMEDY = "correct the YAML";

  private final String source;
  private final Map<KeyPath, Origin> origins = new LinkedHashMap<>();

  private YamlReader(String source) {
    this.source = source;
  }

  /**
   * Reads a scenario file's text.
   *
   * @param source its name, for messages
   * @throws ScenarioException if it is not YAML, or not a mapping
   */
  public static ScenarioDocument read(String source, String text) {
    YamlReader reader = new YamlReader(source);
    JsonNode root = reader.parse(text);
    if (root instanceof ObjectNode object) {
      return new ScenarioDocument(object, reader.origins);
    }
    throw new ScenarioException(
        new Problem(
            new Origin(source, 1),
            "",
            "this is not a mapping of keys to values",
            "see docs/simulator.md"));
  }

  /**
   * Reads one value, as it may stand behind a key.
   *
   * @throws ScenarioException if it is not YAML
   */
  public static JsonNode value(String source, String text) {
    return new YamlReader(source).parse(text);
  }

  private JsonNode parse(String text) {
    try {
      LoadSettings settings = LoadSettings.builder().setLabel(source).build();
      Optional<Node> root = new Compose(settings).composeString(text);
      return root.isPresent()
          ? convert(root.get(), KeyPath.ROOT, lineOf(root.get()))
          : JsonNodeFactory.instance.nullNode();
    } catch (MarkedYamlEngineException e) {
      int line = e.getProblemMark().map(mark -> mark.getLine() + 1).orElse(0);
      throw new ScenarioException(
          new Problem(new Origin(source, line), "", e.getProblem(), REMEDY));
    } catch (YamlEngineException e) {
      throw new ScenarioException(new Problem(new Origin(source, 0), "", e.getMessage(), REMEDY));
    }
  }

  private JsonNode convert(Node node, KeyPath path, int line) {
    origins.put(path, new Origin(source, line));
    if (node instanceof MappingNode mapping) {
      return convertMapping(mapping, path);
    }
    if (node instanceof SequenceNode sequence) {
      ArrayNode array = JsonNodeFactory.instance.arrayNode();
      for (Node item : sequence.getValue()) {
        array.add(convert(item, path.child(array.size()), lineOf(item)));
      }
      return array;
    }
    return convertScalar((ScalarNode) node);
  }

  private ObjectNode convertMapping(MappingNode mapping, KeyPath path) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    for (NodeTuple tuple : mapping.getValue()) {
      Node key = tuple.getKeyNode();
      if (!(key instanceof ScalarNode scalar)) {
        throw problem(path, key, "a key must be plain text");
      }
      String name = scalar.getValue();
      if (object.has(name)) {
        throw problem(path.child(name), key, "the key stands here twice");
      }
      object.set(name, convert(tuple.getValueNode(), path.child(name), lineOf(key)));
    }
    return object;
  }

  private static JsonNode convertScalar(ScalarNode scalar) {
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
      return number.bitLength() < Integer.SIZE
          ? make.numberNode(number.intValue())
          : make.numberNode(number);
    }
    if (tag.equals(Tag.FLOAT) && !text.startsWith(".") && !text.startsWith("-.")) {
      return make.numberNode(Double.parseDouble(text));
    }
    return make.textNode(text);
  }

  private ScenarioException problem(KeyPath path, Node at, String complaint) {
    Origin origin = new Origin(source, lineOf(at));
    return new ScenarioException(new Problem(origin, path.toString(), complaint, REMEDY));
  }

  private static int lineOf(Node node) {
    return node.getStartMark().map(Mark::getLine).orElse(-1) + 1;
  }
}
