// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.vector;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the JSON of the control-law vectors: objects as maps, arrays as lists, numbers as text. */
public final class VectorFile {
  private static final String DIRECTORY = "/org/sluice/vectors/";

  private final String text;
  private int at;

  private VectorFile(String text) {
    this.text = text;
  }

  /** The object that a vector file holds. */
  @SuppressWarnings("unchecked")
  public static Map<String, Object> read(String name) {
    try (InputStream in = VectorFile.class.getResourceAsStream(DIRECTORY + name)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return (Map<String, Object>) new VectorFile(text).value();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Object value() {
    char first = next();
    switch (first) {
      case '{':
        return object();
      case '[':
        return array();
      case '"':
        return string();
      default:
        int from = at - 1;
        while (at < text.length() && ",]} \n".indexOf(text.charAt(at)) < 0) {
          at++;
        }
        return text.substring(from, at);
    }
  }

  private Map<String, Object> object() {
    Map<String, Object> result = new LinkedHashMap<>();
    char c = next();
    while (c != '}') {
      expect(c == ',' ? next() : c, '"');
      String key = string();
      expect(next(), ':');
      result.put(key, value());
      c = next();
    }
    return result;
  }

  private List<Object> array() {
    List<Object> result = new ArrayList<>();
    char c = next();
    while (c != ']') {
      if (c != ',') {
        at--;
      }
      result.add(value());
      c = next();
    }
    return result;
  }

  /** No escapes: the vectors' texts have none. */
  private String string() {
    int end = text.indexOf('"', at);
    String result = text.substring(at, end);
    at = end + 1;
    return result;
  }

  private char next() {
    while (Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return text.charAt(at++);
  }

  private void expect(char found, char wanted) {
    if (found != wanted) {
      throw new IllegalStateException("'" + found + "' at " + at + ", not '" + wanted + "'");
    }
  }
}
