// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.OptionalLong;
import org.sluice.api.SluiceException;

/** Binds JSON to objects, in and out, by one mapper. */
public final class Json {
  private static final int SHARE_DECIMALS = 4;

  /** Exact: 50 must not come out as 5E+1, and 0.1 is no binary fraction. */
  static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .nodeFactory(JsonNodeFactory.withExactBigDecimals(true))
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .addModule(new ApiTypes())
          .build();

  private Json() {}

  /** An object as JSON text. */
  public static String text(Object value) {
    try {
      return MAPPER.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(value.getClass() + " cannot be written as JSON", e);
    }
  }

  /** An object as a tree. */
  public static ObjectNode tree(Object value) {
    return MAPPER.valueToTree(value);
  }

  /**
   * Sets those fields of an object that the JSON names. One that is null becomes null.
   *
   * @param path where the JSON stands in the whole ({@code tenants[0]}), for refusals; may be empty
   * @return {@code target}
   * @throws SluiceException of kind INVALID naming field, value and remedy
   */
  static <T> T bind(JsonNode json, T target, String path) throws SluiceException {
    try {
      return MAPPER.readerForUpdating(target).readValue(json);
    } catch (JsonMappingException e) {
      throw BindingErrors.refusal(e, json, path);
    } catch (IOException e) {
      throw new UncheckedIOException("a tree in memory cannot be read", e);
    }
  }

  static Long orNull(OptionalLong value) {
    return value.isPresent() ? value.getAsLong() : null;
  }

  /** 0 stands for none. */
  static Long rateOrNull(long bitsPerSecond) {
    return bitsPerSecond > 0 ? bitsPerSecond : null;
  }

  /** A number that is written without exponent or needless decimals. */
  static BigDecimal plain(double value) {
    BigDecimal exact = BigDecimal.valueOf(value).stripTrailingZeros();
    return exact.scale() < 0 ? exact.setScale(0) : exact;
  }

  /** A share or weight to four decimals. */
  static BigDecimal rounded(double value) {
    return plain(
        BigDecimal.valueOf(value).setScale(SHARE_DECIMALS, RoundingMode.HALF_UP).doubleValue());
  }
}
