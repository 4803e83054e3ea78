// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonMappingException;
import java.util.Optional;

/** A value that its type refuses. Jackson adds the path on the way out. */
final class InvalidValueException extends JsonMappingException {
  private static final long serialVersionUID = 1L;

  private final String value;
  private final String remedy;

  /**
   * A refusal.
   *
   * @param value the value as text; null: as it stands in the JSON
   */
  InvalidValueException(JsonParser parser, String value, String message, String remedy) {
    super(parser, message);
    this.value = value;
    this.remedy = remedy;
  }

  Optional<String> value() {
    return Optional.ofNullable(value);
  }

  String remedy() {
    return remedy;
  }
}
