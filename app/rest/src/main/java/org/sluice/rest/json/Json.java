// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.json;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.math.RoundingMode;
import org.sluice.api.SluiceException;

/** Reads bodies strictly and makes answers with a stable order of fields. */
public final class Json {
  /** Longest body that is read, bytes. */
  public static final int MAX_BODY_BYTES = 256 << 10;

  private static final int MAX_DEPTH = 32;
  private static final int SHARE_DECIMALS = 4;

  /** Exact: 50 must not come out as 5E+1. */
  private static final JsonNodeFactory NODES = JsonNodeFactory.withExactBigDecimals(true);

  private static final ObjectMapper MAPPER =
      new ObjectMapper()
          .setNodeFactory(NODES)
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private Json() {}

  /** A new object; fields come out in the order in which they are put. */
  public static ObjectNode object() {
    return NODES.objectNode();
  }

  /** A number that is written without exponent or needless decimals. */
  public static BigDecimal plain(double value) {
    BigDecimal exact = BigDecimal.valueOf(value).stripTrailingZeros();
    return exact.scale() < 0 ? exact.setScale(0) : exact;
  }

  /** A share or weight to four decimals. */
  public static BigDecimal rounded(double value) {
    return plain(
        BigDecimal.valueOf(value).setScale(SHARE_DECIMALS, RoundingMode.HALF_UP).doubleValue());
  }

  /**
   * Reads a body that must be one JSON object.
   *
   * @throws SluiceException of kind INVALID saying where it is malformed
   */
  public static ObjectNode readObject(InputStream body) throws SluiceException, IOException {
    byte[] bytes = body.readNBytes(MAX_BODY_BYTES + 1);
    if (bytes.length > MAX_BODY_BYTES) {
      throw SluiceException.invalid(
          "body",
          bytes.length + " bytes or more",
          "The body is too long",
          "Send at most " + MAX_BODY_BYTES + " bytes");
    }
    JsonNode root;
    try {
      checkTokens(bytes);
      root = MAPPER.readTree(bytes);
    } catch (JsonProcessingException e) {
      JsonLocation at = e.getLocation();
      throw SluiceException.invalid(
          "body",
          at == null ? "" : "line " + at.getLineNr() + ", column " + at.getColumnNr(),
          "The body is no well-formed JSON: " + firstLine(e.getOriginalMessage()),
          "Correct the JSON there");
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
    try (JsonParser parser = MAPPER.getFactory().createParser(bytes)) {
      for (var token = parser.nextToken(); token != null; token = parser.nextToken()) {
        empty = false;
        depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
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

  private static String firstLine(String text) {
    int end = text.indexOf('\n');
    return end < 0 ? text : text.substring(0, end);
  }
}
