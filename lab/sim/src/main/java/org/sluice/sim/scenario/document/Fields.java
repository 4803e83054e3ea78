// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.document;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The values below one key of a document that the schema has accepted. What a caller finds wrong
 * beyond the schema it reports with {@link #problem}.
 */
public final class Fields {
  private final ScenarioDocument document;
  private final KeyPath path;

  public Fields(ScenarioDocument document, KeyPath path) {
    this.document = document;
    this.path = path;
  }

  public KeyPath path() {
    return path;
  }

  public ScenarioDocument document() {
    return document;
  }

  public boolean has(String key) {
    return document.value(path.child(key)) != null;
  }

  /** The values below a key; of a key that is not there, none. */
  public Fields at(String key) {
    return new Fields(document, path.child(key));
  }

  /** The items of a list; none where it is not there. */
  public List<Fields> items(String key) {
    JsonNode list = document.value(path.child(key));
    List<Fields> items = new ArrayList<>();
    for (int i = 0; list != null && i < list.size(); i++) {
      items.add(new Fields(document, path.child(key).child(i)));
    }
    return items;
  }

  /** The keys here, as written. */
  public List<String> keys() {
    List<String> keys = new ArrayList<>();
    JsonNode here = document.value(path);
    if (here != null) {
      for (Iterator<String> names = here.fieldNames(); names.hasNext(); ) {
        keys.add(names.next());
      }
    }
    return keys;
  }

  /** The value as it stands; null where there is none. */
  public JsonNode raw(String key) {
    return document.value(path.child(key));
  }

  public String text(String key, String otherwise) {
    return has(key) ? raw(key).asText() : otherwise;
  }

  /** A list of texts; one text is a list of one. */
  public List<String> texts(String key) {
    List<String> texts = new ArrayList<>();
    JsonNode value = raw(key);
    if (value != null && value.isArray()) {
      value.forEach(item -> texts.add(item.asText()));
    } else if (value != null) {
      texts.add(value.asText());
    }
    return texts;
  }

  public int integer(String key, int otherwise) {
    return has(key) ? raw(key).asInt() : otherwise;
  }

  public double number(String key, double otherwise) {
    return has(key) ? raw(key).asDouble() : otherwise;
  }

  public boolean flag(String key, boolean otherwise) {
    return has(key) ? raw(key).asBoolean() : otherwise;
  }

  /** A time, ns. */
  public long nanos(String key, long otherwise) {
    return has(key) ? Quantity.nanos(raw(key).asText()) : otherwise;
  }

  /** A rate, bit/s. */
  public long bitsPerSecond(String key, long otherwise) {
    return has(key) ? Quantity.bitsPerSecond(raw(key).asText()) : otherwise;
  }

  /** A size, bytes. */
  public long bytes(String key, long otherwise) {
    return has(key) ? Quantity.bytes(raw(key).asText()) : otherwise;
  }

  /** A percentage, as a fraction. */
  public double fraction(String key, double otherwise) {
    return has(key) ? Quantity.fraction(raw(key).asText()) : otherwise;
  }

  /** What is wrong with the value of a key here; an empty key is this value itself. */
  public ScenarioException problem(String key, String complaint, String remedy) {
    KeyPath at = key.isEmpty() ? path : path.child(key);
    return new ScenarioException(
        new Problem(document.origin(at), at.toString(), complaint, remedy));
  }
}
