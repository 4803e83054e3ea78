// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.InputStream;
import org.sluice.api.SluiceException;

/**
 * Reads the bytes of a request or a file strictly: bounded in length and depth, and one object
 * alone.
 */
public final class RequestBody {
  /** Longest body that is read unless another length is given, bytes. */
  public static final int MAX_BYTES = 256 << 10;

  private static final int MAX_DEPTH = 32;

  /** Longer numbers take long to compute with: time goes with the square of their length. */
  private static final int MAX_NUMBER_LENGTH = 1000;

  private RequestBody() {}

  /**
   * Reads a body that must be one JSON object.
   *
   * @throws SluiceException of kind TOO_LARGE, or INVALID naming the place at fault
   */
  public static ObjectNode readObject(InputStream body) throws SluiceException, IOException {
    return readObject(body, MAX_BYTES);
  }

  /**
   * Reads a body that must be one JSON object.
   *
   * @param maxBytes longest body that is read
   * @throws SluiceException of kind TOO_LARGE, or INVALID naming the place at fault
   */
  public static ObjectNode readObject(InputStream body, int maxBytes)
      throws SluiceException, IOException {
    byte[] bytes = body.readNBytes(maxBytes + 1);
    if (bytes.length > maxBytes) {
      throw new SluiceException(
          SluiceException.Kind.TOO_LARGE,
          "body",
          bytes.length + " bytes or more",
          "The body is too long",
          "Send at most " + maxBytes + " bytes");
    }
    JsonNode root;
    try {
      checkTokens(bytes);
      root = readTree(bytes);
    } catch (JsonProcessingException e) {
      throw malformed(e.getLocation(), "The body is not well-formed JSON: " + firstLine(e));
    } catch (CharConversionException e) {
      throw SluiceException.invalid(
          "body", "", "The body is not Unicode text: " + e.getMessage(), "Send it in UTF-8");
    }
    if (!(root instanceof ObjectNode)) {
      throw SluiceException.invalid(
          "body", root, "The body must be a JSON object", "Send an object such as {\"weight\": 2}");
    }
    return (ObjectNode) root;
  }

  /** The tree is read recursively: without this a long row of brackets would end the thread. */
  private static void checkTokens(byte[] bytes) throws IOException, SluiceException {
    int depth = 0;
    boolean empty = true;
    try (JsonParser parser = Json.MAPPER.getFactory().createParser(bytes)) {
      for (var token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (depth == 0 && !empty) {
          throw malformed(parser.getTokenLocation(), "Something follows the JSON object");
        }
        empty = false;
        depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        if (token.isNumeric() && parser.getTextLength() > MAX_NUMBER_LENGTH) {
          throw SluiceException.invalid(
              fieldOf(parser),
              parser.getTextLength() + " characters",
              "This number is too long",
              "Use at most " + MAX_NUMBER_LENGTH + " characters");
        }
        if (depth > MAX_DEPTH) {
          throw SluiceException.invalid(
              "body", "depth " + depth, "The body is nested too deeply", "Send flat JSON");
        }
      }
    }
    if (empty) {
      throw SluiceException.invalid(
          "body", "", "The body is empty", "Send an object such as {\"weight\": 2}");
    }
  }

  private static JsonNode readTree(byte[] bytes) throws IOException, SluiceException {
    try (JsonParser parser = Json.MAPPER.getFactory().createParser(bytes)) {
      try {
        return Json.MAPPER.readTree(parser);
      } catch (NumberFormatException e) {
        throw SluiceException.invalid(
            fieldOf(parser),
            parser.getText(),
            "This number has an exponent beyond all bounds",
            "Use one of ordinary size");
      }
    }
  }

  private static String fieldOf(JsonParser parser) throws IOException {
    String field = parser.getCurrentName();
    return field == null || field.isEmpty() ? "body" : field;
  }

  private static SluiceException malformed(JsonLocation at, String message) {
    return SluiceException.invalid(
        "body",
        at == null ? "" : "line " + at.getLineNr() + ", column " + at.getColumnNr(),
        message,
        "Correct the JSON there");
  }

  private static String firstLine(JsonProcessingException error) {
    String text = error.getOriginalMessage();
    int end = text.indexOf('\n');
    return end < 0 ? text : text.substring(0, end);
  }
}
