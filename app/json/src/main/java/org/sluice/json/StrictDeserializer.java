// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.Set;
import java.util.function.Function;
import org.sluice.api.MegabitRate;
import org.sluice.api.Tenant;

/**
 * Reads a value from tokens of its own kind alone: a number in quotes is not a number. Jackson's
 * own deserializers convert, and releases differ in what.
 */
final class StrictDeserializer<T> extends StdScalarDeserializer<T> {
  private static final long serialVersionUID = 1L;

  private static final Set<JsonToken> NUMBERS =
      Set.of(JsonToken.VALUE_NUMBER_INT, JsonToken.VALUE_NUMBER_FLOAT);
  private static final String NUMBER_REMEDY = "Use a number without quotes";
  private static final String RATE_REMEDY =
      "Use 0 (none) to " + MegabitRate.inBoth(Tenant.MAX_RATE_BITS_PER_SECOND);

  private final Set<JsonToken> accepted;
  private final String typeRemedy;
  private final transient Reader<T> reader;

  /** Reads the value from a token that is accepted. */
  private interface Reader<T> {
    T read(JsonParser parser) throws IOException;
  }

  private StrictDeserializer(
      Class<T> type, Set<JsonToken> accepted, String typeRemedy, Reader<T> reader) {
    super(type);
    this.accepted = accepted;
    this.typeRemedy = typeRemedy;
    this.reader = reader;
  }

  /** Of a string, by a parser that refuses with {@link IllegalArgumentException}. */
  static <T> StrictDeserializer<T> ofString(
      Class<T> type, Function<String, T> parser, String remedy) {
    return new StrictDeserializer<>(
        type,
        Set.of(JsonToken.VALUE_STRING),
        "Use a string in quotes",
        json -> {
          try {
            return parser.apply(json.getText());
          } catch (IllegalArgumentException e) {
            throw new InvalidValueException(json, json.getText(), e.getMessage(), remedy);
          }
        });
  }

  /** Of a finite number. */
  static StrictDeserializer<BigDecimal> ofNumber() {
    return new StrictDeserializer<>(
        BigDecimal.class,
        NUMBERS,
        NUMBER_REMEDY,
        json -> {
          if (!Double.isFinite(json.getDoubleValue())) {
            throw new InvalidValueException(
                json, json.getText(), "This number is beyond all bounds", "Use a smaller one");
          }
          return json.getDecimalValue();
        });
  }

  /** Of a rate in bit/s; 5e6 is a whole number. What it is for knows its bounds. */
  static StrictDeserializer<Long> ofRate() {
    return new StrictDeserializer<>(
        Long.class,
        NUMBERS,
        NUMBER_REMEDY,
        json -> {
          try {
            return json.getDecimalValue().longValueExact();
          } catch (ArithmeticException | NumberFormatException e) {
            throw new InvalidValueException(
                json, json.getText(), "A rate is a whole number of bit/s", RATE_REMEDY);
          }
        });
  }

  /** Of true or false. */
  static StrictDeserializer<Boolean> ofBoolean() {
    return new StrictDeserializer<>(
        Boolean.class,
        Set.of(JsonToken.VALUE_TRUE, JsonToken.VALUE_FALSE),
        "Use true or false",
        JsonParser::getBooleanValue);
  }

  @Override
  public T deserialize(JsonParser json, DeserializationContext context) throws IOException {
    if (!accepted.contains(json.currentToken())) {
      throw new InvalidValueException(json, null, BindingErrors.WRONG_TYPE, typeRemedy);
    }
    return reader.read(json);
  }
}
